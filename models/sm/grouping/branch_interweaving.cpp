// SPDX-License-Identifier: Apache-2.0
// Branch interweaving: the two lowest splits of a wide warp are hot; when one issues, the other may issue in the same
// cycle, on the lanes left free or on another unit. Exact heap: any number of splits may wait behind the hot ones.
// Source: docs/sources/branch-and-warp-interweaving.md, 2.4 and 2.6 (heap_model = exact).
#include <array>

#include "sm/grouping/split_heap.h"
#include "sm/grouping/warp_slots.h"

namespace heddle::sm {

class BranchInterweaving final : public GroupingUnit, public Pairing {
 public:
  static GroupingTraits traits(const GroupingShape& shape) {
    return {.contexts = 2 * (shape.threads / shape.warp_size), .granule = shape.warp_size, .span = shape.warp_size};
  }
  BranchInterweaving(const GroupingShape& shape, ContextTable& table)
      : GroupingUnit(table, traits(shape)),
        shape_(checked(shape, 2)),
        warps_(shape.threads / shape.warp_size),
        slots_(warps_, shape.warp_size),
        heaps_(warps_),
        age_(warps_) {
    if (shape.issue_slots != 2) {
      fail(ExitCode::configuration, "sm.schedulers: branch_interweaving issues from two splits, so it needs 2, not {}",
           shape.issue_slots);
    }
  }

  // Contexts 2w and 2w + 1 hold the hot splits of warp w, in either order. A split keeps its context while it is hot,
  // so that its buffered instructions and hazards stay with it.
  std::unique_ptr<IssueScheme> make_scheme() override {
    return std::make_unique<FillingSlots>(ContextSet::first_n(2 * std::size_t{warps_}), *this);
  }
  ContextSet partners(ContextId first) const override {
    ContextSet sibling;
    sibling.set(first ^ 1u);
    return sibling;
  }
  /// At most one divergence per cycle (docs/sources/branch-and-warp-interweaving.md, 2.2).
  bool pairs(const isa::MicroOp& first, const isa::MicroOp& second) const override {
    return !may_diverge(first) || !may_diverge(second);
  }
  std::string name() const override { return "branch_interweaving"; }

  void launch(const Placement& placement) override {
    slots_.launch(placement, [&](WarpId warp, std::uint32_t first, unsigned threads) {
      heaps_[warp].start(0, ThreadSet::first_n(threads));
      age_[warp] = next_age_++;
      for (unsigned i = 0; i < 2; ++i) {
        const ContextId context(2 * warp + i);
        first_thread_[context] = first;
        table_[context].block = placement.block_slot;
        table_[context].warp = warp;
        placement.contexts->push_back(context);
      }
      publish(warp);
    });
  }
  void release(BlockSlot block_slot) override { slots_.release(block_slot); }

  LanePlan lanes(ContextId, const isa::MicroOp&, const ThreadSet& threads) const override {
    // A thread's position is its lane; a warp wider than the datapath passes over the same lanes in waves.
    LaneMask lanes;
    for (unsigned t = 0; t < shape_.warp_size; t += shape_.simd_width) {
      std::uint64_t part = threads.word(t / 64) >> (t % 64);
      if (shape_.simd_width < 64) part &= (std::uint64_t{1} << shape_.simd_width) - 1;
      lanes.set_word(0, lanes.word(0) | part);
    }
    return {lanes, shape_.warp_size / shape_.simd_width};
  }

  void advanced(ContextId context) override {
    const WarpId warp = warp_of(context);
    heaps_[warp].move(table_[context].threads, table_[context].pc + 1);
    publish(warp);
  }
  void branched(ContextId context, const isa::MicroOp&, const std::vector<Path>& paths) override {
    const WarpId warp = warp_of(context);
    heaps_[warp].remove(table_[context].threads);
    for (const Path& path : paths) heaps_[warp].insert(path.pc, path.threads);
    publish(warp);
  }
  void exited(ContextId context, const ThreadSet& threads) override {
    const WarpId warp = warp_of(context);
    const ThreadSet staying = table_[context].threads - threads;
    heaps_[warp].remove(threads);
    if (staying.any()) heaps_[warp].move(staying, table_[context].pc + 1);
    publish(warp);
  }
  void waiting_changed(ContextId context, const ThreadSet&) override { publish(warp_of(context)); }
  bool part_waiting(ContextId context, const ThreadSet& waiting) override {
    heaps_[warp_of(context)].part(waiting);
    publish(warp_of(context));
    return true;
  }
  void waiting_paths(ContextId context, std::vector<Path>& paths) const override {
    heaps_[warp_of(context)].others(table_[context].threads | table_[context ^ 1u].threads, paths);
  }
  void declare_state(ModuleState& state) override { declare_heaps(state, heaps_, shape_.warp_size); }

