// SPDX-License-Identifier: Apache-2.0
// Connects clocks to observers: probes are sampled at the end of every cycle of a domain, and a time series gets a row
// at the end of every interval.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "core/kernel/clock.h"
#include "core/kernel/clock_gate.h"
#include "core/statistics/time_series.h"
#include "core/statistics/windows.h"
#include "core/trace/probe.h"

namespace heddle {

/// Time of an edge in picoseconds, rounded to the SystemC time resolution.
std::uint64_t picoseconds_of(const ClockDomain& domain, Cycle cycle);

/// Counts the cycles in which any of some modules was called.
class ModuleActivity {
 public:
  /// modules: of `domain`.
  ModuleActivity(ClockDomain& domain, std::vector<std::vector<const Clocked*>> modules);
  ModuleActivity(const ModuleActivity&) = delete;
  ModuleActivity& operator=(const ModuleActivity&) = delete;

  /// The count of the modules at this place; lives as long as this object.
  const std::uint64_t& cycles(std::size_t place) const { return counts_[place].cycles; }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Count {
    std::uint64_t cycles = 0;
    Cycle last = kNever;
  };
  void count(const std::vector<Clocked*>& called, Cycle now);

  std::vector<Count> counts_;
  std::vector<std::uint32_t> count_of_;  ///< by place of a module in the domain
};

/// Counts the cycles in which a stage or another module of some part may have changed what it shows: those in which it
/// was called, or something of the part was and it has a call pending, since who is sent something gets a call.
class StageActivity {
 public:
  /// What belongs to a gate, all of one domain.
  struct Part {
    const ClockGate* gate;
    std::vector<const Clocked*> others{};
  };
  StageActivity(ClockDomain& domain, std::vector<Part> parts);
  StageActivity(const StageActivity&) = delete;
  StageActivity& operator=(const StageActivity&) = delete;

  // Counts of a part, of the stage of a number, and of another module; they live as long as this object.
  const std::uint64_t& cycles(std::size_t part) const { return counts_[part].all; }
  const std::uint64_t& of_stage(std::size_t part, unsigned stage) const { return counts_[part].stages[stage]; }
  const std::uint64_t& of_other(std::size_t part, std::size_t other) const { return counts_[part].others[other]; }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Count {
    std::uint64_t all = 0;
    std::array<std::uint64_t, ClockGate::kMaxStages> stages{};
    std::vector<std::uint64_t> others;
    std::uint64_t called = 0;  ///< stages in the present cycle
    bool active = false;       ///< in it
  };
  /// Which part and which of its modules one is; the gate comes after the others.
  struct Place {
    std::uint32_t part = kNone, other = 0;
  };
  void count(const std::vector<Clocked*>& called);

  std::vector<Part> parts_;
  std::vector<Count> counts_;
  std::vector<Place> places_;  ///< by place of a module in the domain
  std::vector<std::uint32_t> active_;
};

/// Samples `probes` at the end of the domain's cycles; probe groups name the domain by its ClockDomain::name(). Call
/// once per domain, before simulation starts, and only when recording, as it slows the domain.
void sample_probes(ClockDomain& domain, Probes& probes);

/// Wakes a domain in the first and last cycle of windows known before the run, so that the waveform shows their state
/// even if the domain is idle.
class WindowWaker final : public Clocked {
 public:
  /// windows: in cycles of the domain, ascending.
  WindowWaker(ClockDomain& domain, const std::vector<CycleWindow>& windows);
  void tick() override;

 private:
  ClockDomain& domain_;
  std::vector<Cycle> ends_;  ///< still to come, in descending order
};

/// Wakes the domain at the end of every interval and adds a row to the series. settle: updates lazily maintained
/// counters to the end of the current cycle. Construct after all modules of the domain.
class SeriesSampler final : public Clocked {
 public:
  SeriesSampler(ClockDomain& domain, TimeSeries& series, std::function<void()> settle);
  void tick() override;

 private:
  ClockDomain& domain_;
  TimeSeries& series_;
};

}  // namespace heddle
