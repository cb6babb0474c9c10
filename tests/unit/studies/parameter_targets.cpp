// SPDX-License-Identifier: Apache-2.0
// What follows from the parameters of the presets alone. Source: docs/sources/branch-and-warp-interweaving.md, 2.1,
// 2.8, 2.12, 3 (V10) and 4 (table 2).
#include <gtest/gtest.h>

#include "interweaving_targets.h"
#include "memory/constant_latency_memory.h"
#include "sm/grouping/interweaving/interweaved_warps.h"

namespace heddle::studies {
namespace {

using namespace sm;

/// The machines of table 2.
constexpr const char* kCompared[] = {"interweaving-baseline", "interweaving-sm", "interweaving-warps"};

/// A parameter that all of them have alike.
template <typename Read>
double alike(const Read& read) {
  const double value = read(machine_of(kCompared[0]));
  for (const char* machine : kCompared) EXPECT_EQ(read(machine_of(machine)), value) << machine;
  return value;
}

const memory::CacheParameters& l1_of(const gpu::MachineParameters& machine) {
  return machine.gpu.sm_classes.front().caches.l1d.cache;
}
memory::ConstantLatencyParameters memory_of(const gpu::MachineParameters& machine) {
  EXPECT_EQ(machine.gpu.clocks.memory, machine.gpu.clocks.core);
  auto chosen = machine.memory.main_memory;
  EXPECT_EQ(chosen.name(), "constant_latency");
  return chosen.settings<memory::ConstantLatencyParameters>("constant_latency");
}
double bytes_per_cycle(const gpu::MachineParameters& machine) {
  return 1.0 * memory_of(machine).throughput_bytes / memory_of(machine).throughput_cycles;
}
double fetches_per_cycle(const SmParameters& core) { return core.fetch.width * core.fetch.instructions; }

/// Lanes that select one of two instructions.
double selecting_lanes(const SmParameters& core) {
  ContextTable table;
  const auto grouping = make(core.grouping, grouping_shape(core), table);
  const auto* interweaved = dynamic_cast<const InterweavedWarps*>(grouping.get());
  return interweaved != nullptr && interweaved->shares_rows() ? core.simd_width : 0;
}

}  // namespace

void add_parameter_targets(Evaluations& targets) {
  using gpu::MachineParameters;
  targets["bwi.tab2.threads"] = [] {
    return alike([](const MachineParameters& m) { return m.gpu.sm_classes.front().sm.residency.threads; });
  };
  targets["bwi.tab2.l1-blocks"] = [] {
    return alike([](const MachineParameters& m) { return l1_of(m).tags.sets * l1_of(m).tags.ways; });
  };
  targets["bwi.tab2.l1-sets"] = [] { return alike([](const MachineParameters& m) { return l1_of(m).tags.sets; }); };
  targets["bwi.tab2.bandwidth"] = [] { return alike(bytes_per_cycle); };
  targets["bwi.tab2.latency"] = [] { return alike([](const MachineParameters& m) { return memory_of(m).latency; }); };

  targets["bwi.v10.line-channel"] = [] {
    const MachineParameters machine = machine_of("interweaving-sm");
    return l1_of(machine).tags.line_bytes / bytes_per_cycle(machine);
  };
  targets["bwi.v10.unloaded-miss"] = [] {
    const MachineParameters machine = machine_of("interweaving-sm");
    return l1_of(machine).lookup_latency + l1_of(machine).data_latency + memory_of(machine).latency;
  };

  targets["bwi.peak.groups-sum"] = [] {
    const SmParameters core = sm_of("interweaving-baseline");
    return core.alu.count * core.alu.lanes + core.memory_lanes + core.sfu.count * core.sfu.lanes;
  };
  targets["bwi.sec4.fetch-width"] = [] {
    EXPECT_EQ(fetches_per_cycle(sm_of("interweaving-warps")), fetches_per_cycle(sm_of("interweaving-baseline")));
    return fetches_per_cycle(sm_of("interweaving-warps"));
  };
  targets["bwi.cost.lane-muxes"] = [] {
    return selecting_lanes(sm_of("interweaving-sm")) - selecting_lanes(sm_of("interweaving-baseline"));
  };
  // Lanes that each instruction of a cycle is sent to.
  targets["bwi.sec3.2.broadcast-fanout"] = [] {
    const SmParameters base = sm_of("interweaving-baseline"), core = sm_of("interweaving-sm");
    return 1.0 * core.schedulers * core.simd_width / (base.schedulers * base.simd_width);
  };
}

}  // namespace heddle::studies
