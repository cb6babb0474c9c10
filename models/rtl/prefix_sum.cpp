// SPDX-License-Identifier: Apache-2.0
// The prefix-sum network as RTL, and in lockstep with the model.
#include "PrefixSumKs32.h"
#include "core/error.h"
#include "rtl/blocks.h"
#include "rtl/prefix_sum_rtl.h"

namespace heddle::rtl {

std::vector<PortValue> PrefixSumPorts::inputs(unsigned lanes, std::uint64_t predicates) {
  return {{"predicates", lanes, {predicates}}};
}

std::vector<PortValue> PrefixSumPorts::outputs(unsigned lanes, const isa::PrefixSums& sums) {
  // One byte per lane, easier to read than the bit planes of the hardware.
  std::vector<std::uint64_t> words((lanes + 7) / 8);
  for (unsigned lane = 0; lane < lanes; ++lane)
    words[lane / 8] |= std::uint64_t{sums.inclusive[lane]} << 8 * (lane % 8);
  return {{"inclusive", 8 * lanes, words}, {"total", 8, {sums.total}}};
}

namespace {

class RtlPrefixSumUnit final : public sm::PrefixSumUnit {
 public:
  RtlPrefixSumUnit(unsigned lanes, const sm::BlockSite& site) {
    if (lanes != 32)
      fail(ExitCode::configuration, "sm.blocks.prefix_sum: the RTL network has 32 lanes, this machine needs {}", lanes);
    unit_ = std::make_unique<PrefixSumRtl<PrefixSumKs32, 32>>(site);
  }
  isa::PrefixSums sum(std::uint64_t predicates) override { return unit_->sum(predicates); }

 private:
  std::unique_ptr<sm::PrefixSumUnit> unit_;
};

class LockstepPrefixSumUnit final : public PrefixSumLockstep {
 public:
  LockstepPrefixSumUnit(unsigned lanes, const sm::BlockSite& site)
      : PrefixSumLockstep(lanes, site, make(Mechanism<sm::PrefixSumUnit>("model"), lanes, site),
                          make(Mechanism<sm::PrefixSumUnit>("rtl"), lanes, site)) {}
};

}  // namespace

using sm::PrefixSumUnit;
HEDDLE_REGISTER(PrefixSumUnit, RtlPrefixSumUnit, "rtl", "the fast network of rtl/prefix_sum_ks.sv, Verilated",
                "docs/rtl.md");
HEDDLE_REGISTER(PrefixSumUnit, LockstepPrefixSumUnit, "lockstep",
                "model and RTL; the run ends at their first difference", "docs/rtl.md");

}  // namespace heddle::rtl