 private:
  static WarpId warp_of(ContextId context) { return WarpId(context / 2); }
  static bool may_diverge(const isa::MicroOp& op) {
    return op.unit == isa::Unit::memory || op.opcode == isa::Opcode::bra || op.opcode == isa::Opcode::brx;
  }

  /// Gives the two hot contexts the lowest splits that do not wait. A split keeps its context while its branch is
  /// unresolved or its packets are still issuing.
  void publish(WarpId warp) {
    const auto& splits = heaps_[warp].splits();
    std::array<const SplitHeap::Split*, 2> hot{};
    const auto pinned = [&](ContextId c) {
      return table_.valid.test(c) && (table_.branch.test(c) || table_.in_sequence.test(c));
    };
    const ContextId base(2 * warp);
    unsigned wanted = 2;
    for (unsigned i = 0; i < 2; ++i) wanted -= pinned(ContextId(base + i)) ? 1 : 0;
    const auto held = [&](const SplitHeap::Split& split) {
      for (unsigned i = 0; i < 2; ++i) {
        const ContextId c(base + i);
        if (pinned(c) && split.threads.intersects(table_[c].threads)) return true;
      }
      return false;
    };
    unsigned found = 0;
    for (const bool waiting : {false, true}) {
      for (const auto& split : splits) {
        if (found == wanted) break;
        if (held(split) || table_.waits(warp, split.threads) != waiting) continue;
        if (found == 1 && hot[0] == &split) continue;
        hot[found++] = &split;
      }
    }
    // Splits stay in their context; new ones take the free one.
    std::array<const SplitHeap::Split*, 2> place{};
    std::array<bool, 2> taken{pinned(base), pinned(ContextId(base + 1))};
    for (const auto*& split : hot) {
      if (split == nullptr) continue;
      for (unsigned i = 0; i < 2; ++i) {
        const ContextId c(base + i);
        if (taken[i] || !table_.valid.test(c) || !split->threads.intersects(table_[c].threads)) continue;
        place[i] = split;
        taken[i] = true;
        split = nullptr;
        break;
      }
    }
    for (const auto* split : hot) {
      if (split == nullptr) continue;
      const unsigned i = taken[0] ? 1 : 0;
      place[i] = split;
      taken[i] = true;
    }
    for (unsigned i = 0; i < 2; ++i) {
      const ContextId c(base + i);
      if (pinned(c)) continue;
      if (place[i] == nullptr) {
        table_.set(c, 0, {});
      } else {
        table_.set(c, place[i]->pc, place[i]->threads);
      }
    }
    // Age orders warps and, within a warp, puts the lower split first.
    const bool second_lower =
        table_.valid.test(base + 1u) && (!table_.valid.test(base) || table_[base + 1u].pc < table_[base].pc);
    table_.age[base] = 2 * age_[warp] + (second_lower ? 1 : 0);
    table_.age[base + 1u] = 2 * age_[warp] + (second_lower ? 0 : 1);
  }

  GroupingShape shape_;
  unsigned warps_;
  WarpSlots slots_;
  std::vector<SplitHeap> heaps_;
  std::vector<std::uint64_t> age_;
  std::uint64_t next_age_ = 0;
};

HEDDLE_REGISTER(GroupingUnit, BranchInterweaving, "branch_interweaving",
                "the two lowest splits of a warp issue together, on disjoint lanes or different units",
                "docs/sources/branch-and-warp-interweaving.md 2.4");

}  // namespace heddle::sm
