// SPDX-License-Identifier: Apache-2.0
#include "memory/dram/jedec_timings.h"

#include <algorithm>

#include "core/unit.h"

namespace heddle::memory {
namespace {

constexpr Unit kMilliamperes{"mA"};
constexpr Unit kMillivolts{"mV"};

/// Adjusts constraints for an activate that takes effect `late` cycles after its command: commands that follow it move
/// later by `late`, and it may itself issue earlier by `late`. Between two activates nothing changes.
std::vector<DramConstraint> with_late_activates(const std::vector<DramConstraint>& constraints, Cycle late) {
  const auto activate = [](DramCommand command) { return command == DramCommand::activate; };
  std::vector<DramConstraint> shifted;
  for (const DramConstraint& constraint : constraints) {
    if (constraint.latency == 0) continue;
    for (const bool before : {false, true}) {
      for (const bool after : {false, true}) {
        DramConstraint part = constraint;
        std::erase_if(part.preceding, [&](DramCommand command) { return activate(command) != before; });
        std::erase_if(part.following, [&](DramCommand command) { return activate(command) != after; });
        if (part.preceding.empty() || part.following.empty()) continue;
        if (before && !after) part.latency += late;
        if (after && !before) part.latency -= std::min(part.latency, late);
        shifted.push_back(std::move(part));
      }
    }
  }
  return shifted;
}

}  // namespace

void JedecTimings::describe(ParameterVisitor& v, const Features& features) {
  const Legal cycles = range(0, 100000);
  const auto timing = [&](const char* name, unsigned& member, const char* sentence) {
    v(name, member, sentence, unit::kCycles, cycles);
  };
  timing("tCL", tCL, "read command to first data");
  timing("tWL", tWL, "write command to first data");
  v("burst_cycles", burst_cycles, "data bus cycles of one column command", unit::kCycles, range(1, 1000));
  timing("tRCDRD", tRCDRD, "activate to read, same bank");
  timing("tRCDWR", tRCDWR, "activate to write, same bank");
  timing("tRP", tRP, "precharge to activate, same bank");
  timing("tRAS", tRAS, "activate to precharge, same bank");
  timing("tRC", tRC, "activate to activate, same bank");
  timing("tRRDS", tRRDS, "activate to activate, different banks");
  if (features.bank_groups) timing("tRRDL", tRRDL, "the same within one bank group");
  timing("tFAW", tFAW, "first of four activates to the fifth; 0: no limit");
  if (features.activates_in_32) timing("t32AW", t32AW, "first of 32 activates to the 33rd; 0: no limit");
  if (features.precharges_apart) timing("tPPD", tPPD, "precharge to precharge, same rank; 0: no limit");
  timing("tCCDS", tCCDS, "column command to column command of the same direction");
  if (features.bank_groups) timing("tCCDL", tCCDL, "the same within one bank group");
  timing("tWTRS", tWTRS, "end of write data to read command, same rank");
  if (features.bank_groups) timing("tWTRL", tWTRL, "the same within one bank group");
  timing("tWR", tWR, "end of write data to precharge, same bank");
  timing("tRTP", tRTP, "read to precharge, same bank");
  timing("tRTW", tRTW,
         "read command to write command; 0: tCL + burst_cycles + 2 - tWL, with two cycles of bus turnaround");
  timing("tRTRS", tRTRS, "data bus idle between bursts of different ranks");
  timing("tREFI", tREFI, "average time between all-bank refreshes; 0: the part needs none");
  timing("tRFCab", tRFCab, "all-bank refresh to the next activate or refresh of the rank");
  if (features.refreshes_banks) {
    timing("tRFCpb", tRFCpb, "per-bank refresh to the next activate or refresh of the bank; 0: no such command");
    timing("tRREFD", tRREFD,
           "per-bank refresh to an activate or refresh of another bank, and activate to such a refresh");
    v("activate_to_refresh", activate_to_refresh,
      "distance from an activate to the refresh of another bank: tRREFD, or tRRDS and tRRDL as between activates",
      unit::kNone, names({"tRREFD", "tRRD"}));
  }
  const auto current = [&](const char* name, unsigned& member, const char* sentence) {
    v(name, member, sentence, kMilliamperes, range(0, 100000));
  };
  v("VDD", currents.supply_millivolts, "supply voltage", kMillivolts, range(0, 10000));
  current("IDD0", currents.idd0, "current of a chip that activates and precharges a row every tRC; 0: unknown");
  current("IDD2N", currents.idd2n, "current of a chip with all rows closed");
  current("IDD3N", currents.idd3n, "current of a chip with a row open");
  current("IDD4R", currents.idd4r, "current of a chip during gapless reads");
  current("IDD4W", currents.idd4w, "current of a chip during gapless writes");
  current("IDD5B", currents.idd5b, "current of a chip with an all-bank refresh every tRFCab");
  v("chips", currents.chips, "chips in parallel on a channel, for energy", unit::kNone, range(1, 64));
}

void JedecTimings::check(ParameterChecks& checks) const {
  checks.require(tRTW != 0 || tCL + burst_cycles + 2 > tWL, "tRTW", "must be given if tWL is this long");
  checks.require(tCCDS >= burst_cycles, "tCCDS", "column commands cannot issue faster than the data bus moves bursts");
  checks.require(tREFI == 0 || tREFI > tRFCab + tRP, "tREFI", "must leave time between refreshes");
}

DramDevice JedecTimings::device(const Features& features) const {
  const bool groups = features.bank_groups, banks = features.refreshes_banks;
  const Cycle tRRD_same = groups ? tRRDL : tRRDS, tCCD_same = groups ? tCCDL : tCCDS,
              tWTR_same = groups ? tWTRL : tWTRS;
  const Cycle read_data = tCL + burst_cycles, write_data = tWL + burst_cycles;
  const Cycle read_to_write = tRTW != 0 ? tRTW : read_data + 2 - tWL;
  // Between ranks only the data bus matters: the next burst starts after the last one and the handover (tRTRS).
  const auto apart = [this](Cycle first_data, Cycle second_data) {
    const Cycle free = first_data + burst_cycles + tRTRS;
    return free > second_data ? free - second_data : Cycle{1};
  };
  const Cycle tRFC_bank = banks ? tRFCpb : 0, tRREF = banks && tRFCpb != 0 ? tRREFD : 0;
  const bool as_activates = banks && tRFCpb != 0 && activate_to_refresh == "tRRD";

  DramDevice device;
  device.read_latency = tCL;
  device.write_latency = tWL;
  device.burst_cycles = burst_cycles;
  device.beats_per_cycle = features.beats_per_cycle;
  device.row_miss_cycles = Cycle{tRP} + tRCDRD;
  device.row_cycle = tRC;
  device.row_active = tRAS;
  device.refresh_interval = tREFI;
  device.refresh_cycles = tRFCab;
  device.bank_refresh_cycles = tRFC_bank;
  device.two_command_buses = features.two_command_buses;
  device.currents = currents;
  // clang-format off
  device.constraints = {
      // level, preceding, following, latency, window, sibling
      {DramLevel::bank, {DramCommand::activate}, {DramCommand::read}, tRCDRD},
      {DramLevel::bank, {DramCommand::activate}, {DramCommand::write}, tRCDWR},
      {DramLevel::bank, {DramCommand::activate}, {DramCommand::precharge}, tRAS},
      {DramLevel::bank, {DramCommand::activate}, {DramCommand::activate, DramCommand::refresh_bank}, tRC},
      {DramLevel::bank, {DramCommand::precharge}, {DramCommand::activate, DramCommand::refresh_bank}, tRP},
      {DramLevel::bank, {DramCommand::read}, {DramCommand::precharge}, tRTP},
      {DramLevel::bank, {DramCommand::write}, {DramCommand::precharge}, write_data + tWR},
      {DramLevel::bank, {DramCommand::refresh_bank}, {DramCommand::activate, DramCommand::refresh_bank}, tRFC_bank},
      {DramLevel::bank_group, {DramCommand::read}, {DramCommand::read}, tCCD_same},
      {DramLevel::bank_group, {DramCommand::write}, {DramCommand::write}, tCCD_same},
      {DramLevel::bank_group, {DramCommand::write}, {DramCommand::read}, write_data + tWTR_same},
      {DramLevel::bank_group, {DramCommand::activate}, {DramCommand::activate}, tRRD_same},
      {DramLevel::rank, {DramCommand::read}, {DramCommand::read}, tCCDS},
      {DramLevel::rank, {DramCommand::write}, {DramCommand::write}, tCCDS},
      {DramLevel::rank, {DramCommand::read}, {DramCommand::write}, read_to_write},
      {DramLevel::rank, {DramCommand::write}, {DramCommand::read}, write_data + tWTRS},
      {DramLevel::rank, {DramCommand::read}, {DramCommand::read}, apart(tCL, tCL), 1, true},
      {DramLevel::rank, {DramCommand::write}, {DramCommand::write}, apart(tWL, tWL), 1, true},
      {DramLevel::rank, {DramCommand::read}, {DramCommand::write}, apart(tCL, tWL), 1, true},
      {DramLevel::rank, {DramCommand::write}, {DramCommand::read}, apart(tWL, tCL), 1, true},
      {DramLevel::rank, {DramCommand::activate}, {DramCommand::activate}, tRRDS},
      {DramLevel::rank, {DramCommand::activate}, {DramCommand::activate}, tFAW, 4},
      {DramLevel::rank, {DramCommand::activate}, {DramCommand::activate}, features.activates_in_32 ? t32AW : 0, 32},
      {DramLevel::rank, {DramCommand::activate}, {DramCommand::precharge_all}, tRAS},
      {DramLevel::rank, {DramCommand::read}, {DramCommand::precharge_all}, tRTP},
      {DramLevel::rank, {DramCommand::write}, {DramCommand::precharge_all}, write_data + tWR},
      {DramLevel::rank, {DramCommand::precharge, DramCommand::precharge_all}, {DramCommand::refresh_all}, tRP},
      {DramLevel::rank, {DramCommand::precharge_all}, {DramCommand::activate, DramCommand::refresh_bank}, tRP},
      {DramLevel::rank, {DramCommand::activate}, {DramCommand::refresh_all}, tRC},
      {DramLevel::rank, {DramCommand::refresh_all}, {DramCommand::activate, DramCommand::refresh_all, DramCommand::refresh_bank}, tRFCab},
      {DramLevel::rank, {DramCommand::refresh_bank}, {DramCommand::refresh_all}, tRFC_bank},
      {DramLevel::rank, {DramCommand::refresh_bank}, {DramCommand::activate, DramCommand::refresh_bank}, tRREF},
      {DramLevel::rank, {DramCommand::activate}, {DramCommand::refresh_bank}, as_activates ? tRRDS : tRREF},
      {DramLevel::bank_group, {DramCommand::activate}, {DramCommand::refresh_bank}, as_activates ? tRRD_same : 0},
      {DramLevel::rank, {DramCommand::precharge, DramCommand::precharge_all}, {DramCommand::precharge, DramCommand::precharge_all}, features.precharges_apart ? tPPD : 0},
  };
  // clang-format on
  if (features.activate_cycles > 1) {
    device.constraints = with_late_activates(device.constraints, features.activate_cycles - 1);
    // An activate occupies the row command bus for several cycles.
    device.constraints.push_back({DramLevel::channel,
                                  {DramCommand::activate},
                                  {DramCommand::activate, DramCommand::precharge, DramCommand::precharge_all,
                                   DramCommand::refresh_all, DramCommand::refresh_bank},
                                  features.activate_cycles});
  }
  return device;
}

}  // namespace heddle::memory
