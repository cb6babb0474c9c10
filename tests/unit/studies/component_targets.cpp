// SPDX-License-Identifier: Apache-2.0
// Storage of the machines for which the source gives hardware costs, as their modules declare it, and areas at the
// source's densities. Source: docs/sources/branch-and-warp-interweaving.md, 6 (tables 3 and 4).
#include <gtest/gtest.h>

#include <algorithm>

#include "declared.h"
#include "interweaving_targets.h"
#include "sm/grouping/interweaving/interweaved_warps.h"

namespace heddle::studies {
namespace {

using namespace sm;

/// Bits of the fields that the source's table counts; all if none is named.
struct Part {
  std::string structure;
  std::vector<std::string> fields;

  double bits(const Structure& of) const {
    double bits = 0;
    for (const StructureField& field : of.fields()) {
      if (fields.empty() || std::find(fields.begin(), fields.end(), field.name) != fields.end()) bits += field.bits;
    }
    return bits;
  }
};

/// Components of table 3, and the structures that are one, of which a machine has the first or the second.
const std::map<std::string, std::vector<Part>> kComponents = {
    {"scoreboard", {{"hazards.scoreboard", {}}, {"hazards.entries", {}}}},
    {"hct", {{"hot_contexts.rows", {}}, {"issue.contexts", {"pc"}}}},
    {"cct", {{"grouping.stack", {}}, {"cold_contexts.rows", {}}}},
    {"ib", {{"issue.buffers", {"instructions"}}}},
};
/// By the names of the targets.
const std::map<std::string, std::string> kMachines = {{"baseline", "interweaving-baseline-24"},
                                                      {"sbi", "interweaving-sm-24"},
                                                      {"swi", "interweaving-warps-24"},
                                                      {"both", "interweaving-both-24"}};

struct Component {
  double entries = 0, bits_per_entry = 0;
  double bits() const { return entries * bits_per_entry; }
};
Component component(const std::string& name, const std::string& machine) {
  for (const Part& part : kComponents.at(name)) {
    const Structure* const found = declared(kMachines.at(machine)).find(part.structure);
    if (found != nullptr) return {static_cast<double>(found->entries()), part.bits(*found)};
  }
  throw std::out_of_range(name + " of " + machine);
}
double bits_per_warp(const std::string& name, const std::string& machine) {
  return component(name, machine).bits() / declared(kMachines.at(machine)).warps();
}
double all_components(const std::string& machine) {
  double bits = 0;
  for (const auto& each : kComponents) bits += component(each.first, machine).bits();
  return bits;
}

/// One of two contexts of a row: counter, mask and valid bit.
double context_bits() {
  return Part{"", {"cpc1", "m1", "v1"}}.bits(declared(kMachines.at("sbi")).structure("hot_contexts.rows"));
}

// -- areas, in thousands of square micrometres

/// Of a component, at the density of its source: area over bits.
double area(const std::string& name, const std::string& machine) {
  const std::string of = name + "-" + machine;
  return component(name, machine).bits() * source_of("bwi.tab4." + of) / source_of("bwi.tab3.bits-" + of);
}
double control_area(const std::string& machine) {
  double sum = 0;
  for (const auto& each : kComponents) sum += area(each.first, machine);
  if (declared(kMachines.at(machine)).find("cascade.search") != nullptr)
    sum += source_of("bwi.tab4.scheduler-" + machine);
  return sum;
}

/// Area of the segmented register file in square millimetres: the source scales that of 8192 registers at 90 nm.
double segmented_registers() {
  const double shrink = 40.0 / 90, registers = sm_of("interweaving-sm").residency.registers;
  return source_of("bwi.sec5.2.rf-90nm") * shrink * shrink * registers / 8192;
}
/// Added to the machine by the register file, as the source rounds it.
double added_registers(const std::string& machine) {
  const SmParameters core = sm_of(kMachines.at(machine));
  ContextTable table;
  const auto grouping = make(core.grouping, grouping_shape(core), table);
  const auto* interweaved = dynamic_cast<const InterweavedWarps*>(grouping.get());
  return interweaved != nullptr && interweaved->shares_rows() ? 1000 * rounded(segmented_registers(), 2) : 0;
}
double total_area(const std::string& machine) { return control_area(machine) + added_registers(machine); }
double overhead(const std::string& machine) { return total_area(machine) - total_area("baseline"); }

/// Square micrometres of a bit of a component: the source's area over our bits.
double density(const std::string& name, const std::string& machine) {
  return 1000 * source_of("bwi.tab4." + name + "-" + machine) / component(name, machine).bits();
}

/// Bits that a setting adds to a machine.
double added_bits(const std::string& preset, const std::string& without, const std::string& with) {
  return declared(preset, {with}).all_bits() - declared(preset, {without}).all_bits();
}

void add_bits(Evaluations& targets) {
  const auto per_warp = [&](const std::string& target, const std::string& name, const std::string& machine) {
    targets[target] = [=] { return bits_per_warp(name, machine); };
  };
  per_warp("bwi.tab3.scoreboard-warp-baseline", "scoreboard", "baseline");
  per_warp("bwi.tab3.scoreboard-warp-sbi", "scoreboard", "sbi");
  per_warp("bwi.tab3.scoreboard-warp-both", "scoreboard", "both");
  per_warp("bwi.tab3.pool-warp-baseline", "hct", "baseline");
  per_warp("bwi.tab3.hct-warp-sbi", "hct", "sbi");
  per_warp("bwi.tab3.hct-warp-swi", "hct", "swi");
  per_warp("bwi.tab3.hct-warp-both", "hct", "both");
  targets["bwi.tab3.cct-entry"] = [] { return component("cct", "sbi").bits_per_entry; };
  targets["bwi.tab3.cct-entries"] = [] { return component("cct", "sbi").entries; };
  targets["bwi.tab3.ib-entry"] = [] { return component("ib", "baseline").bits_per_entry; };
  for (const auto& machine : kMachines) {
    for (const auto& part : kComponents) {
      targets["bwi.tab3.bits-" + part.first + "-" + machine.first] = [name = part.first, of = machine.first] {
        return component(name, of).bits();
      };
    }
    targets["bwi.tab3.bits-total-" + machine.first] = [of = machine.first] { return all_components(of); };
  }

  targets["bwi.bits.hct-sbi"] = [] { return component("hct", "sbi").bits_per_entry; };
  targets["bwi.bits.hct-swi"] = [] { return component("hct", "swi").bits_per_entry; };
  targets["bwi.bits.cct"] = [] { return component("cct", "sbi").bits_per_entry; };
  per_warp("bwi.bits.scoreboard-baseline", "scoreboard", "baseline");
  per_warp("bwi.bits.scoreboard-sbi", "scoreboard", "sbi");
  per_warp("bwi.bits.scoreboard-both", "scoreboard", "both");
  // A bit per entry of the scoreboard.
  targets["bwi.bits.dependency-vector"] = [] {
    return component("scoreboard", "baseline").entries / declared(kMachines.at("baseline")).warps();
  };
  targets["bwi.bits.sorter-input"] = [] { return std::tuple_size<SorterRequest>() * context_bits(); };
  targets["bwi.bits.stack-entries"] = [] {
    return component("cct", "baseline").entries / declared(kMachines.at("baseline")).warps();
  };

  // The machine of the measurements, with 16 warps.
  targets["bwi.sec3.4.cold-per-warp"] = [] {
    Declared& machine = declared("interweaving-sm");
    return 1.0 * machine.structure("cold_contexts.rows").entries() / machine.warps();
  };
  targets["bwi.sec3.4.splits-per-warp"] = [] {
    Declared& machine = declared("interweaving-sm");
    const Structure& hot = machine.structure("hot_contexts.rows");
    const auto counters = std::count_if(hot.fields().begin(), hot.fields().end(),
                                        [](auto& field) { return field.name.rfind("cpc", 0) == 0; });
    return static_cast<double>(counters) + 1.0 * machine.structure("cold_contexts.rows").entries() / machine.warps();
  };

  targets["bwi.sec4.shuffle-cost"] = [] {
    const std::string shuffle = "sm.warp_interweaving.lane_shuffle=";
    return added_bits(kMachines.at("swi"), shuffle + "identity", shuffle + "xor_reversed");
  };
  targets["bwi.sec3.3.release-cost"] = [] {
    const std::string constraints = "sm.branch_interweaving.constraints=";
    return added_bits(kMachines.at("sbi"), constraints + "false", constraints + "true");
  };
}

void add_areas(Evaluations& targets) {
  for (const std::string machine : {"baseline", "sbi", "swi", "both"}) {
    targets["bwi.tab4.total-" + machine] = [=] { return rounded(total_area(machine), 1); };
    if (machine == "baseline") continue;
    targets["bwi.tab4.rf-" + machine] = [=] { return added_registers(machine); };
    targets["bwi.tab4.overhead-" + machine] = [=] { return rounded(overhead(machine), 1); };
    targets["bwi.tab4.sm-share-" + machine] = [=] {
      return rounded(100 * overhead(machine) / (1000 * source_of("bwi.tab4.sm-area")), 1);
    };
    targets["bwi.tab4.without-rf-" + machine] = [=] {
      return rounded(control_area(machine) - control_area("baseline"), 1);
    };
  }
  targets["bwi.sec5.2.rf-40nm"] = [] { return rounded(segmented_registers(), 2); };
  targets["bwi.sec5.2.rf-40nm-formula"] = [] { return rounded(segmented_registers(), 4); };

  // Where our bits are those of the source.
  const std::pair<const char*, std::vector<std::string>> same_bits[] = {
      {"scoreboard", {"sbi", "both"}},
      {"hct", {"sbi", "swi", "both"}},
      {"cct", {"sbi", "swi", "both"}},
      {"ib", {"baseline", "sbi", "swi", "both"}},
  };
  for (const auto& [name, machines] : same_bits) {
    for (const std::string& machine : machines) {
      targets[std::string("bwi.tab4.density-") + name + "-" + machine] = [name = std::string(name), machine] {
        return rounded(density(name, machine), 1);
      };
    }
  }
}

}  // namespace

void add_component_targets(Evaluations& targets) {
  add_bits(targets);
  add_areas(targets);
}

}  // namespace heddle::studies
