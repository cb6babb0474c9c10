// SPDX-License-Identifier: Apache-2.0
// One reconvergence stack per warp: divergent paths run serially and reconverge at the immediate post-dominator.
// Source: docs/sources/large-warps-and-database-search.md, 2.3; any warp size on any SIMD width not above it.
#pragma once

#include <vector>

#include "sm/grouping/grouping_unit.h"
#include "sm/grouping/warp_slots.h"

namespace heddle::sm {

/// Stack of one warp. Logic only; threads are positions in the warp.
class StackState {
 public:
  struct Entry {
    std::uint32_t reconvergence_pc;
    std::uint32_t pc;
    ThreadSet threads;
  };
  static constexpr std::uint32_t kNoReconvergence = 0xffffffff;

  std::uint32_t pc = 0;
  ThreadSet threads;  ///< active

  void start(std::uint32_t entry_pc, const ThreadSet& all);
  /// The active path continues at next_pc; pops entries that reconverge there.
  void go(std::uint32_t next_pc) {
    pc = next_pc;
    if (!entries_.empty()) pop_reconverged();
  }
  /// go(), if nothing reconverges there: only the PC changes. False: something does, and nothing has changed.
  bool passes(std::uint32_t next_pc) {
    if (next_pc == reconvergence_pc_) return false;
    pc = next_pc;
    return true;
  }
  /// The active path splits into the given paths, which meet at reconvergence_pc.
  void split(const std::vector<GroupingUnit::Path>& paths, std::uint32_t reconvergence_pc);
  /// Active threads leave the kernel: removes them from every entry; the other active threads continue after the exit.
  /// If none is left, the next entry with threads becomes active.
  void leave(const ThreadSet& gone);
  /// Removes threads that leave the kernel from any path. The active PC does not change; if the active path is left
  /// without threads, the next entry with threads becomes active.
  void remove(const ThreadSet& gone);
  /// PC at which the active path meets others; kNoReconvergence: none.
  std::uint32_t reconvergence_pc() const { return reconvergence_pc_; }
  /// Called when the active path is stalled: the nearest pending path that can run becomes active, and the stalled one
  /// runs after it. waits(set): whether a path of these threads is stalled. A path parked at its reconvergence point
  /// proceeds alone only if it contains `awaited` threads. False if no path can run.
  template <typename Waits>
  bool step_aside(const ThreadSet& awaited, const Waits& waits) {
    ThreadSet above = threads;
    for (std::size_t i = entries_.size(); i-- > 0;) {
      const ThreadSet own = entries_[i].threads - above;
      above |= entries_[i].threads;
      const bool parked = own != entries_[i].threads;
      if (own.none() || waits(own) || (parked && !own.intersects(awaited))) continue;
      run_first(i, own);
      return true;
    }
    return false;
  }
  /// Appends the pending paths, each with the threads at its PC.
  void waiting_paths(std::vector<GroupingUnit::Path>& paths) const;
  /// Whether a path that had stepped aside became active since the last call.
  bool take_popped() {
    const bool popped = popped_;
    popped_ = false;
    return popped;
  }
  std::size_t depth() const { return entries_.size(); }
  /// Pending paths, bottom of the stack first.
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  void push(const Entry& entry);
  void pop_reconverged();
  void run_first(std::size_t entry, const ThreadSet& own);

  std::vector<Entry> entries_;
  std::uint32_t reconvergence_pc_ = kNoReconvergence;  ///< of the active path
  bool popped_ = false;
};

/// Handles threads of a warp that started or stopped waiting. True if another path became active.
inline bool let_others_run(const ContextTable& table, WarpId warp, const ThreadSet& awaited, StackState& stack) {
  const auto waits = [&](const ThreadSet& some) { return table.waits(warp, some); };
  return waits(stack.threads) && stack.step_aside(awaited, waits);
}

/// Publishes a warp's active path. A popped path that is still waiting steps aside immediately.
inline void publish_active(ContextTable& table, ContextId context, StackState& stack) {
  if (stack.take_popped()) let_others_run(table, table[context].warp, ThreadSet::everything(), stack);
  table.set(context, stack.pc, stack.threads);
}

/// Declares the stacks of an SM's warps, with one entry per thread: the most that can be pending.
void declare_stacks(ModuleState& state, const std::vector<StackState>& stacks, unsigned warp_size);

/// Base of groupings with one stack per warp. Derived groupings differ in warp width and in issue.
class StackWarps : public OneContextWarps {
 public:
  /// Whole waves over all lanes: as in the sources' machines, a wave without active threads still takes its cycle.
  LanePlan lanes(ContextId, const isa::MicroOp&, const ThreadSet&) const override {
    return {LaneMask::first_n(shape_.simd_width), shape_.warp_size / shape_.simd_width};
  }
  void advanced(ContextId context) override { advance(context); }
  void branched(ContextId context, const isa::MicroOp& op, const std::vector<Path>& paths) override;
  void exited(ContextId context, const ThreadSet& threads) override;
  void waiting_changed(ContextId context, const ThreadSet& awaited) override;
  void waiting_paths(ContextId context, std::vector<Path>& paths) const override {
    stacks_[context].waiting_paths(paths);
  }
  void declare_state(ModuleState& state) override { declare_stacks(state, stacks_, shape_.warp_size); }

 protected:
  /// shape: checked() or distinct().
  StackWarps(const GroupingShape& shape, ContextTable& table, const GroupingTraits& traits)
      : OneContextWarps(shape, table, traits), stacks_(warps_) {}
  StackWarps(const GroupingShape& shape, ContextTable& table) : OneContextWarps(shape, table), stacks_(warps_) {}

  void started(ContextId context, const ThreadSet& threads) override;
  /// advanced(), without a virtual call.
  void advance(ContextId context) {
    if (goes_on(context, stacks_[context].pc + 1)) table_.changed.set(context);
  }
  /// The context's active path continues at `pc`. True if nothing reconverges: only the PC has changed then, and the
  /// caller notes it in ContextTable::changed.
  [[gnu::always_inline]] bool goes_on(ContextId context, std::uint32_t pc) {
    if (passes(context, pc)) return true;
    reconverges(context, pc);
    return false;
  }
  /// goes_on() where nothing reconverges. False: something does, and reconverges() goes on.
  [[gnu::always_inline]] bool passes(ContextId context, std::uint32_t pc) {
    if (!stacks_[context].passes(pc)) return false;
    table_[context].pc = pc;
    return true;
  }
  void reconverges(ContextId context, std::uint32_t pc) {
    stacks_[context].go(pc);
    publish(context);
  }

 private:
  void publish(ContextId context) { publish_active(table_, context, stacks_[context]); }

  std::vector<StackState> stacks_;
};

class ReconvergenceStack final : public StackWarps {
 public:
  ReconvergenceStack(const GroupingShape& shape, ContextTable& table) : StackWarps(shape, table) {}
  std::string name() const override { return "reconvergence_stack"; }
};

}  // namespace heddle::sm
