// SPDX-License-Identifier: Apache-2.0
#include "core/statistics/sampling.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace heddle {

std::uint64_t picoseconds_of(const ClockDomain& domain, Cycle cycle) {
  static const auto picosecond = sc_core::sc_time(1, sc_core::SC_PS).value();
  return domain.time_of(cycle).value() / picosecond;
}

ModuleActivity::ModuleActivity(ClockDomain& domain, std::vector<std::vector<const Clocked*>> modules)
    : counts_(modules.size()) {
  for (std::uint32_t i = 0; i < modules.size(); ++i) {
    for (const Clocked* module : modules[i]) {
      if (module->place() >= count_of_.size()) count_of_.resize(module->place() + 1, kNone);
      count_of_[module->place()] = i;
    }
  }
  domain.on_every_cycle([this, &domain](Cycle now) { count(domain.called(), now); });
}

void ModuleActivity::count(const std::vector<Clocked*>& called, Cycle now) {
  for (const Clocked* module : called) {
    const std::uint32_t which = module->place() < count_of_.size() ? count_of_[module->place()] : kNone;
    if (which == kNone || counts_[which].last == now) continue;
    counts_[which].last = now;
    ++counts_[which].cycles;
  }
}

StageActivity::StageActivity(ClockDomain& domain, std::vector<Part> parts)
    : parts_(std::move(parts)), counts_(parts_.size()) {
  const auto place = [this](const Clocked& module, Place of) {
    if (module.place() >= places_.size()) places_.resize(module.place() + 1);
    places_[module.place()] = of;
  };
  for (std::uint32_t i = 0; i < parts_.size(); ++i) {
    const std::vector<const Clocked*>& others = parts_[i].others;
    counts_[i].others.resize(others.size());
    for (std::uint32_t k = 0; k < others.size(); ++k) place(*others[k], {i, k});
    place(*parts_[i].gate, {i, static_cast<std::uint32_t>(others.size())});
  }
  domain.on_every_cycle([this, &domain](Cycle) { count(domain.called()); });
}

void StageActivity::count(const std::vector<Clocked*>& called) {
  active_.clear();
  for (const Clocked* module : called) {
    if (module->place() >= places_.size() || places_[module->place()].part == kNone) continue;
    const Place at = places_[module->place()];
    Count& count = counts_[at.part];
    if (!std::exchange(count.active, true)) active_.push_back(at.part);
    if (at.other == count.others.size()) {
      count.called = parts_[at.part].gate->called();
    } else {
      // What is pending is counted below.
      if (!module->pending()) ++count.others[at.other];
    }
  }
  for (const std::uint32_t i : active_) {
    Count& count = counts_[i];
    const Part& part = parts_[i];
    count.active = false;
    ++count.all;
    for (std::uint64_t rest = std::exchange(count.called, 0) | part.gate->pending(); rest != 0; rest &= rest - 1)
      ++count.stages[static_cast<unsigned>(std::countr_zero(rest))];
    for (std::size_t k = 0; k < part.others.size(); ++k) count.others[k] += part.others[k]->pending() ? 1 : 0;
  }
}

void sample_probes(ClockDomain& domain, Probes& probes) {
  domain.on_every_cycle([&domain, &probes](Cycle cycle) {
    if (!probes.attached()) return;
    probes.sample({domain.name(), cycle, picoseconds_of(domain, cycle), picoseconds_of(domain, cycle + 1)});
  });
}

WindowWaker::WindowWaker(ClockDomain& domain, const std::vector<CycleWindow>& windows) : domain_(domain) {
  for (const CycleWindow& window : windows) {
    ends_.push_back(window.first);
    if (window.last != kNever) ends_.push_back(window.last);
  }
  std::reverse(ends_.begin(), ends_.end());
  domain.add(*this);
  if (!ends_.empty()) domain.wake(*this, ends_.back());
}

void WindowWaker::tick() {
  while (!ends_.empty() && ends_.back() <= domain_.now()) ends_.pop_back();
  if (!ends_.empty()) domain_.wake(*this, ends_.back());
}

SeriesSampler::SeriesSampler(ClockDomain& domain, TimeSeries& series, std::function<void()> settle)
    : domain_(domain), series_(series) {
  domain.add(*this);
  domain.wake(*this, series.due());
  // Other modules may run after this one in an interval's last cycle, so sample once all have run.
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
