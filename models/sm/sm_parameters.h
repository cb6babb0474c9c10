// SPDX-License-Identifier: Apache-2.0
// Parameters of one class of SM. Latencies are loop distances, as published in the sources: cycles from the issue of an
// instruction to the earliest issue of a dependent one.
#pragma once

#include <array>
#include <string>

#include "core/config/mechanism.h"
#include "core/config/parameters.h"
#include "isa/types.h"
#include "sm/grouping/ganging/gang_issue_table.h"
#include "sm/grouping/ganging/pc_coalescer.h"
#include "sm/grouping/grouping_unit.h"
#include "sm/grouping/interweaving/context_sorter.h"
#include "sm/grouping/interweaving/secondary_lookup.h"
#include "sm/grouping/large_warps/subwarp_packer.h"
#include "sm/grouping/resizing/mask_merge.h"
#include "sm/grouping/resizing/partner_synch.h"
#include "sm/hazards/dependency_step.h"
#include "sm/hazards/hazard_tracker.h"
#include "sm/memory/coalescer.h"
#include "sm/prefix_sum/prefix_sum_unit.h"
#include "sm/residency/sm_resources.h"
#include "sm/scheduling/locality/score_cutoff.h"
#include "sm/scheduling/locality/victim_set.h"
#include "sm/scheduling/order_policy.h"

namespace heddle::sm {

enum class PipelineShape : std::uint8_t { buffered, barrel, one_in_flight };

struct ClassTiming {
  unsigned latency = 8;   ///< issue to dependent issue
  unsigned interval = 1;  ///< cycles before the unit accepts the next wave
  void describe(ParameterVisitor& v);
};

struct UnitParameters {
  unsigned count = 1;  ///< instances; 0: its operations go to the unit in `instead`
  unsigned lanes = 32;
  unsigned collectors = 4;  ///< packets of this kind that may gather operands at the same time
  std::string instead = "none";
  void describe(ParameterVisitor& v);
};

struct FetchParameters {
  unsigned width = 1;         ///< fetches per cycle
  unsigned instructions = 2;  ///< instructions per fetch
  unsigned buffer_depth = 4;  ///< decoded instructions per context
  unsigned instruction_bytes = 8;
  bool ahead = true;  ///< fetch again while earlier fetches are in flight or buffered
  void describe(ParameterVisitor& v);
};

struct OperandParameters {
  unsigned banks = 16;             ///< banks of the register file; 0: operands are always available
  unsigned latency = 0;            ///< cycles a packet spends in a collector before its first read
  unsigned memory_collectors = 0;  ///< collectors for memory packets; 0: memory_queue
  void describe(ParameterVisitor& v);
};

struct SharedMemoryParameters {
  unsigned banks = 32;
  unsigned bank_bytes = 4;
  unsigned latency = 26;    ///< issue to dependent issue of a load without conflicts
  bool half_warps = false;  ///< count conflicts per 16 threads (compute capability 1.x)
  void describe(ParameterVisitor& v);
};

/// Blocks with a choice of implementation, model or RTL; see docs/rtl.md.
struct BlocksParameters {
  Mechanism<SubwarpPacker> packer{"model"};
  Mechanism<PrefixSumUnit> prefix_sum{"model"};
  Mechanism<ContextSorter> context_sorter{"model"};
  Mechanism<SecondaryLookup> secondary_lookup{"model"};
  Mechanism<DependencyStep> dependency_step{"model"};
  Mechanism<PcCoalescer> pc_coalescer{"model"};
  Mechanism<GangIssueTable> gang_issue{"model"};
  Mechanism<PartnerSynch> partner_synch{"model"};
  Mechanism<MaskMerge> mask_merge{"model"};
  Mechanism<VictimLookup> victim_lookup{"model"};
  Mechanism<ScoreCutoff> score_cutoff{"model"};
  void describe(ParameterVisitor& v);
};

struct SmParameters {
  PipelineShape shape = PipelineShape::buffered;
  unsigned warp_size = 32;
  unsigned simd_width = 32;
  unsigned schedulers = 2;
  unsigned pipeline_depth = 7;  ///< barrel: issue to next issue of the same context
  bool single_pipeline = false;
  unsigned refetch = 0;          ///< barrel: the same, where it is less than pipeline_depth; 0: pipeline_depth
  unsigned branch_latency = 1;   ///< issue of a branch to its resolution in the front end
  unsigned barrier_latency = 2;  ///< last arrival to the first issue after the barrier
  unsigned launch_latency = 1;   ///< arrival of a block to its first fetch
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
  unsigned memory_queue = 8;   ///< memory instructions waiting for or in the memory stage
  unsigned memory_ports = 1;   ///< transactions per cycle to the caches
  unsigned memory_lanes = 32;  ///< thread addresses the memory unit takes per cycle
  unsigned prefix_stages = 1;  ///< prefix-sum network stages before a conditional accumulate stores

  /// Memory packets that gather operands at the same time.
  unsigned memory_collectors() const {
    return operands.memory_collectors != 0 ? operands.memory_collectors : memory_queue;
  }
  /// Extra cycles of a conditional accumulate over a store. A barrel pipeline has a stage before address generation
  /// that plain stores do not use; the first network stage is hidden in it.
  unsigned prefix_delay() const {
    return shape == PipelineShape::barrel && prefix_stages != 0 ? prefix_stages - 1 : prefix_stages;
  }

  void describe(ParameterVisitor& v);
  void check(ParameterChecks& checks) const;
  static std::array<ClassTiming, static_cast<std::size_t>(isa::TimingClass::count)> default_latency();
};

/// The SM parameters that a grouping needs.
inline GroupingShape grouping_shape(const SmParameters& p) {
  return {.threads = p.residency.threads,
          .warp_size = p.warp_size,
          .simd_width = p.simd_width,
          .issue_slots = p.schedulers};
}

}  // namespace heddle::sm
