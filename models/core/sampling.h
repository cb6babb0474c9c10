// SPDX-License-Identifier: Apache-2.0
// Connects clocks to those who watch: probes see the end of every cycle of a domain, a time series gets a row at the
// end of every interval.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/clock.h"
#include "core/probe.h"
#include "core/time_series.h"
#include "core/windows.h"

namespace heddle {

/// Time of an edge in picoseconds, rounded by the kernel's resolution.
std::uint64_t picoseconds_of(const ClockDomain& domain, Cycle cycle);

/// Lets `probes` sample at the end of the domain's cycles; probe groups name the domain by its ClockDomain::name().
/// Once a domain, before simulation starts, and only when somebody records: a domain that nobody watches is not slowed.
void sample_probes(ClockDomain& domain, Probes& probes);

/// Wakes a domain in the first and the last cycle of windows that are known before the run, so that a waveform shows
/// what holds in them though nothing happens there.
class WindowWaker final : public Clocked {
 public:
  /// windows: of the domain's cycles, in order of time.
  WindowWaker(ClockDomain& domain, const std::vector<CycleWindow>& windows);
  void tick() override;

 private:
  ClockDomain& domain_;
  std::vector<Cycle> ends_;  ///< to come, the next last
};

/// Adds a row to a series at the end of every interval of the domain, for which it wakes the domain. settle: brings
/// counters that count lazily up to the end of the present cycle. Construct after every module of the domain.
class SeriesSampler final : public Clocked {
 public:
  SeriesSampler(ClockDomain& domain, TimeSeries& series, std::function<void()> settle);
  void tick() override;

 private:
  ClockDomain& domain_;
  TimeSeries& series_;
};

}  // namespace heddle
