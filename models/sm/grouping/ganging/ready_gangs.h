// SPDX-License-Identifier: Apache-2.0
// The gangs whose warps could all issue, by the unit that they wait for. They are kept from cycle to cycle: only sets
// of the gang table in which something changed are looked at again.
#pragma once

#include <array>

#include "sm/grouping/ganging/warp_ganging_unit.h"

namespace heddle::sm {

class ReadyGangs {
 public:
  explicit ReadyGangs(const WarpGangingUnit& unit) : unit_(unit) {}

  /// ready: warps that could issue. changed: sets whose gangs, or the instructions of whose warps, may have changed
  /// since the last call. Fills in kind and PC of the entries that are ready now and were not.
  void update(IssueKit& kit, const ContextSet& ready, std::uint64_t changed, GangCandidates& candidates);

  /// Entries of the gang table that wait for nothing but this unit.
  const GangSet& waiting_for(isa::Unit unit) const { return by_unit_[static_cast<std::size_t>(unit)]; }
  /// Their warps.
  const ContextSet& members() const { return members_; }

 private:
  const WarpGangingUnit& unit_;
  ContextSet seen_, members_;
  std::array<std::uint8_t, kMaxGangSets> units_{};  ///< by set: units that its gangs wait for, one bit each
  std::array<GangSet, static_cast<std::size_t>(isa::Unit::count)> by_unit_;
};

}  // namespace heddle::sm
