// SPDX-License-Identifier: Apache-2.0
// Large warps: 64 to 512 threads under one program counter; an instruction issues as sub-warps, one a cycle, each with
// at most one thread of a column. Global accesses keep whole rows, a jump is one token. Source:
// spec/large-warps-and-database-search.md, 2.5.3 and 2.5.4.
#include "isa/collective.h"
#include "sm/grouping/reconvergence_stack.h"

namespace heddle::sm {

class LargeWarps final : public GroupingUnit {
 public:
  LargeWarps(const GroupingShape& shape, ContextTable& table)
      : GroupingUnit(table),
        shape_(checked(shape, 1)),
        warps_(shape.threads / shape.warp_size),
        slots_(warps_, shape.warp_size),
        stacks_(warps_) {
    if (shape.issue_slots != 1)
      fail(ExitCode::kConfiguration,
           "sm.schedulers: large_warps packs one instruction at a time, so it needs 1, not {}", shape.issue_slots);
    if (shape.simd_width != isa::kWordThreads) {
      fail(ExitCode::kConfiguration,
           "sm.simd_width: large_warps has rows of {} threads, so it needs as many lanes, not {}", isa::kWordThreads,
           shape.simd_width);
    }
  }

  unsigned context_count() const override { return warps_; }
  unsigned allocation_granule() const override { return shape_.warp_size; }
  ContextSet slot_members(unsigned) const override { return ContextSet::first_n(warps_); }
  std::string name() const override { return "large_warps"; }

  void launch(const Placement& placement) override {
    slots_.launch(placement, [&](unsigned warp, std::uint32_t first, unsigned threads) {
      const auto context = static_cast<ContextId>(warp);
      first_thread_[context] = first;
      table_[context].block = placement.block_slot;
      table_[context].warp = context;
      stacks_[context].start(0, ThreadSet::first_n(threads));
      publish(context);
      placement.contexts->push_back(context);
    });
  }
  void release(std::uint16_t block_slot) override { slots_.release(block_slot); }

  LanePlan lanes(ContextId, const isa::MicroOp&, const ThreadSet& threads) const override {
    LaneMask lanes;
    std::uint64_t columns = 0;
    for (unsigned row = 0; row < rows(); ++row) columns |= threads.word32(row);
    lanes.set_word(0, columns);
    return {lanes, 1};
  }

  Cut next_packet(ContextId, const isa::MicroOp& op, const PacketRequest& request, ThreadSet& threads,
                  ThreadSet& left) override {
    left.clear();
    if (op.opcode == isa::Opcode::bra && !op.guard.present()) {
      threads = request.left;  // touches the program counter only, whatever is in flight
      return Cut::packet;
    }
    const ThreadSet free = request.busy == nullptr ? request.left : request.left - *request.busy;
    // The guard's producer may be in flight: only free threads are dropped for a false guard.
    const ThreadSet work = request.left - (free - request.guarded);
    const ThreadSet eligible = free & request.guarded;
    threads.clear();
    if (work.none()) return Cut::packet;  // every remaining guard was false
    if (eligible.none()) return Cut::bubble;
    if (keeps_rows(op)) {
      for (unsigned row = 0; row < rows(); ++row) {
        if (work.word32(row) == 0 || eligible.word32(row) != work.word32(row)) continue;
        threads.set_word32(row, work.word32(row));
        break;
      }
      if (threads.none()) return Cut::bubble;
    } else {
      std::uint32_t taken = 0;
      for (unsigned row = 0; row < rows(); ++row) {
        const std::uint32_t from_row = eligible.word32(row) & ~taken;
        threads.set_word32(row, from_row);
        taken |= from_row;
      }
    }
    left = work - threads;
    return Cut::packet;
  }

  void advanced(ContextId context) override {
    stacks_[context].go(stacks_[context].pc + 1);
    publish(context);
  }
  void branched(ContextId context, const isa::MicroOp& op, const std::vector<Way>& ways) override {
    stacks_[context].split(ways, op.reconvergence_pc);
    publish(context);
  }
  void exited(ContextId context, const ThreadSet& threads) override {
    stacks_[context].leave(threads);
    publish(context);
  }
  void waiting_changed(ContextId context, const ThreadSet& awaited) override {
    if (let_others_run(table_, context, awaited, stacks_[context])) publish(context);
  }

  void waiting_paths(ContextId context, std::vector<Way>& paths) const override {
    stacks_[context].waiting_paths(paths);
  }
  void declare_state(ModuleState& state) override { declare_stacks(state, stacks_, shape_.warp_size); }

 private:
  unsigned rows() const { return shape_.warp_size / isa::kWordThreads; }
  /// Global accesses keep their coalescing, and what is defined over an ISA warp needs its threads together.
  static bool keeps_rows(const isa::MicroOp& op) {
    return isa::crosses_lanes(op) || (op.unit == isa::Unit::memory && op.space != isa::Space::shared);
  }
  void publish(ContextId context) { publish_active(table_, context, stacks_[context]); }

  GroupingShape shape_;
  unsigned warps_;
  WarpSlots slots_;
  std::vector<StackState> stacks_;
};

HEDDLE_REGISTER(GroupingUnit, LargeWarps, "large_warps",
                "sub-warps of a large warp, a thread of each column, one a cycle",
                "spec/large-warps-and-database-search.md 2.5.3");

}  // namespace heddle::sm
