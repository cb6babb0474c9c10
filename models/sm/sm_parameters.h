// SPDX-License-Identifier: Apache-2.0
// Parameters of one class of SM. Latencies are loop distances: cycles from the issue of an instruction to the first
// issue of one that needs its result, which is what sources publish.
#pragma once

#include <array>
#include <string>

#include "core/config/mechanism.h"
#include "core/config/parameters.h"
#include "isa/types.h"
#include "sm/grouping/grouping_unit.h"
#include "sm/grouping/large_warps/subwarp_packer.h"
#include "sm/hazards/hazard_tracker.h"
#include "sm/memory/coalescer.h"
#include "sm/prefix_sum/prefix_sum_unit.h"
#include "sm/residency/residency.h"
#include "sm/scheduling/order_policy.h"

namespace heddle::sm {

enum class PipelineShape : std::uint8_t { buffered, barrel, one_in_flight };

struct ClassTiming {
  unsigned latency = 8;   ///< issue to dependent issue
  unsigned interval = 1;  ///< cycles before the unit accepts the next wave
  void describe(ParameterVisitor& v);
};

struct UnitParameters {
  unsigned count = 1;  ///< instances; 0: its operations go where `instead` says
  unsigned lanes = 32;
  unsigned collectors = 4;  ///< packets of this kind that may gather operands at once
  std::string instead = "none";
  void describe(ParameterVisitor& v);
};

struct FetchParameters {
  unsigned width = 1;         ///< fetches a cycle
  unsigned instructions = 2;  ///< of one fetch
  unsigned buffer_depth = 4;  ///< decoded instructions a context
  unsigned instruction_bytes = 8;
  bool ahead = true;  ///< asks again while earlier ones are on their way or wait
  void describe(ParameterVisitor& v);
};

struct OperandParameters {
  unsigned banks = 16;             ///< of the register file; 0: operands are always there
  unsigned latency = 0;            ///< cycles that a packet stands in a collector before its first read
  unsigned memory_collectors = 0;  ///< for memory packets; 0: as many as memory_queue
  void describe(ParameterVisitor& v);
};

struct SharedMemoryParameters {
  unsigned banks = 32;
  unsigned bank_bytes = 4;
  unsigned latency = 26;    ///< issue to dependent issue of a load without conflicts
  bool half_warps = false;  ///< conflicts are counted over 16 threads at a time (compute capability 1.x)
  void describe(ParameterVisitor& v);
};

/// Blocks whose implementation is chosen. docs/rtl.md.
struct BlocksParameters {
  Mechanism<SubwarpPacker> packer{"model"};
  Mechanism<PrefixSumUnit> prefix_sum{"model"};
  void describe(ParameterVisitor& v);
};

struct SmParameters {
  PipelineShape shape = PipelineShape::buffered;
  unsigned warp_size = 32;
  unsigned simd_width = 32;
  unsigned schedulers = 2;
  unsigned pipeline_depth = 7;   ///< barrel: issue to next issue of the same context
  unsigned refetch = 0;          ///< barrel: issue to next issue of the same context, if less than the depth; 0: it
  unsigned branch_latency = 1;   ///< issue of a branch until the front end knows where to go on
  unsigned barrier_latency = 2;  ///< last arrival until the first issue behind the barrier
  unsigned launch_latency = 1;   ///< a block's arrival until its first fetch
  ResidencyParameters residency;
  Mechanism<GroupingUnit> grouping{"reconvergence_stack"};
  Mechanism<OrderPolicy> order{"gto"};
  Mechanism<OrderPolicy> fill_order{"oldest"};
  MechanismList<Veto> vetoes;
  Mechanism<HazardTracker> hazards{"scoreboard"};
  std::string hazard_registers = "allocated";
  BlocksParameters blocks;
  FetchParameters fetch;
  OperandParameters operands;
  UnitParameters alu{2, 32, 6, "none"}, sfu{1, 32, 8, "none"}, fp64{0, 32, 0, "sfu"};
  std::array<ClassTiming, static_cast<std::size_t>(isa::TimingClass::count)> latency = default_latency();
  SharedMemoryParameters shared;
  CoalescerParameters coalescer;
  unsigned memory_queue = 8;   ///< memory instructions that wait for or use the memory stage
  unsigned memory_ports = 1;   ///< transactions a cycle to the caches
  unsigned memory_lanes = 32;  ///< threads whose addresses the memory unit takes in a cycle
  unsigned prefix_stages =
      1;  ///< stages of the prefix-sum network that a conditional accumulate passes before it stores

  /// Cycles by which a conditional accumulate is behind a store. A barrel pipeline has a stage before the addresses
  /// that stores have no use for: the first of the network is in it.
  unsigned prefix_delay() const {
    return shape == PipelineShape::barrel && prefix_stages != 0 ? prefix_stages - 1 : prefix_stages;
  }

  void describe(ParameterVisitor& v);
  void check(ParameterChecks& checks) const;
  static std::array<ClassTiming, static_cast<std::size_t>(isa::TimingClass::count)> default_latency();
};

/// What the grouping is told.
inline GroupingShape grouping_shape(const SmParameters& p) {
  return {.threads = p.residency.threads,
          .warp_size = p.warp_size,
          .simd_width = p.simd_width,
          .issue_slots = p.schedulers};
}

}  // namespace heddle::sm
