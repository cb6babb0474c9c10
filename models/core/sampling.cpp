// SPDX-License-Identifier: Apache-2.0
#include "core/sampling.h"

#include <utility>

namespace heddle {

std::uint64_t picoseconds_of(const ClockDomain& domain, Cycle cycle) {
  static const auto picosecond = sc_core::sc_time(1, sc_core::SC_PS).value();
  return domain.time_of(cycle).value() / picosecond;
}

void sample_probes(ClockDomain& domain, Probes& probes) {
  domain.on_every_cycle([&domain, &probes](Cycle cycle) {
    if (!probes.attached()) return;
    probes.sample({domain.name(), cycle, picoseconds_of(domain, cycle), picoseconds_of(domain, cycle + 1)});
  });
}

SeriesSampler::SeriesSampler(ClockDomain& domain, TimeSeries& series, std::function<void()> settle)
    : domain_(domain), series_(series) {
  domain.add(*this);
  domain.wake(*this, series.due());
  // Modules of the last cycle of an interval may run after this one: the row is taken when all have.
  domain.on_every_cycle([this, settle = std::move(settle)](Cycle cycle) {
    if (cycle < series_.due()) return;
    settle();
    series_.sample(cycle);
  });
}

void SeriesSampler::tick() {
  domain_.wake(*this, domain_.now() < series_.due() ? series_.due() : series_.due() + series_.every());
}

}  // namespace heddle
