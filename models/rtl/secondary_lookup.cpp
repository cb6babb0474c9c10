// SPDX-License-Identifier: Apache-2.0
// The lookup of the secondary scheduler as RTL, and in lockstep with the model.
#include "SecondaryLookup16.h"
#include "SecondaryLookup24.h"
#include "SecondaryLookup32.h"
#include "SecondaryLookup48.h"
#include "core/error.h"
#include "rtl/blocks.h"
#include "rtl/secondary_lookup_rtl.h"

namespace heddle::rtl {

std::vector<PortValue> SecondaryLookupPorts::inputs(const sm::LookupShape& shape, const sm::LookupRequest& request) {
  return {{"ready", shape.ways, {request.ready}},
          {"same_unit", shape.ways, {request.same_unit}},
          {"free", 64, {request.free}},
          {"first", static_cast<unsigned>(std::bit_width(shape.ways - 1)), {request.first}},
          {"lanes", 64 * shape.ways, {request.lanes.begin(), request.lanes.begin() + shape.ways}}};
}

std::vector<PortValue> SecondaryLookupPorts::outputs(const sm::LookupShape& shape, const sm::LookupAnswer& answer) {
  return {{"hits", shape.ways, {answer.hits}},
          {"best", static_cast<unsigned>(std::bit_width(shape.ways - 1)), {answer.best}}};
}

namespace {

std::unique_ptr<sm::SecondaryLookup> verilated(const sm::LookupShape& shape, const sm::BlockSite& site) {
  switch (shape.ways) {
    case 16:
      return std::make_unique<SecondaryLookupRtl<SecondaryLookup16, 16>>(site);
    case 24:
      return std::make_unique<SecondaryLookupRtl<SecondaryLookup24, 24>>(site);
    case 32:
      return std::make_unique<SecondaryLookupRtl<SecondaryLookup32, 32>>(site);
    case 48:
      return std::make_unique<SecondaryLookupRtl<SecondaryLookup48, 48>>(site);
    default:
      fail(ExitCode::configuration,
           "sm.blocks.secondary_lookup: there is RTL for 16, 24, 32 or 48 ways, this machine has {}", shape.ways);
  }
}

class RtlSecondaryLookup final : public sm::SecondaryLookup {
 public:
  RtlSecondaryLookup(const sm::LookupShape& shape, const sm::BlockSite& site) : unit_(verilated(shape, site)) {}
  sm::LookupAnswer look_up(const sm::LookupRequest& request) override { return unit_->look_up(request); }

 private:
  std::unique_ptr<sm::SecondaryLookup> unit_;
};

class LockstepSecondaryLookup final : public SecondaryLookupLockstep {
 public:
  LockstepSecondaryLookup(const sm::LookupShape& shape, const sm::BlockSite& site)
      : SecondaryLookupLockstep(shape, site, make(Mechanism<sm::SecondaryLookup>("model"), shape, site),
                                make(Mechanism<sm::SecondaryLookup>("rtl"), shape, site)) {}
};

}  // namespace

using sm::SecondaryLookup;
HEDDLE_REGISTER(SecondaryLookup, RtlSecondaryLookup, "rtl", "rtl/secondary_lookup.sv, Verilated", "docs/rtl.md");
HEDDLE_REGISTER(SecondaryLookup, LockstepSecondaryLookup, "lockstep",
                "model and RTL; the run ends at their first difference", "docs/rtl.md");

}  // namespace heddle::rtl
