// SPDX-License-Identifier: Apache-2.0
// A Verilated lookup of the secondary scheduler (rtl/secondary_lookup.sv, of 64 lanes) behind the model's interface.
#pragma once

#include "rtl/ports.h"
#include "rtl/verilated_block.h"
#include "sm/blocks/block_site.h"
#include "sm/grouping/interweaving/secondary_lookup.h"

namespace heddle::rtl {

/// Lookup: the Verilated class; kWays: its parameter WAYS.
template <typename Lookup, unsigned kWays>
class SecondaryLookupRtl final : public sm::SecondaryLookup {
 public:
  explicit SecondaryLookupRtl(const sm::BlockSite& site)
      : signals_(site.services.probes, site.path + ".rtl", site.clock.whole().name()) {
    show(signals_, "ready", kWays, "ways that may issue, at the last request", lookup_->ready);
    show(signals_, "same_unit", kWays, "ways that need the unit of the primary instruction", lookup_->same_unit);
    show(signals_, "free", 64, "lanes without the primary instruction", lookup_->free);
    show(signals_, "first", kWayBits, "the way that wins ties", lookup_->first);
    show(signals_, "lanes", 64 * kWays, "lanes of each way", lookup_->lanes);
    show(signals_, "hits", kWays, "ways that fit", lookup_->hits);
    show(signals_, "best", kWayBits, "of these, the one with most lanes", lookup_->best);
    show(signals_, "any", 1, "some way fits", lookup_->any);
    lookup_->eval();
  }

  sm::LookupAnswer look_up(const sm::LookupRequest& request) override {
    constexpr std::uint64_t kAll = ~std::uint64_t{0} >> (64 - kWays);
    bool changed = put(lookup_->first, 0, request.first);
    changed |= put64(lookup_->ready, 0, request.ready & kAll);
    changed |= put64(lookup_->same_unit, 0, request.same_unit & kAll);
    changed |= put64(lookup_->free, 0, request.free);
    for (unsigned way = 0; way < kWays; ++way) changed |= put64(lookup_->lanes, way, request.lanes[way]);
    if (changed) {
      lookup_->eval();
      answer_ = {bits(lookup_->hits, 0, kWays), static_cast<unsigned>(bits(lookup_->best, 0, kWayBits))};
    }
    return answer_;
  }

 private:
  static constexpr unsigned kWayBits = static_cast<unsigned>(std::bit_width(kWays - 1));

  VerilatedBlock<Lookup> lookup_;
  ProbeGroup signals_;
  sm::LookupAnswer answer_;
};

}  // namespace heddle::rtl
