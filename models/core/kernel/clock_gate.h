// SPDX-License-Identifier: Apache-2.0
// The clock gate of one SM: calls the cycle() of the stages whose wake bit is set, and leaves the clock when none is.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/kernel/clock.h"

namespace heddle {

class Stage;

class ClockGate final : public Clocked {
 public:
  static constexpr unsigned kMaxStages = 64;

  explicit ClockGate(ClockDomain& domain) : domain_(domain) { domain.add(*this); }

  /// Stage number for wake(): 0 .. 63. Stages run in ascending number within a cycle, unless permuted.
  unsigned add(Stage& stage);
  /// Sets the stage's bit for cycle `at`; the present or past mean the next cycle.
  void wake(unsigned stage, Cycle at) {
    if (!ticking_) {
      wake_from_outside(stage, at);
      return;
    }
    // tick() sees what its own stages ask for.
    const Cycle next = domain_.now() + 1;
    set(stage, at < next ? next : at);
  }
  ClockDomain& domain() { return domain_; }
  Cycle now() const { return domain_.now(); }
  void tick() override;
  /// For observers, at the end of a cycle: the stages that were called when the gate last was, a bit for each number,
  /// and those that have a call pending.
  std::uint64_t called() const { return called_; }
  std::uint64_t pending() const;
  void permute_calls(std::uint64_t seed) { permutation_seed_ = seed; }
  /// Gating test: when off, every stage is called whenever the gate is.
  void set_gating(bool on) { gating_ = on; }

 private:
  static constexpr Cycle kHorizon = 64;
  struct Far {
    Cycle at;
    unsigned stage;
  };
  void set(unsigned stage, Cycle at) {
    if (at - domain_.now() < kHorizon) {
      near_[at % kHorizon] |= std::uint64_t{1} << stage;
      occupied_ |= std::uint64_t{1} << (at % kHorizon);
    } else {
      wake_far(stage, at);
    }
  }
  void wake_from_outside(unsigned stage, Cycle at);
  void wake_far(unsigned stage, Cycle at);

  ClockDomain& domain_;
  std::vector<Stage*> stages_;
  std::array<std::uint64_t, kHorizon> near_{};  ///< wake words by cycle modulo the horizon
  std::uint64_t occupied_ = 0;                  ///< one bit a non-empty wake word
  std::vector<Far> far_;                        ///< few: time-outs and long waits
  std::uint64_t called_ = 0;
  std::uint64_t permutation_seed_ = 0;
  bool gating_ = true;
  bool ticking_ = false;  ///< its stages are being called
};

/// A pipeline stage: a module whose cycle() the gate calls when its wake bit is set.
class Stage : public sc_core::sc_module {
 public:
  virtual void cycle() = 0;
  unsigned stage_number() const { return stage_number_; }

 protected:
  Stage(const sc_core::sc_module_name& name, ClockGate& clock_gate)
      : sc_module(name), gate_(clock_gate), stage_number_(clock_gate.add(*this)) {}
  ClockGate& gate() const { return gate_; }
  Cycle now() const { return gate_.now(); }
  void wake(Cycle at) { gate_.wake(stage_number_, at); }

 private:
  ClockGate& gate_;
  unsigned stage_number_;
};

}  // namespace heddle
