// SPDX-License-Identifier: Apache-2.0
#include "sm/issue/companies.h"

#include <bit>

namespace heddle::sm {

Companies::Companies(const SmContext& sm, const IssueUnits& units, const PacketTiming& timing, IssueAccount& account)
    : sm_(sm), units_(units), timing_(timing), account_(account) {
  for (const isa::Unit unit : {isa::Unit::alu, isa::Unit::sfu, isa::Unit::fp64})
    joins_[static_cast<std::size_t>(unit)] = timing.takes_companies() && passes_freely(unit);
  // A branch goes nowhere, and the members of an access part before they leave.
  for (const isa::Unit unit : {isa::Unit::control, isa::Unit::memory})
    joins_[static_cast<std::size_t>(unit)] = timing.takes_companies();
}

bool Companies::passes_freely(isa::Unit unit) const {
  const SmParameters& p = sm_.parameters;
  const UnitParameters& of = unit == isa::Unit::sfu ? p.sfu : unit == isa::Unit::fp64 ? p.fp64 : p.alu;
  // A unit takes what its issue has found free lanes for, so packets can only wait for a bank or a collector.
  return p.operands.banks == 0 && of.collectors >= sm_.issue_width * (p.operands.latency + 1);
}

void Companies::charge_each(const PacketPlan& plan, CauseId cause) {
  for_each_member(plan.company, [&](unsigned i) {
    const IssueSlot slot(plan.slot + i);
    account_.charge(slot, cause);
    account_.issued_threads(slot, static_cast<std::uint32_t>(std::popcount(timing_.threads_of(plan.threads, i))));
  });
}

}  // namespace heddle::sm
