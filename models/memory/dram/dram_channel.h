// SPDX-License-Identifier: Apache-2.0
// One memory channel: the queues and the choice of the next command. Knows no simulation kernel; MemoryController gives
// it time.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/statistics/statistics.h"
#include "memory/dram/dram_bank_state.h"
#include "memory/dram/dram_parameters.h"
#include "memory/dram/shared_timing.h"

namespace heddle::memory {

/// Hears every command: command traces and checks. Silence costs one test a command.
class DramCommandListener {
 public:
  virtual ~DramCommandListener() = default;
  /// bank: of a command to a rank, its first. row: the one opened, used or closed; 0 of commands that concern none.
  /// request: null for a command that serves none.
  virtual void commanded(Cycle now, DramCommand command, unsigned bank, std::uint64_t row,
                         const DramRequest* request) = 0;
};

class DramChannel {
 public:
  /// The last burst of a request ends on the data bus in cycle `done`.
  struct Completion {
    Cycle done;
    std::uint32_t token;
    bool write;
  };
  /// tables: outlive this object.
  DramChannel(const DramParameters& parameters, const DramTables& tables, const StatisticsGroup& statistics);
  /// Before the first cycle. banks: one a bank of the geometry, in the order of DramAddress::bank; they outlive this
  /// object.
  void connect(std::vector<BankInterface*> banks);

  /// No room for another read (write).
  bool full(bool write) const { return queue_.full(write); }
  const DramQueue& queue() const { return queue_; }
  /// Takes a request that arrived in cycle request.arrival; not full(). It is considered from the next call of cycle().
  void add(const DramRequest& request);
  /// A read reply left: room for another in the return queue.
  void returned();
  /// Commands what is due in cycle now, which grows from call to call. Returns the next cycle in which there is
  /// something to do (kNever: until something is added or returned). Completions are appended.
  Cycle cycle(Cycle now, std::vector<Completion>& completions);
  /// Charges what is counted by the cycle up to now.
  void settle_counts(Cycle now);

  /// What the channel counted.
  struct Counts {
    explicit Counts(const StatisticsGroup& statistics);
    Counter activates, precharges, rank_precharges, reads, writes, rank_refreshes, bank_refreshes;
    Counter row_hits, row_closed, row_conflicts, forwarded;
    Counter data_cycles, command_cycles, write_drains, turnarounds, overdue, open_cycles, cycles;
  };
  const Counts& counts() const { return counts_; }
  /// One more listener, called behind those there are.
  void listen(DramCommandListener& listener) { listeners_.push_back(&listener); }

 private:
  /// What a bank does next, valid until something happens to the bank.
  struct BankWork {
    std::optional<std::uint64_t> row;  ///< the open one, as of the last command to the bank
    std::optional<std::uint64_t> last_row;
    BankChoice chosen;
    DramQueue::Id opened_for = DramQueue::kNone;  ///< the request that the open row was opened for, if it still waits
    Cycle ask_again = kNever;
    Cycle close_at = kNever;
  };
  struct RankWork {
    Cycle idle_since = 0;  ///< kNever while requests wait
    unsigned open_rows = 0;
    Cycle open_since = 0;
    Cycle ask_again = 0;             ///< of the refresh policy
    std::optional<unsigned> target;  ///< the bank that is to be refreshed, counted over the channel
  };

