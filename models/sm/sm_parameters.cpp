// SPDX-License-Identifier: Apache-2.0
#include "sm/sm_parameters.h"

#include <string>
#include <string_view>

namespace heddle::sm {

namespace {

struct TimingClassNames {
  std::string operator[](std::size_t i) const { return std::string(isa::name_of(static_cast<isa::TimingClass>(i))); }
};

}  // namespace

void ClassTiming::describe(ParameterVisitor& v) {
  v("latency", latency, "issue of an instruction to the earliest issue of a dependent one", unit::kCycles,
    range(1, 2000));
  v("interval", interval, "cycles before the unit accepts the next wave", unit::kCycles, range(1, 1000));
}

void UnitParameters::describe(ParameterVisitor& v) {
  v("count", count, "units of this kind; with 0, its operations go to another kind", unit::kUnits, range(0, 8));
  v("lanes", lanes, "threads a unit accepts per cycle", unit::kLanes, power_of_two(1, 64));
  v("collectors", collectors, "packets that may gather operands at the same time", unit::kEntries, range(0, 64));
  v("instead", instead, "kind of unit that executes these operations if count is 0", unit::kNone,
    names({"none", "alu", "sfu", "fp64"}));
}

void FetchParameters::describe(ParameterVisitor& v) {
  v("width", width, "fetches per cycle", unit::kRequests, range(1, 16));
  v("instructions", instructions, "instructions per fetch", unit::kInstructions, range(1, 16));
  v("buffer_depth", buffer_depth, "decoded instructions buffered per context", unit::kInstructions, range(1, 64));
  v("instruction_bytes", instruction_bytes, "size of an instruction in memory", unit::kBytes, power_of_two(4, 16));
  v("ahead", ahead, "fetch again while earlier instructions are buffered; otherwise only when the buffer is empty");
}

void OperandParameters::describe(ParameterVisitor& v) {
  v("banks", banks, "banks of the register file; 0: operands are always available", unit::kBanks, range(0, 64));
  v("latency", latency, "cycles a packet spends in a collector before its first read; included in loop distances",
    unit::kCycles, range(0, 64));
  v("memory_collectors", memory_collectors, "memory packets that may gather operands at the same time; 0: memory_queue",
    unit::kEntries, range(0, 256));
}

void SharedMemoryParameters::describe(ParameterVisitor& v) {
  v("banks", banks, "banks of shared memory", unit::kBanks, power_of_two(1, 64));
  v("bank_bytes", bank_bytes, "width of a bank", unit::kBytes, one_of({4, 8}));
  v("latency", latency, "issue of a load without conflicts to the earliest issue of a dependent instruction",
    unit::kCycles, range(5, 500));
  v("half_warps", half_warps, "count conflicts per 16 threads, as in compute capability 1.x");
}

void BlocksParameters::describe(ParameterVisitor& v) {
  v("packer", packer, "implementation of the sub-warp packer: the model, RTL, or both in lockstep");
  v("prefix_sum", prefix_sum, "implementation of the prefix-sum network: the model, RTL, or both in lockstep");
  v("context_sorter", context_sorter,
    "implementation of the sorter of interweaved splits: the model, RTL, or both in lockstep");
  v("secondary_lookup", secondary_lookup,
    "implementation of the lookup of a second instruction: the model, RTL, or both in lockstep");
  v("dependency_step", dependency_step,
    "implementation of the step of a dependency matrix: the model, RTL, or both in lockstep");
  v("pc_coalescer", pc_coalescer,
    "implementation of the partition of a gang by program counter: the model, RTL, or both in lockstep");
  v("gang_issue", gang_issue,
    "implementation of the gang table and its issue scheduler: the model, RTL, or both in lockstep");
  v("partner_synch", partner_synch, "implementation of the partner-synch table: the model, RTL, or both in lockstep");
  v("mask_merge", mask_merge, "implementation of the sub-warp combiner: the model, RTL, or both in lockstep");
  v("victim_lookup", victim_lookup, "implementation of a set of victim tags: the model, RTL, or both in lockstep");
  v("score_cutoff", score_cutoff,
    "implementation of the cutoff of lost-locality scores: the model, RTL, or both in lockstep");
}

std::array<ClassTiming, static_cast<std::size_t>(isa::TimingClass::count)> SmParameters::default_latency() {
  using isa::TimingClass;
  std::array<ClassTiming, static_cast<std::size_t>(TimingClass::count)> table;
  const auto set = [&](TimingClass c, ClassTiming timing) { table[static_cast<std::size_t>(c)] = timing; };
  set(TimingClass::int_mul, {8, 2});
  set(TimingClass::int_div, {150, 8});
  set(TimingClass::shuffle, {32, 2});
  set(TimingClass::fp32_div, {40, 4});
  set(TimingClass::fp64_add, {16, 8});
  set(TimingClass::fp64_max, {16, 8});
  set(TimingClass::fp64_mul, {16, 8});
  set(TimingClass::fp64_mad, {16, 8});
  set(TimingClass::fp64_div, {330, 130});
  set(TimingClass::sfu, {24, 4});
  set(TimingClass::branch, {1, 1});
  set(TimingClass::barrier, {1, 1});
  return table;
}

void SmParameters::describe(ParameterVisitor& v) {
  v("shape", shape, "where contexts are chosen, and how many of their instructions are in flight",
    choices<PipelineShape>(
        {{"buffered", PipelineShape::buffered, "fetch fills instruction buffers, and the policies choose at issue"},
         {"barrel", PipelineShape::barrel,
          "the policies choose at fetch; a context is eligible again when its instruction has left the last stage"},
         {"one_in_flight", PipelineShape::one_in_flight,
          "one instruction per context in flight, behind a one-entry queue"}}));
  v("warp_size", warp_size, "threads of a machine warp", unit::kThreads, power_of_two(4, 512));
  v("simd_width", simd_width, "lanes of the widest unit", unit::kLanes, power_of_two(4, 64));
  v("schedulers", schedulers, "issue slots per cycle", unit::kSlots, range(1, 16));
  v("pipeline_depth", pipeline_depth, "barrel shape: issue to next issue of the same context", unit::kStages,
    range(1, 64));
  v("refetch", refetch,
    "barrel shape: issue to next issue of the same context if less than the depth, with hazards tracked by register; "
    "0: the depth",
    unit::kCycles, range(0, 63));
  v("single_pipeline", single_pipeline,
    "all units are one pipeline: while the waves of a warp wider than the SIMD unit pass, whatever its instruction, "
    "nothing else issues; otherwise other units take instructions meanwhile",
    unit::kNone, {}, "docs/sources/dynamic-warp-resizing.md 2.2");
  v("branch_latency", branch_latency, "issue of a branch to its resolution in the front end", unit::kCycles,
    range(0, 64));
  v("barrier_latency", barrier_latency, "last arrival at a barrier to the first issue of the waiting contexts",
    unit::kCycles, range(1, 200));
  v("launch_latency", launch_latency, "latency of a block launch from the dispatcher to the SM", unit::kCycles,
    range(1, 1000));
  v("residency", residency, "limits on resident blocks");
  v("grouping", grouping, "how threads are grouped");
  v("order", order, "which context (a warp, or a path of one) issues first");
  v("fill_order", fill_order, "which context fills lanes left free by the first, for groupings that co-issue");
  v("vetoes", vetoes, "policies that withhold contexts");
  v("hazards", hazards, "when an instruction may use a value");
  v("hazard_registers", hazard_registers, "register names used for hazards: allocated, or as named in PTX", unit::kNone,
    names({"allocated", "named"}));
  v("blocks", blocks, "blocks with a choice of model or RTL");
  v("fetch", fetch, "fetch and instruction buffers");
  v("operands", operands, "register file");
  v("alu", alu, "integer and single-precision units");
  v("sfu", sfu, "special-function units");
  v("fp64", fp64, "double-precision units");
  v.table("latency", latency, TimingClassNames{}, "loop distance and initiation interval of a class of operations");
  v("shared", shared, "shared memory");
  v("coalescer", coalescer, "address coalescing");
  v("memory_queue", memory_queue, "memory instructions that gather operands or wait to be sent", unit::kEntries,
    range(1, 256));
  v("memory_lanes", memory_lanes, "thread addresses the memory unit accepts per cycle", unit::kLanes,
    power_of_two(4, 64));
  v("prefix_stages", prefix_stages,
    "prefix-sum network stages that a conditional accumulate passes before it stores; in the barrel shape the first "
    "one is a stage of the pipeline",
    unit::kStages, range(0, 32));
  v("memory_ports", memory_ports, "transactions per cycle to the caches", unit::kPorts, range(1, 8));
}

void SmParameters::check(ParameterChecks& checks) const {
  const auto executes = [&](const UnitParameters& unit, std::string_view key) {
    const bool elsewhere = (unit.instead == "alu" && alu.count != 0) || (unit.instead == "sfu" && sfu.count != 0) ||
                           (unit.instead == "fp64" && fp64.count != 0);
    checks.require(unit.count != 0 || elsewhere, key, "there is no unit of this kind: name a kind that has one");
  };
  executes(alu, "alu.instead");
  executes(sfu, "sfu.instead");
  executes(fp64, "fp64.instead");
  checks.require(
      refetch == 0 || (shape == PipelineShape::barrel && refetch < pipeline_depth), "refetch",
      "a context that issues again before its instruction has left the pipeline needs the barrel shape and fewer "
      "cycles than its depth");
  checks.require(!single_pipeline || schedulers == 1, "single_pipeline", "several schedulers need several pipelines");
  checks.require(residency.threads % warp_size == 0, "residency.threads", "must be a whole number of warps");
}

}  // namespace heddle::sm
