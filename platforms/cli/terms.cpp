// SPDX-License-Identifier: Apache-2.0
#include "cli/terms.h"

namespace heddle::cli {
namespace {

constexpr Term kTerms[] = {
    // Caches.
    {"l1|l1 cache|l1 data cache|first-level cache|data cache|l1d", "caches.l1d caches.l1d.* sm.l1d.*", ""},
    {"l2|l2 cache|last-level cache|llc|second-level cache", "memory.l2 memory.has_l2 memory.l2.* gpu.clocks.l2 l2.*",
     "The L2 has memory.map.controllers x memory.map.slices slices; memory.l2 describes one."},
    {"instruction cache|icache|l1i", "caches.instruction caches.instruction.* sm.instruction.*", ""},
    {"cache", "caches memory.l2 caches.l1d caches.constant caches.texture caches.instruction caches.* memory.l2.*", ""},
    {"cache size|l1 size|cache capacity|l1 capacity",
     "caches.l1d.sets caches.l1d.ways caches.l1d.line_bytes memory.l2.sets memory.l2.ways memory.l2.line_bytes",
     "A cache holds sets x ways x line_bytes."},
    {"l2 size|l2 capacity|llc size",
     "memory.l2.sets memory.l2.ways memory.l2.line_bytes memory.map.slices memory.map.controllers",
     "An L2 slice holds sets x ways x line_bytes; there are memory.map.controllers x memory.map.slices slices."},
    {"size|capacity|big|large", "*.sets *.ways *.line_bytes *_bytes *.registers *_size", ""},
    {"associativity|associative", "*.ways *.sets", ""},
    {"mshr|miss status holding register|miss table|outstanding miss",
     "caches.l1d.miss_table *.miss_table *.miss_table.* sm.l1d.stall_miss_table sm.l1d.stall_merge sm.l1d.most_misses",
     ""},
    {"hit rate|miss rate|hit|miss",
     "sm.l1d.read_hit_rate l2.cache.read_hit_rate *.read_hit_rate *.read_hits *.read_misses "
     "mc.controller.channel.row_hit_rate",
     ""},
    {"write policy|write back|write through|writeback", "caches.l1d.global_store *.global_store *.local_store", ""},
    {"eviction|evict", "*.replacement *.evictions *.store_hit", ""},
    // The SM.
    {"scheduler|warp scheduler|scheduling|scheduling policy|issue policy|warp scheduling",
     "sm.order sm.schedulers sm.fill_order sm.vetoes memory.controller.scheduler gpu.dispatcher.order sm.order=*", ""},
    {"issue port|issue slot|issue width|dual issue", "sm.schedulers sm.order sm.issue.slots.* sm.issue.slot_lanes", ""},
    {"scoreboard|hazard|data hazard|dependency", "sm.hazards sm.hazards=* sm.hazard_registers sm.scoreboard.*", ""},
    {"stack|reconvergence|reconvergence stack|reconvergence pc|simt stack|ipdom stack|simt model|divergence|"
     "divergence mechanism|branch divergence|convergence|convergence point|immediate post-dominator",
     "sm.grouping sm.grouping=reconvergence_stack sm.grouping=* sm.issue.divergent_branches sm.issue.simd_efficiency",
     ""},
    {"split|warp-split|hot context", "sm.grouping sm.grouping=* sm.warp_subdivision.*", ""},
    {"warp width|wavefront|wavefront size|threads per warp", "sm.warp_size sm.simd_width", ""},
    {"warp", "sm.warp_size sm.grouping sm.order sm.residency.threads sm.simd_width",
     "An SM holds sm.residency.threads / sm.warp_size warps."},
    {"warp count|max warp|resident warp|warps per sm", "sm.residency.threads sm.warp_size sm.issue.most_contexts",
     "An SM holds sm.residency.threads / sm.warp_size warps."},
    {"occupancy|residency|resident thread|threads per sm|blocks per sm",
     "sm.residency sm.residency.* sm.issue.occupancy sm.issue.resident_thread_cycles sm.issue.most_contexts", ""},
    {"lsu|load-store unit|load store unit|memory stage|memory unit",
     "sm.memory_queue sm.memory_lanes sm.memory_ports sm.coalescer sm.latency.memory sm.operands.memory_collectors "
     "sm.memory.*",
     ""},
    {"coalescing|coalescer|coalesce|uncoalesced",
     "sm.coalescer sm.coalescer.* sm.memory.mean_transactions sm.memory.replays sm.memory.transactions", ""},
    {"shared memory|smem|scratchpad|lds|local data share",
     "sm.residency.shared_bytes sm.shared sm.shared.* sm.residency.shared_unit sm.shared_memory.*", ""},
    {"bank conflict", "sm.shared.banks sm.operands.banks caches.l1d.banks sm.shared_memory.* *.stall_bank", ""},
    {"register file|register|rf",
     "sm.residency.registers sm.operands sm.residency.register_unit sm.operands.* spill_registers",
     "A register has 4 bytes."},
    {"operand collector|collector", "sm.operands sm.operands.* sm.alu.collectors *.collectors", ""},
    {"functional unit|execution unit|cuda core|fp32|alu", "sm.alu sm.sfu sm.fp64 sm.alu.* sm.latency.fp32_*", ""},
    {"pipeline|fine-grained multithreading|barrel", "sm.shape sm.shape=* sm.pipeline_depth sm.refetch", ""},
    // The machine.
    {"sm|sm count|core count|number of sms|core|cu|compute unit|streaming multiprocessor",
     "gpu.sm_classes.*.count sm gpu.clocks.core gpu.sm_classes.*.name", ""},
    {"frequency|clock|clock rate|clock speed|mhz|ghz", "gpu.clocks gpu.clocks.*", ""},
    {"cta|thread block|work-group|workgroup|block",
     "sm.residency.blocks sm.residency.threads gpu.dispatcher sm.residency.policy gpu.dispatcher.order", ""},
    {"cta scheduler|block scheduler|block dispatcher|gigathread engine|gigathread",
     "gpu.dispatcher gpu.dispatcher.* gpu.dispatcher.order=*", ""},
    {"interconnect|noc|network on chip|crossbar",
     "memory.crossbar memory.has_crossbar memory.crossbar.* gpu.clocks.interconnect crossbar.*", ""},
    {"memory partition|sub-partition|channel", "memory.map.controllers memory.map.slices memory.controller memory.l2",
     ""},
    // DRAM.
    {"dram|main memory|vram|device memory|global memory",
     "memory.main_memory memory.controller memory.controller.standard memory.map.controllers memory_bytes "
     "memory.main_memory=* memory.controller.* mc.*",
     ""},
    {"dram latency|memory latency",
     "memory.controller.standard memory.controller.front_latency memory.controller.back_latency memory.l2.miss_latency "
     "memory.controller.gddr5.tRCDRD memory.controller.gddr5.tCL memory.controller.gddr5.tRP "
     "memory.controller.*.tRCDRD memory.controller.*.tCL memory.controller.*.tRP memory.constant_latency.latency "
     "mc.controller.read_cycles",
     "A read takes front_latency, the timings of memory.controller.standard, and back_latency."},
    {"bandwidth|throughput",
     "memory.map.controllers memory.controller.burst_bytes memory.controller.gddr5.burst_cycles gpu.clocks.memory "
     "memory.controller.*.burst_cycles "
     "memory.crossbar.*.flit_bytes memory.l2.data_bytes_per_cycle *.data_bytes_per_cycle sm.memory_ports "
     "mc.controller.channel.bus_utilisation mc.controller.read_bytes memory.constant_latency.throughput_*",
     "DRAM moves controllers x burst_bytes in burst_cycles of gpu.clocks.memory."},
    {"row buffer|page policy|row buffer policy|open page",
     "memory.controller.row_policy memory.controller.row_bytes memory.controller.row_policy=* "
     "mc.controller.channel.row_hit_rate mc.controller.channel.row_*",
     ""},
    {"dram timing|timing", "memory.controller.standard memory.controller.standard=* memory.controller.*.t*", ""},
    {"utilization", "*utilisation", ""},
    {"ipc|performance|speed", "ipc thread_ipc sm.issue.ipc sm.issue.thread_ipc gpu.clocks.core", ""},
};

}  // namespace

std::span<const Term> terms() { return kTerms; }

}  // namespace heddle::cli
