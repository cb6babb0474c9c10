// SPDX-License-Identifier: Apache-2.0
// A Verilated prefix-sum network (rtl/prefix_sum_ks.sv, rtl/prefix_sum_wf.sv: same ports) behind the model's interface.
#pragma once

#include "rtl/ports.h"
#include "rtl/verilated_block.h"
#include "sm/blocks/block_site.h"
#include "sm/prefix_sum/prefix_sum_unit.h"

namespace heddle::rtl {

/// Network: the Verilated class; kLanes: its parameter LANES.
template <typename Network, unsigned kLanes>
class PrefixSumRtl final : public sm::PrefixSumUnit {
 public:
  explicit PrefixSumRtl(const sm::BlockSite& site)
      : signals_(site.services.probes, site.path + ".rtl", site.clock.whole().name()) {
    show(signals_, "predicates", kLanes, "predicates summed last", network_->predicates);
    show(signals_, "inclusive", kBits * kLanes, "inclusive prefix sum of each lane, in bit planes",
         network_->inclusive);
    show(signals_, "total", kBits, "sum of all lanes", network_->total);
    network_->eval();
  }

  isa::PrefixSums sum(std::uint64_t predicates) override {
    if constexpr (kLanes < 64) predicates &= (std::uint64_t{1} << kLanes) - 1;
    bool changed = put(network_->predicates, 0, static_cast<std::uint32_t>(predicates));
    if constexpr (kLanes > 32) changed |= put(network_->predicates, 1, static_cast<std::uint32_t>(predicates >> 32));
    if (changed) {
      network_->eval();
      read();
    }
    return sums_;
  }

 private:
  static constexpr unsigned kBits = static_cast<unsigned>(std::bit_width(kLanes));

  void read() {
    sums_.inclusive.fill(0);
    for (unsigned b = 0; b < kBits; ++b) {
      const std::uint64_t plane = bits(network_->inclusive, b * kLanes, kLanes);
      for (unsigned lane = 0; lane < kLanes; ++lane)
        sums_.inclusive[lane] = static_cast<std::uint8_t>(sums_.inclusive[lane] | (plane >> lane & 1) << b);
    }
    sums_.total = static_cast<std::uint8_t>(network_->total);
    for (unsigned lane = kLanes; lane < isa::kMaxPrefixLanes; ++lane) sums_.inclusive[lane] = sums_.total;
  }

  VerilatedBlock<Network> network_;
  ProbeGroup signals_;
  isa::PrefixSums sums_;
};

}  // namespace heddle::rtl
