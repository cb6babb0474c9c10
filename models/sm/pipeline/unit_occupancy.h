// SPDX-License-Identifier: Apache-2.0
// Tracks when lanes of a unit are free, per lane group rather than per unit, so that packets on disjoint lanes can
// share a pass. Logic only.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "core/bits.h"
#include "core/kernel/clock.h"
#include "isa/types.h"

namespace heddle::sm {

class UnitOccupancy {
 public:
  static constexpr unsigned kGroupLanes = 4;

  /// Declares a kind of unit. lanes: 1 .. 64 per instance; span: full width of a packet, which passes in waves if the
  /// unit is narrower.
  void add(isa::Unit unit, unsigned count, unsigned lanes, unsigned span) {
    units_[index(unit)].instances.assign(count, Instance{});
    units_[index(unit)].lanes = lanes;
    units_[index(unit)].span = span;
  }
  unsigned lanes(isa::Unit unit) const { return units_[index(unit)].lanes; }

  /// An instance whose `lanes` are free at `now`: idle, or in a pass that began at `now` on other lanes. -1: none.
  int find(isa::Unit unit, const LaneMask& lanes, Cycle now) const {
    const auto& kind = units_[index(unit)];
    for (std::size_t i = 0; i < kind.instances.size(); ++i) {
      if (kind.instances[i].free(lanes, now)) return static_cast<int>(i);
    }
    return -1;
  }
  /// The same, but not the lanes that a pass in progress has left free.
  int find_in_row(isa::Unit unit, const LaneMask& lanes, Cycle now) const {
    const auto& kind = units_[index(unit)];
    for (std::size_t i = 0; i < kind.instances.size(); ++i) {
      const Instance& one = kind.instances[i];
      if (one.busy_until <= now || (one.pass_at == now && !one.pass_lanes.intersects(lanes)))
        return static_cast<int>(i);
    }
    return -1;
  }
  /// Whether an instance is idle at `now`.
  bool idle(isa::Unit unit, Cycle now) const {
    const auto& kind = units_[index(unit)];
    return std::any_of(kind.instances.begin(), kind.instances.end(),
                       [now](const Instance& one) { return one.busy_until <= now; });
  }
  /// Whether any lane of any instance is free at `now`. Rules out a busy unit without examining candidates.
  bool any_free(isa::Unit unit, Cycle now) const {
    for (const Instance& instance : units_[index(unit)].instances) {
      if (instance.busy_until <= now || instance.pass_at == now || instance.partial) return true;
    }
    return false;
  }
  /// Next cycle in which an instance becomes free, if no lane is free now.
  Cycle free_at(isa::Unit unit) const {
    Cycle earliest = kNever;
    for (const Instance& instance : units_[index(unit)].instances) earliest = std::min(earliest, instance.busy_until);
    return earliest;
  }
  /// Occupies the lanes of an instance for `cycles` from `now`.
  void take(isa::Unit unit, int instance, const LaneMask& lanes, Cycle now, Cycle cycles) {
    units_[index(unit)].instances[static_cast<std::size_t>(instance)].take(lanes, now, cycles,
                                                                           units_[index(unit)].span);
  }
  /// Lanes of an instance in use at `now`, one bit per lane, in whole lane groups.
  std::uint64_t taken(isa::Unit unit, std::size_t instance, Cycle now) const {
    const Instance& one = units_[index(unit)].instances[instance];
    if (!one.partial) return one.busy_until > now ? LaneMask::first_n(units_[index(unit)].span).word(0) : 0;
    std::uint64_t lanes = 0;
    for (unsigned g = 0; g < one.until.size(); ++g) {
      if (one.until[g] > now) lanes |= ((std::uint64_t{1} << kGroupLanes) - 1) << (g * kGroupLanes);
    }
    return lanes;
  }

 private:
  struct alignas(64) Instance {
    Cycle busy_until = 0;    ///< latest of `until`
    Cycle pass_at = kNever;  ///< first cycle of the current pass
    LaneMask pass_lanes;     ///< lanes used in that pass
    bool partial = false;    ///< the pass left some lanes free
    // Last, because it is read only if a pass left lanes free.
    std::array<Cycle, 64 / kGroupLanes> until{};  ///< by lane group

    bool free(const LaneMask& lanes, Cycle now) const {
      if (busy_until <= now) return true;
      if (pass_at == now) return !pass_lanes.intersects(lanes);
      if (!partial) return false;
      bool all_free = true;
      for_each_group(lanes, [&](unsigned g) { all_free = all_free && until[g] <= now; });
      return all_free;
    }
    void take(const LaneMask& lanes, Cycle now, Cycle cycles, unsigned width) {
      if (pass_at != now) {
        pass_at = now;
        pass_lanes.clear();
      }
      pass_lanes |= lanes;
      if (busy_until < now + cycles) busy_until = now + cycles;
      const LaneMask whole = LaneMask::first_n(width);
      partial = !pass_lanes.contains(whole);
      // With all lanes taken, `until` is not read before the instance is idle.
      if (lanes.contains(whole)) return;
      for_each_group(lanes, [&](unsigned g) { until[g] = std::max(until[g], now + cycles); });
    }
    /// Calls visit(group) for each group with one of the lanes.
    template <typename Visit>
    static void for_each_group(const LaneMask& lanes, Visit&& visit) {
      for (std::uint64_t left = lanes.word(0); left != 0;) {
        const unsigned g = static_cast<unsigned>(std::countr_zero(left)) / kGroupLanes;
        left &= ~(((std::uint64_t{1} << kGroupLanes) - 1) << (g * kGroupLanes));
        visit(g);
      }
    }
  };
  struct Kind {
    std::vector<Instance> instances;
    unsigned lanes = 32, span = 32;
  };
  static std::size_t index(isa::Unit unit) { return static_cast<std::size_t>(unit); }
  std::array<Kind, static_cast<std::size_t>(isa::Unit::count)> units_;
};

}  // namespace heddle::sm
