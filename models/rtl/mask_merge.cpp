// SPDX-License-Identifier: Apache-2.0
// The sub-warp combiner as RTL, and in lockstep with the model.
#include "MaskMerge2x8.h"
#include "MaskMerge4x16.h"
#include "MaskMerge4x8.h"
#include "MaskMerge8x8.h"
#include "core/config/mechanism.h"
#include "core/error.h"
#include "rtl/mask_merge_rtl.h"
#include "rtl/resizing_blocks.h"

namespace heddle::rtl {

std::vector<PortValue> MaskMergePorts::inputs(const sm::MaskMergeShape& shape, const sm::MergeRequest& request) {
  std::vector<std::uint64_t> pcs;
  for (unsigned p = 0; p < shape.partners; p += 2)
    pcs.push_back(request.pcs[p] | std::uint64_t{request.pcs[p + 1]} << 32);
  return {{"selected", static_cast<unsigned>(std::bit_width(shape.partners - 1)), {request.selected}},
          {"ready", shape.partners, {request.ready}},
          {"pcs", shape.partners * 32, pcs},
          {"active", shape.partners * shape.threads, {side_by_side(request.active, shape)}}};
}

std::vector<PortValue> MaskMergePorts::outputs(const sm::MaskMergeShape& shape, const sm::LargeWarp& warp) {
  return {{"members", shape.partners, {warp.members}},
          {"mask", shape.partners * shape.threads, {side_by_side(warp.active, shape)}}};
}

namespace {

std::unique_ptr<sm::MaskMerge> verilated(const sm::MaskMergeShape& shape, const sm::BlockSite& site) {
  const auto is = [&](unsigned partners, unsigned threads) {
    return shape.partners == partners && shape.threads == threads;
  };
  if (is(2, 8)) return std::make_unique<MaskMergeRtl<MaskMerge2x8, 2, 8>>(site);
  if (is(4, 8)) return std::make_unique<MaskMergeRtl<MaskMerge4x8, 4, 8>>(site);
  if (is(8, 8)) return std::make_unique<MaskMergeRtl<MaskMerge8x8, 8, 8>>(site);
  if (is(4, 16)) return std::make_unique<MaskMergeRtl<MaskMerge4x16, 4, 16>>(site);
  fail(ExitCode::configuration,
       "sm.blocks.mask_merge: there is RTL for 2, 4 or 8 partners of 8 threads and for 4 of 16; this machine has {} of "
       "{}",
       shape.partners, shape.threads);
}

class RtlMaskMerge final : public sm::MaskMerge {
 public:
  RtlMaskMerge(const sm::MaskMergeShape& shape, const sm::BlockSite& site) : unit_(verilated(shape, site)) {}
  sm::LargeWarp merge(const sm::MergeRequest& request) override { return unit_->merge(request); }

 private:
  std::unique_ptr<sm::MaskMerge> unit_;
};

class LockstepMaskMerge final : public MaskMergeLockstep {
 public:
  LockstepMaskMerge(const sm::MaskMergeShape& shape, const sm::BlockSite& site)
      : MaskMergeLockstep(shape, site, make(Mechanism<sm::MaskMerge>("model"), shape, site),
                          make(Mechanism<sm::MaskMerge>("rtl"), shape, site)) {}
};

}  // namespace

using sm::MaskMerge;
HEDDLE_REGISTER(MaskMerge, RtlMaskMerge, "rtl", "rtl/mask_merge.sv, Verilated", "docs/rtl.md");
HEDDLE_REGISTER(MaskMerge, LockstepMaskMerge, "lockstep", "model and RTL; the run ends at their first difference",
                "docs/rtl.md");

}  // namespace heddle::rtl
