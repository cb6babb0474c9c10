// SPDX-License-Identifier: Apache-2.0
// Narrow warps on independent slices of the datapath: each slice has its own issue slot, and a warp stays on its slice.
// Memory instructions that issue in the same cycle, on any slices, form one access group. Each warp handles divergence
// by its own stack. Source: docs/sources/variable-warp-size.md, 2.2, 2.3 and 2.9.
#include "sm/grouping/reconvergence_stack.h"

namespace heddle::sm {

class SlicedWarps final : public StackWarps {
 public:
  // A granule is one warp per slice, so that thread 0 of a block is on slice 0 and consecutive warps on consecutive
  // slices.
  static GroupingTraits traits(const GroupingShape& shape) {
    return {.contexts = shape.threads / shape.warp_size, .granule = shape.simd_width, .span = shape.warp_size};
  }
  SlicedWarps(const GroupingShape& shape, ContextTable& table) : StackWarps(distinct(shape, 1), table, traits(shape)) {
    if (shape.issue_slots * shape.warp_size != shape.simd_width) {
      fail(ExitCode::configuration,
           "sm.grouping sliced_warps: schedulers ({}) times warp_size ({}) must be the SIMD width ({}): one issue slot "
           "per slice",
           shape.issue_slots, shape.warp_size, shape.simd_width);
    }
  }

  std::unique_ptr<IssueScheme> make_scheme() override { return std::make_unique<IndependentSlots>(members_, true); }
  std::string name() const override { return "sliced_warps"; }
  LanePlan lanes(ContextId context, const isa::MicroOp&, const ThreadSet&) const override {
    LaneMask lanes;
    const unsigned slice = context % shape_.issue_slots;
    lanes.set_word(0, LaneMask::first_n(shape_.warp_size).word(0) << (slice * shape_.warp_size));
    return {lanes, 1};
  }
};

HEDDLE_REGISTER(GroupingUnit, SlicedWarps, "sliced_warps",
                "narrow warps on independent slices; memory instructions issued in one cycle coalesce together",
                "docs/sources/variable-warp-size.md 2.2, 2.9");

}  // namespace heddle::sm
