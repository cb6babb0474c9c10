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
  /// Swaps the active path with the nearest waiting sibling; false when there is none.
  bool swap_with_sibling();
  std::size_t depth() const { return entries_.size(); }
  /// Waiting paths, the bottom first.
  const std::vector<Entry>& entries() const { return entries_; }
  std::size_t high_water() const { return high_water_; }

 private:
  void push(const Entry& entry);
  void pop_reconverged();

  std::vector<Entry> entries_;
  std::uint32_t reconvergence_pc_ = kNoReconvergence;  ///< of the active path
  std::size_t high_water_ = 0;
};

/// Declares the stacks of an SM's warps: as many entries a warp as it has threads, which is the most that can wait.
void declare_stacks(ModuleState& state, const std::vector<StackState>& stacks, unsigned warp_size);

class ReconvergenceStack final : public GroupingUnit {
 public:
  ReconvergenceStack(const GroupingShape& shape, ContextTable& table);

  unsigned context_count() const override { return warps_; }
  unsigned allocation_granule() const override { return shape_.warp_size; }
  ContextSet slot_members(unsigned slot) const override { return members_[slot]; }
  std::string name() const override { return "reconvergence_stack"; }
  void launch(const Placement& placement) override;
  void release(std::uint16_t block_slot) override;
  LanePlan lanes(ContextId context, const isa::MicroOp& op, const ThreadSet& threads) const override;
  void advanced(ContextId context) override;
  void branched(ContextId context, const isa::MicroOp& op, const std::vector<Way>& ways) override;
  void exited(ContextId context, const ThreadSet& threads) override;
  void waiting_changed(ContextId context) override;
  void declare_state(ModuleState& state) override { declare_stacks(state, stacks_, shape_.warp_size); }

 private:
  void publish(ContextId context);

  GroupingShape shape_;
  unsigned warps_;
  WarpSlots slots_;
  std::vector<StackState> stacks_;
  std::vector<ContextSet> members_;
};

}  // namespace heddle::sm
