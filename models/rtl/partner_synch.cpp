// SPDX-License-Identifier: Apache-2.0
// The partner-synch table as RTL, and in lockstep with the model.
#include "PartnerSynch16x8.h"
#include "PartnerSynch24x4.h"
#include "PartnerSynch32x4.h"
#include "PartnerSynch64x2.h"
#include "core/config/mechanism.h"
#include "core/error.h"
#include "rtl/partner_synch_rtl.h"
#include "rtl/resizing_blocks.h"

namespace heddle::rtl {

std::vector<PortValue> PartnerSynchPorts::inputs(const sm::PartnerSynchShape& shape,
                                                 const sm::PartnerSynchRequest& request) {
  return {{"group", static_cast<unsigned>(std::bit_width(shape.groups - 1)), {request.group}},
          {"arrives", 1, {request.arrives}},
          {"partner", static_cast<unsigned>(std::bit_width(shape.partners - 1)), {request.partner}},
          {"pc", 32, {request.pc}},
          {"others", shape.partners, {request.others}}};
}

std::vector<PortValue> PartnerSynchPorts::outputs(const sm::PartnerSynchShape& shape,
                                                  const sm::PartnerSynchAnswer& answer) {
  return {{"mismatch", 1, {answer.mismatch}},
          {"releases", 1, {answer.release}},
          {"locked", shape.partners, {answer.locked}},
          {"first_pc", 32, {answer.pc}}};
}

namespace {

std::unique_ptr<sm::PartnerSynch> verilated(const sm::PartnerSynchShape& shape, const sm::BlockSite& site) {
  const auto is = [&](unsigned groups, unsigned partners) {
    return shape.groups == groups && shape.partners == partners;
  };
  if (is(16, 8)) return std::make_unique<PartnerSynchRtl<PartnerSynch16x8, 16, 8>>(site);
  if (is(24, 4)) return std::make_unique<PartnerSynchRtl<PartnerSynch24x4, 24, 4>>(site);
  if (is(32, 4)) return std::make_unique<PartnerSynchRtl<PartnerSynch32x4, 32, 4>>(site);
  if (is(64, 2)) return std::make_unique<PartnerSynchRtl<PartnerSynch64x2, 64, 2>>(site);
  fail(
      ExitCode::configuration,
      "sm.blocks.partner_synch: there is RTL for 16 groups of 8 partners, 24 or 32 of 4, and 64 of 2; this machine has "
      "{} of {}",
      shape.groups, shape.partners);
}

class RtlPartnerSynch final : public sm::PartnerSynch {
 public:
  RtlPartnerSynch(const sm::PartnerSynchShape& shape, const sm::BlockSite& site) : unit_(verilated(shape, site)) {}
  sm::PartnerSynchAnswer update(const sm::PartnerSynchRequest& request) override { return unit_->update(request); }

 private:
  std::unique_ptr<sm::PartnerSynch> unit_;
};

class LockstepPartnerSynch final : public PartnerSynchLockstep {
 public:
  LockstepPartnerSynch(const sm::PartnerSynchShape& shape, const sm::BlockSite& site)
      : PartnerSynchLockstep(shape, site, make(Mechanism<sm::PartnerSynch>("model"), shape, site),
                             make(Mechanism<sm::PartnerSynch>("rtl"), shape, site)) {}
};

}  // namespace

using sm::PartnerSynch;
HEDDLE_REGISTER(PartnerSynch, RtlPartnerSynch, "rtl", "rtl/partner_synch.sv, Verilated", "docs/rtl.md");
HEDDLE_REGISTER(PartnerSynch, LockstepPartnerSynch, "lockstep", "model and RTL; the run ends at their first difference",
                "docs/rtl.md");

}  // namespace heddle::rtl
