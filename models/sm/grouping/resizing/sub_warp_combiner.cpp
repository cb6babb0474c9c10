// SPDX-License-Identifier: Apache-2.0
#include "sm/grouping/resizing/sub_warp_combiner.h"

#include <algorithm>

#include "sm/blocks/block_site.h"

namespace heddle::sm {

namespace {

constexpr unsigned kShownThreads = 64;

}  // namespace

SubWarpCombiner::SubWarpCombiner(sc_core::sc_module_name module_name, SmSite& site, const MaskMergeShape& shape)
    : sc_module(module_name),
      calls("calls"),
      shape_(shape),
      block_(make(site.parameters.blocks.mask_merge, shape, block_site(site, "mask_merge"))),
      state_(site.services, site.path(basename()), site.domain()),
      selected_(state_.signals.pulse("selected", 9, "sub-warp that the scheduler has picked; the last one of a cycle")),
      members_(state_.signals.pulse("members", shape.partners, "partners that issue with it")),
      size_(state_.signals.pulse("warp_size", 4, "number of these")),
      mask_(state_.signals.pulse("mask", std::min(kShownThreads, shape.partners * shape.threads),
                                 "active threads of the large warp, of at most 64")) {
  calls.bind(*this);
  state_.signals.show(mask_, Radix::hexadecimal);
  Structure& compare =
      state_.structure("pc_compare", "comparison of the PCs of two partners", shape.partners, {{"equal", 32, 0, 0}});
  compare.added_by("sub_warp_combiner");
  compare.is_logic();
}

LargeWarp SubWarpCombiner::merge(const MergeRequest& request, unsigned first) {
  const LargeWarp warp = block_->merge(request);
  if (state_.signals.on()) show(request, first, warp);
  return warp;
}

void SubWarpCombiner::show(const MergeRequest& request, unsigned first, const LargeWarp& warp) {
  std::uint64_t mask = 0;
  for (unsigned partner = 0; partner < shape_.partners && partner * shape_.threads < kShownThreads; ++partner)
    mask |= std::uint64_t{warp.active[partner]} << (partner * shape_.threads);
  state_.signals.fire(selected_, first + request.selected);
  state_.signals.fire(members_, warp.members);
  state_.signals.fire(size_, warp.size());
  state_.signals.fire(mask_, mask);
}

}  // namespace heddle::sm
