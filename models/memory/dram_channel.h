// SPDX-License-Identifier: Apache-2.0
// One memory channel: the queue, the choice of the next command, the timing of what banks share. Knows no simulation
// kernel; MemoryController gives it time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/statistics.h"
#include "memory/address_map.h"
#include "memory/dram_bank_state.h"
#include "memory/dram_queue.h"
#include "memory/dram_scheduler.h"
#include "memory/dram_standard.h"

namespace heddle::memory {

struct DramParameters {
  ChannelGeometry geometry;
  Mechanism<DramStandard> standard{"gddr5"};
  Mechanism<DramScheduler> scheduler{"fr_fcfs"};
  Mechanism<RowPolicy> row_policy{"open"};
  unsigned queue_entries = 64;
  unsigned return_entries = 116;

  void describe(ParameterVisitor& v);
  void check(ParameterChecks& checks) const;
};

/// A part with its constraints sorted by level.
struct DramTables {
  explicit DramTables(const DramDevice& part);
  DramDevice device;
  std::array<TimingRules, kDramLevels> levels;
  const TimingRules& level(DramLevel which) const { return levels[static_cast<unsigned>(which)]; }

  /// Cycles after a command (first index) before another (second) may follow in the same group, in another group of the
  /// rank, in another rank; 0: at once. Without those of a bank, and of windows of several commands.
  using Distances = std::array<std::array<Cycle, kDramCommands>, kDramCommands>;
  Distances same_group{}, same_rank{}, other_rank{};
  bool windows = false;  ///< there are constraints over several commands above the banks
};

/// Hears every command: command traces and checks. Silence costs one test a command.
class DramCommandListener {
 public:
  virtual ~DramCommandListener() = default;
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

  bool full() const { return queue_.full(); }
  const DramQueue& queue() const { return queue_; }
  /// Takes a request that arrived; not full(). It is considered from the next call of cycle().
  void add(const DramRequest& request);
  /// A read reply left: room for another in the return queue.
  void returned();
  /// Commands what is due in cycle now, which grows from call to call. Returns the next cycle in which there is
  /// something to do (kNever: until something is added or returned). Completions are appended.
  Cycle cycle(Cycle now, std::vector<Completion>& completions);

  /// What the channel counted.
  struct Counts {
    explicit Counts(const StatisticsGroup& statistics);
    Counter activates, precharges, reads, writes, row_hits, row_closed, row_conflicts, data_cycles;
  };
  const Counts& counts() const { return counts_; }
  void listen(DramCommandListener* listener) { listener_ = listener; }

 private:
  struct Candidate {
    unsigned bank;
    DramCommand command;
    DramQueue::Id request;
  };
  /// What a bank does next, valid until something happens to the bank.
  struct BankWork {
    std::optional<std::uint64_t> row;  ///< the open one, as of the last command to the bank
    DramQueue::Id chosen = DramQueue::kNone;
    Cycle ask_again = kNever;
    Cycle close_at = kNever;
  };

  BankView view(unsigned bank, Cycle now) const { return {queue_, bank, work_[bank].row, now}; }
  void choose(unsigned bank, Cycle now);
  void settle(unsigned bank);
  /// Returns the banks whose next command may be another.
  std::uint64_t settle_changed(Cycle now);
  /// What is best at cycle `by`, found again from all banks.
  void look_at_all(Cycle by);
  /// The same, when only these banks may differ from what was found before for that cycle.
  void look_again(std::uint64_t banks, Cycle by);
  /// Lets the banks compete with what was found so far.
  void consider(std::uint64_t banks, Cycle by);
  void issue(const Candidate& candidate, Cycle now, std::vector<Completion>& completions);
  void note(DramCommand command, unsigned bank, Cycle now);
  void note_windows(DramCommand command, unsigned bank, Cycle now);
  void after_column(const Candidate& candidate, Cycle now, std::vector<Completion>& completions);

  const DramTables& tables_;
  ChannelGeometry geometry_;
  std::vector<BankInterface*> banks_;
  std::unique_ptr<DramScheduler> scheduler_;
  std::unique_ptr<RowPolicy> row_policy_;
  bool columns_first_;
  DramQueue queue_;
  unsigned return_entries_, returning_ = 0;
  // Asked only where there are constraints over several commands.
  TimingNode channel_;
  std::vector<TimingNode> ranks_, groups_;
  std::vector<BankWork> work_;
  // The next command of each bank, apart from the rest because the choice reads all of them.
  std::vector<DramCommand> commands_;
  std::vector<Cycle> legal_;             ///< as far as the bank itself is concerned; kNever: wants none
  std::vector<const Cycle*> permitted_;  ///< in shared_
  std::vector<std::uint64_t> orders_;
  std::uint64_t columns_ = 0, last_reads_ = 0;            ///< banks that move data; that move the last burst of a read
  std::vector<std::array<Cycle, kDramCommands>> shared_;  ///< by group: legal as far as group, rank, channel go
  // The best command legal by cycle found_by_ is of bank found_ (kNoBank: there is none); before next_ there is no
  // other. Out of date (found_by_ kNever) when a full return queue has let reads go.
  static constexpr unsigned kNoBank = ~0U;
  unsigned found_ = kNoBank;
  Cycle found_by_ = kNever, next_ = kNever;
  std::uint64_t active_ = 0;  // banks with requests, or with a row to close
  std::uint64_t dirty_ = 0;   // banks whose choice is out of date
  std::uint64_t stale_ = 0;   // banks whose next command is, for the same choice
  Cycle ask_again_ = kNever;  // earliest of the banks'
  Counts counts_;
  DramCommandListener* listener_ = nullptr;
};

}  // namespace heddle::memory
