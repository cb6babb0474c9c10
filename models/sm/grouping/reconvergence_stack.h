// SPDX-License-Identifier: Apache-2.0
// One warp, one stack: divergent paths run one after the other and meet at the immediate post-dominator.
// Source: spec/large-warps-and-database-search.md, 2.3; any warp size on any SIMD width not above it.
#pragma once

#include <vector>

#include "sm/grouping/grouping_unit.h"
#include "sm/grouping/warp_slots.h"

namespace heddle::sm {

/// The stack of one warp, as plain logic. Threads are places in the warp.
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
  /// The active path goes on at next_pc; pops what reconverges there.
  void go(std::uint32_t next_pc);
  /// The active path splits in up to n ways that meet at reconvergence_pc.
  void split(const std::vector<GroupingUnit::Way>& ways, std::uint32_t reconvergence_pc);
  /// Active threads leave the kernel: they are taken out of every entry, and the others go on behind the exit. When
  /// none is left the active path is the next that has threads.
  void leave(const ThreadSet& gone);
  /// Threads leave the kernel wherever they are; the active path stays where it is, and when none of it is left the
  /// next that has threads is the active one.
  void remove(const ThreadSet& gone);
  /// Where the active path meets others; kNoReconvergence: nowhere.
  std::uint32_t reconvergence_pc() const { return reconvergence_pc_; }
  /// The active path cannot go on: the nearest waiting path that can goes first, and the active one after it.
  /// waits(set): whether a path of these threads stands still. A path parked at a meeting point goes on alone only
  /// where it has `awaited` threads. False when there is none.
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
  /// Appends the waiting paths, each with the threads that stand at its program counter.
  void waiting_paths(std::vector<GroupingUnit::Way>& paths) const;
  /// Whether a path that had stood aside became the active one since this was asked last.
  bool take_popped() {
    const bool popped = popped_;
    popped_ = false;
    return popped;
  }
  std::size_t depth() const { return entries_.size(); }
  /// Waiting paths, the bottom first.
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  void push(const Entry& entry);
  void pop_reconverged();
  void run_first(std::size_t entry, const ThreadSet& own);

  std::vector<Entry> entries_;
  std::uint32_t reconvergence_pc_ = kNoReconvergence;  ///< of the active path
  bool popped_ = false;
};

/// A warp's threads began or ceased to wait: true when another path became the active one.
inline bool let_others_run(const ContextTable& table, std::uint16_t warp, const ThreadSet& awaited, StackState& stack) {
  const auto waits = [&](const ThreadSet& some) { return table.waits(warp, some); };
  return waits(stack.threads) && stack.step_aside(awaited, waits);
}

/// Shows a warp's active path. One that comes up from the stack and waits gives way to others at once.
inline void publish_active(ContextTable& table, ContextId context, StackState& stack) {
  if (stack.take_popped()) let_others_run(table, context, ThreadSet::everything(), stack);
  table.set(context, stack.pc, stack.threads);
}

/// Declares the stacks of an SM's warps: as many entries a warp as it has threads, which is the most that can wait.
void declare_stacks(ModuleState& state, const std::vector<StackState>& stacks, unsigned warp_size);

/// A grouping whose warps have a stack each. What differs is how wide they are and how they issue.
class StackWarps : public OneContextWarps {
 public:
  /// Whole waves over all lanes: a wave without an active thread still passes, as the sources' machines have it.
  LanePlan lanes(ContextId, const isa::MicroOp&, const ThreadSet&) const override {
    return {LaneMask::first_n(shape_.simd_width), shape_.warp_size / shape_.simd_width};
  }
  void advanced(ContextId context) override;
  void branched(ContextId context, const isa::MicroOp& op, const std::vector<Way>& ways) override;
  void exited(ContextId context, const ThreadSet& threads) override;
  void waiting_changed(ContextId context, const ThreadSet& awaited) override;
  void waiting_paths(ContextId context, std::vector<Way>& paths) const override {
    stacks_[context].waiting_paths(paths);
  }
  void declare_state(ModuleState& state) override { declare_stacks(state, stacks_, shape_.warp_size); }

 protected:
  /// shape: checked() or distinct().
  StackWarps(const GroupingShape& shape, ContextTable& table, const GroupingTraits& traits)
      : OneContextWarps(shape, table, traits), stacks_(warps_) {}
  StackWarps(const GroupingShape& shape, ContextTable& table) : OneContextWarps(shape, table), stacks_(warps_) {}

 private:
  void started(ContextId context, const ThreadSet& threads) override;
  void publish(ContextId context) { publish_active(table_, context, stacks_[context]); }

  std::vector<StackState> stacks_;
};

class ReconvergenceStack final : public StackWarps {
 public:
  ReconvergenceStack(const GroupingShape& shape, ContextTable& table) : StackWarps(shape, table) {}
  std::string name() const override { return "reconvergence_stack"; }
};

}  // namespace heddle::sm
