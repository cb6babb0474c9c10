// SPDX-License-Identifier: Apache-2.0
#include "memory/dram/dram_energy.h"

#include <algorithm>

namespace heddle::memory {
namespace {

constexpr Unit kNanojoules{"nJ"};
constexpr double kNanojoule = 1000.0;  // in picojoules

}  // namespace

DramEnergy::DramEnergy(const DramDevice& device, double clock_ns, unsigned banks_of_rank) {
  const DramCurrents& i = device.currents;
  // mA x V x ns = pJ
  const double cycle = i.supply_millivolts / 1000.0 * clock_ns * i.chips;
  const auto above = [](double current, double standby) { return std::max(current - standby, 0.0); };
  const auto cycles = [](Cycle count) { return static_cast<double>(count); };
  const double closed = cycles(device.row_cycle - std::min(device.row_cycle, device.row_active));
  const double standby = i.idd3n * cycles(device.row_active) + i.idd2n * closed;
  activate = cycle * above(i.idd0 * cycles(device.row_cycle), standby);
  read = cycle * above(i.idd4r, i.idd3n) * cycles(device.burst_cycles);
  write = cycle * above(i.idd4w, i.idd3n) * cycles(device.burst_cycles);
  rank_refresh = cycle * above(i.idd5b, i.idd2n) * cycles(device.refresh_cycles);
  bank_refresh = rank_refresh / banks_of_rank;  // one bank's share of the rows
  open_cycle = cycle * i.idd3n;
  closed_cycle = cycle * i.idd2n;
}

void declare_energy(const StatisticsGroup& s, const DramEnergy& e, const ChannelCounts& c, unsigned ranks) {
  using View = StatisticsView;
  const auto activates = [e, &c](const View& v) { return v[c.activates] * e.activate / kNanojoule; };
  const auto reads = [e, &c](const View& v) { return v[c.reads] * e.read / kNanojoule; };
  const auto writes = [e, &c](const View& v) { return v[c.writes] * e.write / kNanojoule; };
  const auto refreshes = [e, &c](const View& v) {
    return (v[c.rank_refreshes] * e.rank_refresh + v[c.bank_refreshes] * e.bank_refresh) / kNanojoule;
  };
  const auto background = [e, &c, ranks](const View& v) {
    const double open = v[c.open_cycles], closed = std::max(v[c.cycles] * ranks - open, 0.0);
    return (open * e.open_cycle + closed * e.closed_cycle) / kNanojoule;
  };
  Derived(s, "energy_activate", "energy of activates and precharges", kNanojoules, activates);
  Derived(s, "energy_read", "energy of read bursts", kNanojoules, reads);
  Derived(s, "energy_write", "energy of write bursts", kNanojoules, writes);
  Derived(s, "energy_refresh", "energy of refreshes", kNanojoules, refreshes);
  Derived(s, "energy_background", "standby energy, with rows open and closed", kNanojoules, background);
  Derived(s, "energy", "energy of the channel's chips; 0 if the part specifies no currents", kNanojoules,
          [=](const View& v) { return activates(v) + reads(v) + writes(v) + refreshes(v) + background(v); });
}

}  // namespace heddle::memory
