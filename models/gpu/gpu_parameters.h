// SPDX-License-Identifier: Apache-2.0
// Parameters of the machine above its SMs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/parameters.h"
#include "sm/sm_parameters.h"

namespace heddle::gpu {

/// SMs that are alike.
struct SmClass {
  std::string name = "sm";
  unsigned count = 15;
  sm::SmParameters sm;

  void describe(ParameterVisitor& v) {
    v("name", name, "what statistics of these SMs are summed under");
    v("count", count, "SMs of this class", unit::kUnits, range(1, 512));
    v("sm", sm, "one streaming multiprocessor");
  }
};

struct DispatcherParameters {
  unsigned blocks_per_cycle = 0;
  unsigned launch_cycles = 0;
  std::string order = "round_robin";

  void describe(ParameterVisitor& v) {
    v("blocks_per_cycle", blocks_per_cycle,
      "blocks handed out in a cycle, at most one an SM; 0: one to every SM that has room", unit::kBlocks,
      range(0, 512));
    v("launch_cycles", launch_cycles, "core cycles from a launch's arrival to its first block", unit::kCycles,
      range(0, 1000000));
    v("order", order, "which SM is asked first", unit::kNone, names({"round_robin", "fill_first"}));
  }
};

struct ClockParameters {
  std::uint64_t core = 700'000;
  std::uint64_t interconnect = 700'000;
  std::uint64_t l2 = 700'000;
  std::uint64_t memory = 924'000;

  void describe(ParameterVisitor& v) {
    const Legal legal = range(1, 100'000'000);
    v("core", core, "clock of the SMs", unit::kKilohertz, legal);
    v("interconnect", interconnect, "clock of the crossbar", unit::kKilohertz, legal);
    v("l2", l2, "clock of the L2 slices", unit::kKilohertz, legal);
    v("memory", memory, "command clock of the DRAM", unit::kKilohertz, legal);
  }
};

struct GpuParameters {
  ClockParameters clocks;
  std::vector<SmClass> sm_classes{SmClass{}};
  DispatcherParameters dispatcher;

  void describe(ParameterVisitor& v) {
    v("clocks", clocks, "clocks of the machine");
    v("sm_classes", sm_classes, "SMs, by class");
    v("dispatcher", dispatcher, "how blocks go to SMs");
  }
};

}  // namespace heddle::gpu
