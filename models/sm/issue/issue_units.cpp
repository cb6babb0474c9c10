// SPDX-License-Identifier: Apache-2.0
#include "sm/issue/issue_units.h"

namespace heddle::sm {

IssueUnits::IssueUnits(const SmParameters& p, UnitLinks& links) : one_pipeline_(p.single_pipeline) {
  links_.fill(&links.alu);
  links_[index(isa::Unit::sfu)] = &links.sfu;
  links_[index(isa::Unit::fp64)] = &links.fp64;
  links_[index(isa::Unit::memory)] = &links.memory;
  const auto add = [&](isa::Unit unit, const UnitParameters& kind) {
    // Operations whose kind of unit is missing go to the configured substitute.
    map_[index(unit)] = kind.count != 0          ? unit
                        : kind.instead == "sfu"  ? isa::Unit::sfu
                        : kind.instead == "fp64" ? isa::Unit::fp64
                                                 : isa::Unit::alu;
    if (kind.count != 0) occupancy_.add(unit, kind.count, kind.lanes, p.simd_width);
  };
  add(isa::Unit::alu, p.alu);
  add(isa::Unit::sfu, p.sfu);
  add(isa::Unit::fp64, p.fp64);
  map_[index(isa::Unit::memory)] = isa::Unit::memory;
  map_[index(isa::Unit::control)] = isa::Unit::control;
  occupancy_.add(isa::Unit::memory, 1, p.memory_lanes, p.simd_width);
}

void IssueUnits::remove_blocked(ContextSet& set, Cycle now) {
  if (passing(now)) {
    set.clear();
    return;
  }
  for (std::size_t u = 0; u < kExecuting; ++u) {
    if (set.intersects(waiting_for_[u]) && !takes(static_cast<isa::Unit>(u), now)) set -= waiting_for_[u];
  }
}

ContextSet IssueUnits::blocked(const ContextSet& ready, Cycle now) {
  if (passing(now)) return ready;
  ContextSet set;
  for (std::size_t u = 0; u < kExecuting; ++u) {
    if (ready.intersects(waiting_for_[u]) && !takes(static_cast<isa::Unit>(u), now)) set |= waiting_for_[u] & ready;
  }
  return set;
}

}  // namespace heddle::sm