  std::uint64_t bit(unsigned bank) const { return std::uint64_t{1} << bank; }
  unsigned banks_of_rank() const { return geometry_.banks() / geometry_.ranks; }
  std::uint64_t mask_of_rank(unsigned rank) const;
  BankView view(unsigned bank, Cycle now) const {
    const bool split = queue_.split();
    return {queue_, bank, !split || !serves_writes_, !split || serves_writes_, work_[bank].row, now};
  }
  /// The request a slot works for; kNone: none.
  DramQueue::Id chosen(unsigned slot) const {
    return slot < kSecond ? work_[slot].chosen.first : work_[slot - kSecond].chosen.other;
  }
  bool behind_a_write(const DramRequest& request, bool& forward) const;
  bool drains() const;
  bool wants_writes() const;
  void turn();
  void plan_refresh(Cycle now);
  void choose(unsigned bank, Cycle now);
  void settle(unsigned bank);
  void settle_column(unsigned slot, const DramRequest& request);
  void settle_refresh(unsigned bank);
  /// Returns the banks whose next command may be another.
  std::uint64_t settle_changed(Cycle now);
  void find_overdue(Cycle now);
  /// Which columns may not go now.
  enum class Barred : std::uint8_t { none, reads, writes };
  Barred barred() const;
  bool passes_older() const;
  void stay(std::array<std::uint64_t, 2>& ready, Cycle by);
  std::uint64_t columns_of(bool write, unsigned plane) const {
    return active_ & columns_[plane] & (write ? writes_[plane] : ~writes_[plane]);
  }
  /// Commands of one of two buses, or of both.
  enum class Look : std::uint8_t { all, rows, columns };
  /// What is best at cycle `by`, found again from all banks.
  void look_at_all(Cycle by, Look look = Look::all);
  /// The same, when only these banks may differ from what was found before for that cycle.
  void look_again(std::uint64_t banks, Cycle by);
  /// Lets the banks compete with what was found so far.
  void consider(std::uint64_t banks, Cycle by, Look look = Look::all);
  void issue(unsigned slot, Cycle now, std::vector<Completion>& completions);
  void after_column(unsigned bank, DramQueue::Id id, Cycle now, std::vector<Completion>& completions);
  void opened(unsigned bank, std::uint64_t row, Cycle now);
  void closed(unsigned bank, Cycle now);
  void refreshed(unsigned bank, DramCommand command, Cycle now);

  const DramTables& tables_;
  ChannelGeometry geometry_;
  std::vector<BankInterface*> banks_;
  std::unique_ptr<DramScheduler> scheduler_;
  std::unique_ptr<RowPolicy> row_policy_;
  std::unique_ptr<RefreshPolicy> refresh_;  ///< null: none
  bool columns_first_;
  DramQueue queue_;
  bool batched_, to_low_;
  /// By the direction of the data bus (writes): from a column of the other to one of this; 0: turning costs nothing, or
  /// is not to be put off.
  std::array<Cycle, 2> turn_back_{};
  unsigned turn_cap_;
  Cycle age_cap_;  ///< kNever: none
  unsigned drain_high_, drain_low_, drain_most_;
  bool serves_writes_ = false, draining_ = false, last_was_write_ = false;
  unsigned served_ = 0;       ///< requests since the data bus, or the queue that is served, turned
  unsigned reads_due_ = 0;    ///< that go before the next drain, after one that was cut short for them
  unsigned must_follow_ = 0;  ///< reads behind writes
  // The oldest request, once it has waited age_cap_ cycles. Until look_for_overdue_ there is none.
  DramQueue::Id overdue_ = DramQueue::kNone;
  Cycle look_for_overdue_ = kNever;
  unsigned return_entries_, returning_ = 0;
  SharedTiming shared_;
  std::vector<BankWork> work_;
  std::vector<RankWork> ranks_;
  // The next command of each bank, apart from the rest because the choice reads all of them: a slot a bank, and from
  // kSecond on one for the row hit of the other direction.
  static constexpr unsigned kSecond = 64;
  std::array<DramCommand, 2 * kSecond> commands_{};
  std::array<Cycle, 2 * kSecond> legal_{};             ///< as far as the bank itself is concerned; kNever: wants none
  std::array<const Cycle*, 2 * kSecond> permitted_{};  ///< in shared_
  std::array<std::uint64_t, 2 * kSecond> orders_{};
  /// By plane of slots: banks that move data; that would write; that move the last burst of a read.
  std::array<std::uint64_t, 2> columns_{}, writes_{}, last_reads_{};
  std::uint64_t refreshing_ = 0;  ///< banks that do nothing but what their refresh needs
  std::uint64_t finishing_ = 0;   ///< banks that still serve the queue that was served before the last turn
  Barred barred_ = Barred::none;
  // The best command legal by cycle found_by_ is of slot found_ (kNoSlot: there is none); before next_ there is no
  // other. Out of date (found_by_ kNever) when a full return queue has let reads go.
  static constexpr unsigned kNoSlot = ~0U;
  unsigned found_ = kNoSlot;
  Cycle found_by_ = kNever, next_ = kNever;
  std::uint64_t active_ = 0;   // banks with requests, or with a row to close, or to refresh
  std::uint64_t waiting_ = 0;  // banks with requests
  std::uint64_t dirty_ = 0;    // banks whose choice is out of date
  std::uint64_t stale_ = 0;    // banks whose next command is, for the same choice
  Cycle ask_again_ = kNever;   // earliest of the banks'
  std::vector<Completion> forwarded_;
  Cycle counted_ = 0;
  Counts counts_;
  std::vector<DramCommandListener*> listeners_;
};

}  // namespace heddle::memory
