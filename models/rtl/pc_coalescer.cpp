// SPDX-License-Identifier: Apache-2.0
// The partition of a gang by program counter as RTL, and in lockstep with the model.
#include "PcCoalescer4.h"
#include "PcCoalescer8.h"
#include "core/error.h"
#include "rtl/blocks.h"
#include "rtl/pc_coalescer_rtl.h"

namespace heddle::rtl {

std::vector<PortValue> PcCoalescerPorts::inputs(const sm::PcCoalescerShape& shape, const sm::CoalescePcs& request) {
  const unsigned pc_bits = shape.slices * sm::kGangPcBits;
  return {{"members", shape.slices, {request.members}}, {"pcs", pc_bits, first_words(packed_pcs(request), pc_bits)}};
}

std::vector<PortValue> PcCoalescerPorts::outputs(const sm::PcCoalescerShape& shape, const sm::PcGroups& groups) {
  std::uint64_t gangs = 0;
  for (unsigned k = 0; k < shape.slices / 2; ++k) gangs |= std::uint64_t{groups.gangs[k]} << (k * shape.slices);
  return {{"gangs", shape.slices / 2 * shape.slices, {gangs}}, {"singles", shape.slices, {groups.singles}}};
}

namespace {

std::unique_ptr<sm::PcCoalescer> verilated(const sm::PcCoalescerShape& shape, const sm::BlockSite& site) {
  switch (shape.slices) {
    case 4:
      return std::make_unique<PcCoalescerRtl<PcCoalescer4, 4>>(site);
    case 8:
      return std::make_unique<PcCoalescerRtl<PcCoalescer8, 8>>(site);
    default:
      fail(ExitCode::configuration, "sm.blocks.pc_coalescer: there is RTL for 4 or 8 slices, this machine has {}",
           shape.slices);
  }
}

class RtlPcCoalescer final : public sm::PcCoalescer {
 public:
  RtlPcCoalescer(const sm::PcCoalescerShape& shape, const sm::BlockSite& site) : unit_(verilated(shape, site)) {}
  sm::PcGroups partition(const sm::CoalescePcs& request) override { return unit_->partition(request); }

 private:
  std::unique_ptr<sm::PcCoalescer> unit_;
};

class LockstepPcCoalescer final : public PcCoalescerLockstep {
 public:
  LockstepPcCoalescer(const sm::PcCoalescerShape& shape, const sm::BlockSite& site)
      : PcCoalescerLockstep(shape, site, make(Mechanism<sm::PcCoalescer>("model"), shape, site),
                            make(Mechanism<sm::PcCoalescer>("rtl"), shape, site)) {}
};

}  // namespace

using sm::PcCoalescer;
HEDDLE_REGISTER(PcCoalescer, RtlPcCoalescer, "rtl", "rtl/pc_coalescer.sv, Verilated", "docs/rtl.md");
HEDDLE_REGISTER(PcCoalescer, LockstepPcCoalescer, "lockstep", "model and RTL; the run ends at their first difference",
                "docs/rtl.md");

}  // namespace heddle::rtl
