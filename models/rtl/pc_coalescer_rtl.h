// SPDX-License-Identifier: Apache-2.0
// A Verilated partition of a gang (rtl/pc_coalescer.sv, of 40-bit program counters) behind the model's interface.
#pragma once

#include "rtl/ports.h"
#include "rtl/verilated_block.h"
#include "sm/blocks/block_site.h"
#include "sm/grouping/ganging/pc_coalescer.h"

namespace heddle::rtl {

/// The program counters of all slices as words of a port.
inline auto packed_pcs(const sm::CoalescePcs& request) { return packed<sm::kGangPcBits>(request.pcs); }

/// Coalescer: the Verilated class; kSlices: its parameter SLICES.
template <typename Coalescer, unsigned kSlices>
class PcCoalescerRtl final : public sm::PcCoalescer {
 public:
  explicit PcCoalescerRtl(const sm::BlockSite& site)
      : signals_(site.services.probes, site.path + ".rtl", site.clock.whole().name()) {
    show(signals_, "members", kSlices, "warps compared at the last request", coalescer_->members);
    show(signals_, "pcs", kPcBits, "their program counters", coalescer_->pcs);
    show(signals_, "gangs", kGangs * kSlices, "groups of two warps or more", coalescer_->gangs);
    show(signals_, "singles", kSlices, "warps alone at their program counter", coalescer_->singles);
    coalescer_->eval();
  }

  sm::PcGroups partition(const sm::CoalescePcs& request) override {
    bool changed = put(coalescer_->members, 0, request.members & ((1u << kSlices) - 1));
    const auto pcs = packed_pcs(request);
    for (unsigned w = 0; 64 * w < kPcBits; ++w) changed |= put64(coalescer_->pcs, w, pcs[w]);
    if (changed) {
      coalescer_->eval();
      for (unsigned k = 0; k < kGangs; ++k)
        groups_.gangs[k] = static_cast<sm::SliceMask>(bits(coalescer_->gangs, k * kSlices, kSlices));
      groups_.singles = static_cast<sm::SliceMask>(bits(coalescer_->singles, 0, kSlices));
    }
    return groups_;
  }

 private:
  static constexpr unsigned kPcBits = kSlices * sm::kGangPcBits, kGangs = kSlices / 2;

  VerilatedBlock<Coalescer> coalescer_;
  ProbeGroup signals_;
  sm::PcGroups groups_;
};

}  // namespace heddle::rtl
