// SPDX-License-Identifier: Apache-2.0
// A Verilated sub-warp combiner (rtl/mask_merge.sv, of 32-bit program counters) behind the model's interface.
#pragma once

#include <bit>

#include "rtl/ports.h"
#include "rtl/verilated_block.h"
#include "sm/blocks/block_site.h"
#include "sm/grouping/resizing/mask_merge.h"

namespace heddle::rtl {

/// The masks of all partners, side by side. partners * threads: at most 64.
inline std::uint64_t side_by_side(const std::array<std::uint32_t, sm::kMaxPartners>& masks,
                                  const sm::MaskMergeShape& shape) {
  std::uint64_t all = 0;
  for (unsigned p = 0; p < shape.partners; ++p) {
    const std::uint64_t threads = (std::uint64_t{1} << shape.threads) - 1;
    all |= (masks[p] & threads) << (p * shape.threads);
  }
  return all;
}

/// Merge: the Verilated class; the numbers are its parameters PARTNERS and THREADS.
template <typename Merge, unsigned kPartners, unsigned kThreads>
class MaskMergeRtl final : public sm::MaskMerge {
 public:
  explicit MaskMergeRtl(const sm::BlockSite& site)
      : signals_(site.services.probes, site.path + ".rtl", site.clock.whole().name()) {
    show(signals_, "selected", static_cast<unsigned>(std::bit_width(kPartners - 1)),
         "partner that the scheduler has picked, at the last request", merge_->selected);
    show(signals_, "ready", kPartners, "partners that are ready to be combined", merge_->ready);
    show(signals_, "pcs", kPartners * 32, "their program counters", merge_->pcs);
    show(signals_, "active", kPartners * kThreads, "their active threads", merge_->active);
    show(signals_, "members", kPartners, "partners in the large warp", merge_->members);
    show(signals_, "mask", kPartners * kThreads, "its active threads", merge_->mask);
    show(signals_, "warp_size", static_cast<unsigned>(std::bit_width(kPartners)), "number of its members",
         merge_->warp_size);
    merge_->eval();
  }

  sm::LargeWarp merge(const sm::MergeRequest& request) override {
    put(merge_->selected, 0, request.selected);
    put(merge_->ready, 0, request.ready);
    for (unsigned p = 0; p < kPartners; ++p) put(merge_->pcs, p, request.pcs[p]);
    put64(merge_->active, 0, side_by_side(request.active, {kPartners, kThreads}));
    merge_->eval();
    sm::LargeWarp warp;
    warp.members = static_cast<sm::PartnerMask>(get(merge_->members, 0));
    for (unsigned p = 0; p < kPartners; ++p)
      warp.active[p] = static_cast<std::uint32_t>(bits(merge_->mask, p * kThreads, kThreads));
    return warp;
  }
  /// Output warp_size of the last request.
  unsigned warp_size() { return get(merge_->warp_size, 0); }

 private:
  VerilatedBlock<Merge> merge_;
  ProbeGroup signals_;
};

}  // namespace heddle::rtl
