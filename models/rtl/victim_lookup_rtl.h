// SPDX-License-Identifier: Apache-2.0
// A Verilated set of victim tags (rtl/victim_lookup.sv, of 48-bit tags) behind the model's interface.
#pragma once

#include <bit>

#include "rtl/ports.h"
#include "rtl/verilated_block.h"
#include "sm/blocks/block_site.h"
#include "sm/scheduling/locality/victim_set.h"

namespace heddle::rtl {

/// The tags of all ways as words of a port.
inline auto packed_tags(const sm::VictimSet& set) { return packed<sm::kVictimAddressBits>(set.tags); }

/// Lookup: the Verilated class; kWays and kLru: its parameters WAYS and LRU.
template <typename Lookup, unsigned kWays, bool kLru>
class VictimLookupRtl final : public sm::VictimLookup {
 public:
  explicit VictimLookupRtl(const sm::BlockSite& site)
      : signals_(site.services.probes, site.path + ".rtl", site.clock.whole().name()) {
    show(signals_, "insert", 1, "the last request writes the tag", lookup_->insert);
    show(signals_, "remove", 1, "it frees the way of the tag", lookup_->remove);
    show(signals_, "tag", kTagBits, "its tag", lookup_->tag);
    show(signals_, "tags", kWays * kTagBits, "tags of the set", lookup_->tags);
    show(signals_, "valid", kWays, "ways that hold a tag", lookup_->valid);
    show(signals_, "order", kOrderBits, "order of replacement", lookup_->order);
    show(signals_, "found", 1, "the tag was there", lookup_->found);
    show(signals_, "way", kWayBits, "where it was or is inserted", lookup_->way);
    show(signals_, "next_valid", kWays, "ways that hold a tag afterwards", lookup_->next_valid);
    show(signals_, "next_order", kOrderBits, "order of replacement afterwards", lookup_->next_order);
    lookup_->eval();
  }

  sm::VictimSetAnswer look_up(const sm::VictimSetRequest& request) override {
    using What = sm::VictimSetRequest::What;
    put(lookup_->insert, 0, request.what == What::insert);
    put(lookup_->remove, 0, request.what == What::remove);
    put64(lookup_->tag, 0, request.tag);
    const auto tags = packed_tags(request.set);
    for (unsigned w = 0; 64 * w < kWays * kTagBits; ++w) put64(lookup_->tags, w, tags[w]);
    put(lookup_->valid, 0, request.set.valid);
    put64(lookup_->order, 0, to_port(request.set.order));
    lookup_->eval();
    return {.found = lookup_->found != 0,
            .way = static_cast<std::uint8_t>(lookup_->way),
            .valid = static_cast<std::uint16_t>(lookup_->next_valid),
            .order = from_port(bits(lookup_->next_order, 0, kOrderBits))};
  }

 private:
  static constexpr unsigned kTagBits = sm::kVictimAddressBits;
  static constexpr unsigned kWayBits = kWays == 1 ? 1 : static_cast<unsigned>(std::bit_width(kWays - 1));
  static constexpr unsigned kOrderBits = kLru ? kWays * kWayBits : kWayBits;
  static constexpr unsigned kModelBits = 4;  ///< of a place in the model's order

  /// Fields of `from` bits as fields of `to` bits.
  static constexpr std::uint64_t fields(std::uint64_t order, unsigned from, unsigned to) {
    std::uint64_t result = 0;
    for (unsigned place = 0; place < kWays; ++place)
      result |= (order >> (from * place) & ((1u << kWayBits) - 1)) << (to * place);
    return result;
  }
  static constexpr std::uint64_t to_port(std::uint64_t order) {
    return kLru ? fields(order, kModelBits, kWayBits) : order;
  }
  static constexpr std::uint64_t from_port(std::uint64_t order) {
    return kLru ? fields(order, kWayBits, kModelBits) : order;
  }

  VerilatedBlock<Lookup> lookup_;
  ProbeGroup signals_;
};

}  // namespace heddle::rtl
