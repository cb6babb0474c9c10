// SPDX-License-Identifier: Apache-2.0
// One memory channel: its queues and the selection of the next command. Independent of the simulation kernel;
// MemoryController supplies the time.
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

/// Observes every command, for traces and checks. Without listeners the cost is one test per command.
class DramCommandListener {
 public:
  virtual ~DramCommandListener() = default;
  /// bank: for a command to a rank, its first bank. row: the row opened, used or closed; 0 if the command concerns
  /// none. request: null if the command serves none.
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
  /// Call before the first cycle. banks: one per bank of the geometry, ordered as DramAddress::bank; they outlive this
  /// object.
  void connect(std::vector<BankInterface*> banks);

  /// No room for another read (write).
  bool full(bool write) const { return queue_.full(write); }
  const DramQueue& queue() const { return queue_; }
  /// Adds a request that arrived in cycle request.arrival; not full(). It is considered from the next call of cycle().
  void add(const DramRequest& request);
  /// A read reply left the return queue.
  void returned();
  /// Issues the commands due in cycle now, which increases from call to call. Returns the next active cycle (kNever:
  /// none until something is added or returned). Appends completions.
  Cycle cycle(Cycle now, std::vector<Completion>& completions);
  /// Brings per-cycle counters up to `now`.
  void settle_counts(Cycle now);

  struct Counts {
    explicit Counts(const StatisticsGroup& statistics);
    Counter activates, precharges, rank_precharges, reads, writes, rank_refreshes, bank_refreshes;
    Counter row_hits, row_closed, row_conflicts, forwarded;
    Counter data_cycles, command_cycles, write_drains, turnarounds, overdue, open_cycles, cycles;
  };
  const Counts& counts() const { return counts_; }
  /// Adds a listener, called after the existing ones.
  void listen(DramCommandListener& listener) { listeners_.push_back(&listener); }

 private:
  /// Next action of a bank, valid until its state changes.
  struct BankWork {
    std::optional<std::uint64_t> row;  ///< the open row, as of the last command to the bank
    std::optional<std::uint64_t> last_row;
    BankChoice chosen;
    DramQueue::Id opened_for = DramQueue::kNone;  ///< the request that the row was opened for, if still waiting
    Cycle ask_again = kNever;
    Cycle close_at = kNever;
  };
  struct RankWork {
    Cycle idle_since = 0;  ///< kNever while requests wait
    unsigned open_rows = 0;
    Cycle open_since = 0;
    Cycle ask_again = 0;             ///< when to query the refresh policy again
    std::optional<unsigned> target;  ///< the bank to refresh, numbered over the channel
  };

  std::uint64_t bit(unsigned bank) const { return std::uint64_t{1} << bank; }
  unsigned banks_of_rank() const { return geometry_.banks() / geometry_.ranks; }
  std::uint64_t mask_of_rank(unsigned rank) const;
  BankView view(unsigned bank, Cycle now) const {
    const bool split = queue_.split();
    return {queue_, bank, !split || !serves_writes_, !split || serves_writes_, work_[bank].row, now};
  }
  /// The request a slot serves; kNone: none.
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
  /// Returns the banks whose next command may have changed.
  std::uint64_t settle_changed(Cycle now);
  void find_overdue(Cycle now);
  /// Column commands that may not issue now.
  enum class Barred : std::uint8_t { none, reads, writes };
  Barred barred() const;
  bool passes_older() const;
  void stay(std::array<std::uint64_t, 2>& ready, Cycle by);
  std::uint64_t columns_of(bool write, unsigned plane) const {
    return active_ & columns_[plane] & (write ? writes_[plane] : ~writes_[plane]);
  }
  /// Commands of one of the two command buses, or of both.
  enum class Look : std::uint8_t { all, rows, columns };
  /// Finds the best command at cycle `by` among all banks.
  void look_at_all(Cycle by, Look look = Look::all);
  /// The same, given that only these banks changed since the last search for that cycle.
  void look_again(std::uint64_t banks, Cycle by);
  /// Lets these banks compete with the best command found so far.
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
  /// By direction of the data bus (1: writes): cycles from a column command of the other direction to one of this; 0:
  /// turning the bus is free, or is not to be deferred.
  std::array<Cycle, 2> turn_back_{};
  unsigned turn_cap_;
  Cycle age_cap_;  ///< kNever: none
  unsigned drain_high_, drain_low_, drain_most_;
  bool serves_writes_ = false, draining_ = false, last_was_write_ = false;
  unsigned served_ = 0;       ///< requests since the bus direction or the served queue last changed
  unsigned reads_due_ = 0;    ///< reads served before the next drain, after a drain cut short for them
  unsigned must_follow_ = 0;  ///< reads queued behind writes
  // The oldest request, once it has waited age_cap_ cycles. None can be overdue before cycle look_for_overdue_.
  DramQueue::Id overdue_ = DramQueue::kNone;
  Cycle look_for_overdue_ = kNever;
  unsigned return_entries_, returning_ = 0;
  SharedTiming shared_;
  std::vector<BankWork> work_;
  std::vector<RankWork> ranks_;
  // The next command of each bank, in arrays of their own because selection reads all of them. One slot per bank, and
  // from kSecond on a second one for the row hit of the other direction.
  static constexpr unsigned kSecond = 64;
  std::array<DramCommand, 2 * kSecond> commands_{};
  std::array<Cycle, 2 * kSecond> legal_{};  ///< legal for the bank itself from this cycle; kNever: no command
  std::array<const Cycle*, 2 * kSecond> permitted_{};  ///< constraints above the bank, in shared_
  std::array<std::uint64_t, 2 * kSecond> orders_{};
  /// By plane of slots: banks whose next command is a column command; a write; the last burst of a read.
  std::array<std::uint64_t, 2> columns_{}, writes_{}, last_reads_{};
  std::uint64_t refreshing_ = 0;  ///< banks reserved for their pending refresh
  std::uint64_t finishing_ = 0;   ///< banks still serving the queue of before the last turn
  Barred barred_ = Barred::none;
  // Slot found_ holds the best command legal by cycle found_by_ (kNoSlot: none); no other becomes legal before next_.
  // Invalid (found_by_ kNever) once a full return queue lets reads proceed again.
  static constexpr unsigned kNoSlot = ~0U;
  unsigned found_ = kNoSlot;
  Cycle found_by_ = kNever, next_ = kNever;
  std::uint64_t active_ = 0;   // banks with requests, a row to close or a refresh
  std::uint64_t waiting_ = 0;  // banks with requests
  std::uint64_t dirty_ = 0;    // banks whose chosen request is out of date
  std::uint64_t stale_ = 0;    // banks whose next command is out of date, for the same request
  Cycle ask_again_ = kNever;   // earliest over all banks
  std::vector<Completion> forwarded_;
  Cycle counted_ = 0;
  Counts counts_;
  std::vector<DramCommandListener*> listeners_;
};

}  // namespace heddle::memory
