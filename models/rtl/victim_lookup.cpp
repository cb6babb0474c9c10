// SPDX-License-Identifier: Apache-2.0
// A set of victim tags as RTL, and in lockstep with the model.
#include "VictimLookup1.h"
#include "VictimLookup16.h"
#include "VictimLookup2.h"
#include "VictimLookup4.h"
#include "VictimLookup8.h"
#include "VictimLookupLru8.h"
#include "core/error.h"
#include "rtl/blocks.h"
#include "rtl/victim_lookup_rtl.h"

namespace heddle::rtl {

namespace {

/// One hexadecimal digit per place, easier to read than the fields of the hardware.
unsigned order_digits(const sm::VictimSetShape& shape) {
  return shape.replacement == sm::VictimReplacement::lru ? shape.ways : 1;
}

}  // namespace

std::vector<PortValue> VictimLookupPorts::inputs(const sm::VictimSetShape& shape, const sm::VictimSetRequest& request) {
  using What = sm::VictimSetRequest::What;
  const unsigned tag_bits = shape.ways * sm::kVictimAddressBits;
  return {{"insert", 1, {request.what == What::insert}},
          {"remove", 1, {request.what == What::remove}},
          {"tag", sm::kVictimAddressBits, {request.tag}},
          {"tags", tag_bits, first_words(packed_tags(request.set), tag_bits)},
          {"valid", shape.ways, {request.set.valid}},
          {"order", 4 * order_digits(shape), {request.set.order}}};
}

std::vector<PortValue> VictimLookupPorts::outputs(const sm::VictimSetShape& shape, const sm::VictimSetAnswer& answer) {
  return {{"found", 1, {answer.found}},
          {"way", 4, {answer.way}},
          {"next_valid", shape.ways, {answer.valid}},
          {"next_order", 4 * order_digits(shape), {answer.order}}};
}

namespace {

std::unique_ptr<sm::VictimLookup> verilated(const sm::VictimSetShape& shape, const sm::BlockSite& site) {
  if (shape.replacement == sm::VictimReplacement::lru) {
    if (shape.ways == 8) return std::make_unique<VictimLookupRtl<VictimLookupLru8, 8, true>>(site);
  } else {
    switch (shape.ways) {
      case 1:
        return std::make_unique<VictimLookupRtl<VictimLookup1, 1, false>>(site);
      case 2:
        return std::make_unique<VictimLookupRtl<VictimLookup2, 2, false>>(site);
      case 4:
        return std::make_unique<VictimLookupRtl<VictimLookup4, 4, false>>(site);
      case 8:
        return std::make_unique<VictimLookupRtl<VictimLookup8, 8, false>>(site);
      case 16:
        return std::make_unique<VictimLookupRtl<VictimLookup16, 16, false>>(site);
      default:
        break;
    }
  }
  fail(ExitCode::configuration,
       "sm.blocks.victim_lookup: there is RTL for 1, 2, 4, 8 or 16 ways with 'fifo' and for 8 with 'lru'; this machine "
       "has {} with '{}'",
       shape.ways, shape.replacement == sm::VictimReplacement::lru ? "lru" : "fifo");
}

class RtlVictimLookup final : public sm::VictimLookup {
 public:
  RtlVictimLookup(const sm::VictimSetShape& shape, const sm::BlockSite& site) : unit_(verilated(shape, site)) {}
  sm::VictimSetAnswer look_up(const sm::VictimSetRequest& request) override { return unit_->look_up(request); }

 private:
  std::unique_ptr<sm::VictimLookup> unit_;
};

class LockstepVictimLookup final : public VictimLookupLockstep {
 public:
  LockstepVictimLookup(const sm::VictimSetShape& shape, const sm::BlockSite& site)
      : VictimLookupLockstep(shape, site, make(Mechanism<sm::VictimLookup>("model"), shape, site),
                             make(Mechanism<sm::VictimLookup>("rtl"), shape, site)) {}
};

}  // namespace

using sm::VictimLookup;
HEDDLE_REGISTER(VictimLookup, RtlVictimLookup, "rtl", "rtl/victim_lookup.sv, Verilated", "docs/rtl.md");
HEDDLE_REGISTER(VictimLookup, LockstepVictimLookup, "lockstep", "model and RTL; the run ends at their first difference",
                "docs/rtl.md");

}  // namespace heddle::rtl
