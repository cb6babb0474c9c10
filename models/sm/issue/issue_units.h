// SPDX-License-Identifier: Apache-2.0
// The execution units as the issue stage sees them: which unit executes an operation, which of its lanes are free, and
// whether its link has room. Contexts are sorted by the unit of their next instruction, so that a busy unit rules all
// of them out at once.
#pragma once

#include <array>

#include "core/kernel/link.h"
#include "sm/context_table.h"
#include "sm/pipeline/unit_occupancy.h"
#include "sm/sm_parameters.h"

namespace heddle::sm {

/// The issue stage's links to the operand stage, one per kind of unit.
struct UnitLinks {
  UnitLinks(ClockGate& gate, unsigned stage)
      : alu("to_alu", gate, stage),
        sfu("to_sfu", gate, stage),
        fp64("to_fp64", gate, stage),
        memory("to_memory", gate, stage) {}
  LinkOut<PacketHandle> alu, sfu, fp64, memory;
};

class IssueUnits {
 public:
  IssueUnits(const SmParameters& parameters, UnitLinks& links);

  /// The kind of unit that executes the operation: a substitute if the machine lacks the operation's own unit.
  isa::Unit unit_of(const isa::MicroOp& op) const { return map_[index(op.unit)]; }
  LinkOut<PacketHandle>& link(isa::Unit unit) { return *links_[index(unit)]; }
  /// Whether the waves of an earlier packet pass in cycle `now`, so that nothing else can issue. Only where all units
  /// are one pipeline.
  bool passing(Cycle now) const { return now < passing_until_; }
  /// A packet of so many waves issues.
  void pass(Cycle now, Cycle waves) {
    if (one_pipeline_) passing_until_ = now + waves;
  }
  /// Whether some lane of the unit is free in cycle `now` and its link has room.
  bool takes(isa::Unit unit, Cycle now) {
    if (passing(now)) return false;
    return unit == isa::Unit::control || (occupancy_.any_free(unit, now) && link(unit).can_send());
  }
  /// A unit instance with these lanes free; -1: none.
  int find(isa::Unit unit, const LaneMask& lanes, Cycle now) const {
    return unit == isa::Unit::control ? 0 : occupancy_.find(unit, lanes, now);
  }
  /// The same among the instances that are idle or whose pass begins in cycle `now`.
  int find_in_row(isa::Unit unit, const LaneMask& lanes, Cycle now) const {
    return unit == isa::Unit::control ? 0 : occupancy_.find_in_row(unit, lanes, now);
  }
  /// Whether an instance of the unit is idle in cycle `at`.
  bool idle(isa::Unit unit, Cycle at) const { return unit == isa::Unit::control || occupancy_.idle(unit, at); }
  void take(isa::Unit unit, int instance, const LaneMask& lanes, Cycle now, Cycle cycles) {
    occupancy_.take(unit, instance, lanes, now, cycles);
  }
  unsigned lanes(isa::Unit unit) const { return occupancy_.lanes(unit); }

  // -- contexts by the unit of their next instruction
  /// The next instruction of the contexts `some` of word w of a set, for none of which one was known.
  void next_is(std::size_t w, std::uint64_t some, const isa::MicroOp& op) {
    const std::size_t unit = index(unit_of(op));
    if (unit == kExecuting) return;
    add(waiting_for_[unit], w, some);
  }
  void next_unknown(std::size_t w, std::uint64_t some) {
    for (ContextSet& set : waiting_for_) {
      if (const std::uint64_t word = set.word(w); (word & some) != 0) set.put_word(w, word & ~some);
    }
  }
  /// Removes from `set` the contexts whose next instruction is for this unit, not Unit::control.
  void remove_waiting(ContextSet& set, isa::Unit unit) const { set -= waiting_for_[index(unit)]; }
  /// Removes from `set` the contexts whose unit accepts nothing in cycle `now`.
  void remove_blocked(ContextSet& set, Cycle now);
  /// The contexts in `ready` whose unit accepts nothing in cycle `now`.
  ContextSet blocked(const ContextSet& ready, Cycle now);
  /// Arranges a wake-up for when a unit again accepts a context in `ready`; calls wake(cycle) if the cycle is known.
  template <typename Wake>
  void wait_for(const ContextSet& ready, Cycle now, Wake&& wake) {
    if (passing(now)) {
      wake(passing_until_);
      return;
    }
    for (std::size_t u = 0; u < kExecuting; ++u) {
      const auto unit = static_cast<isa::Unit>(u);
      if (!ready.intersects(waiting_for_[u])) continue;
      if (!occupancy_.any_free(unit, now + 1)) {
        wake(occupancy_.free_at(unit));
      } else if (link(unit).can_send()) {
        wake(now + 1);
      } else {
        link(unit).wait_for_room();
      }
    }
  }

 private:
  static constexpr std::size_t index(isa::Unit unit) { return static_cast<std::size_t>(unit); }
  static constexpr std::size_t kExecuting = static_cast<std::size_t>(isa::Unit::control);
  static constexpr std::size_t kUnits = static_cast<std::size_t>(isa::Unit::count);

  std::array<isa::Unit, kUnits> map_{};
  std::array<LinkOut<PacketHandle>*, kUnits> links_{};
  UnitOccupancy occupancy_;
  const bool one_pipeline_;
  Cycle passing_until_ = 0;
  std::array<ContextSet, kExecuting> waiting_for_;
};

}  // namespace heddle::sm
