// SPDX-License-Identifier: Apache-2.0
#include "sm/grouping/resizing/mask_merge.h"

#include "sm/blocks/block_site.h"

namespace heddle::sm {

LargeWarp merge_masks(const MergeRequest& request) {
  LargeWarp warp;
  for_each_partner(request.ready, [&](unsigned partner) {
    if (request.pcs[partner] != request.pcs[request.selected]) return;
    warp.members = static_cast<PartnerMask>(warp.members | 1u << partner);
    warp.active[partner] = request.active[partner];
  });
  return warp;
}

namespace {

class MaskMergeModel final : public MaskMerge {
 public:
  MaskMergeModel(const MaskMergeShape&, const BlockSite&) {}
  LargeWarp merge(const MergeRequest& request) override { return merge_masks(request); }
};

HEDDLE_REGISTER(MaskMerge, MaskMergeModel, "model", "the model's own logic", "docs/rtl.md");

}  // namespace

}  // namespace heddle::sm
