// SPDX-License-Identifier: Apache-2.0
// Parameters of the machine above its SMs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/config/mechanism.h"
#include "core/config/parameters.h"
#include "gpu/dispatch/dispatch_policy.h"
#include "isa/image.h"
#include "memory/cache/sm_caches.h"
#include "memory/memory_system.h"
#include "sm/sm_parameters.h"

namespace heddle::gpu {

class MemorySide;

/// A class of identical SMs.
struct SmClass {
  std::string name = "sm";
  unsigned count = 15;
  sm::SmParameters sm;
  memory::SmCachesParameters caches;

  void describe(ParameterVisitor& v) {
    v("name", name, "name under which statistics of these SMs are summed");
    v("count", count, "SMs of this class", unit::kUnits, range(1, 512));
    v("sm", sm, "one streaming multiprocessor");
    v("caches", caches, "caches of an SM");
  }
};

struct DispatcherParameters {
  unsigned blocks_per_cycle = 0;
  unsigned launch_cycles = 0;
  Mechanism<DispatchPolicy> order{"round_robin"};

  void describe(ParameterVisitor& v) {
    v("blocks_per_cycle", blocks_per_cycle,
      "blocks dispatched per cycle, at most one per SM; 0: one to every SM with room", unit::kBlocks, range(0, 512));
    v("launch_cycles", launch_cycles, "core cycles from a launch's arrival to its first block", unit::kCycles,
      range(0, 1000000));
    v("order", order, "which SM gets the next block, and from which launch");
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
    v("dispatcher", dispatcher, "assignment of blocks to SMs");
  }
  void check(ParameterChecks& checks) const {
    unsigned sms = 0;
    for (const SmClass& one : sm_classes) sms += one.count;
    checks.require(sms >= 1 && sms <= 512, "sm_classes", "a machine has 1 to 512 SMs, over all classes");
  }
};

/// All parameters of a machine.
struct MachineParameters {
  GpuParameters gpu;
  memory::MemorySystemParameters memory;
  Mechanism<MemorySide> memory_side{"cached"};
  std::uint64_t memory_bytes = std::uint64_t{16} << 30;
  bool enforce_memory_bytes = false;
  bool spill_registers = true;
  isa::CodeOrder code_order = isa::CodeOrder::thread_frontier;
  std::uint64_t seed = 1;

  void describe(ParameterVisitor& v) {
    v("gpu", gpu, "SMs, clocks and dispatcher");
    v("memory", memory, "memory system, from the crossbar to the DRAM banks");
    v("memory_side", memory_side,
      "model of what the SMs' memory requests go to; `memory` and `caches` apply to cached");
    v("memory_bytes", memory_bytes, "device memory reported to programs", unit::kBytes,
      range(1 << 20, std::uint64_t{1} << 40));
    v("enforce_memory_bytes", enforce_memory_bytes,
      "fail allocations beyond memory_bytes; otherwise they are backed by host memory as available, with a note");
    v("spill_registers", spill_registers,
      "spill to local memory if a kernel needs more registers than its limit (.maxnreg, launch bounds, the most per "
      "thread, or the share left by the block size of its launch)");
    v("code_order", code_order,
      "order of a kernel's basic blocks, which matters where the lowest program counter runs first",
      choices<isa::CodeOrder>({{"thread_frontier", isa::CodeOrder::thread_frontier,
                                "every branch before the point where its ways meet, where the control flow allows it"},
                               {"text", isa::CodeOrder::text, "that of the PTX"}}));
    v("seed", seed, "the only source of randomness", unit::kNone, range(0, 1e15));
  }
};

}  // namespace heddle::gpu
