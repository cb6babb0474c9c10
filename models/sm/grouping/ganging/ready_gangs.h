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

  /// Units for which gangs wait, one bit each.
  unsigned waited_for() const { return waited_for_; }
  /// Entries of the gang table that wait for nothing but this unit.
  const GangSet& waiting_for(isa::Unit unit) const { return by_unit_[static_cast<std::size_t>(unit)]; }
  /// Slices with a warp of a gang that waits for nothing but one of these units, one bit each.
  SliceMask slices(unsigned units) const;

 private:
  /// slices(), for all units.
  SliceMask all_slices() const;
  /// Forgets the gangs of a set.
  void forget(unsigned set);
  /// Finds the gangs of a set of which all warps are on these slices; returns the slices of these gangs.
  SliceMask find(IssueKit& kit, unsigned set, SliceMask here, GangCandidates& candidates);

  const WarpGangingUnit& unit_;
  ContextSet seen_;
  std::array<SliceMask, kMaxGangSets> slices_{};  ///< by set: slices of its gangs that wait for a unit
  static constexpr std::size_t kUnits = static_cast<std::size_t>(isa::Unit::count);
  std::array<std::uint8_t, kMaxGangSets> units_{};  ///< by set: units that its gangs wait for, one bit each
  std::array<GangSet, kUnits> by_unit_;
  std::array<unsigned, kUnits> sets_{};  ///< by unit: sets with a gang that waits for it
  unsigned waited_for_ = 0;              ///< units with such a set, one bit each
};

}  // namespace heddle::sm
