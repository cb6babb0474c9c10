// SPDX-License-Identifier: Apache-2.0
#include "machine_generator.h"

#include <fmt/format.h>

#include <string_view>

#include "chance.h"

namespace heddle::random {

namespace {

struct Preset {
  std::string_view name;
  unsigned most_sms;  ///< 1 where no crossbar joins several
};
constexpr Preset kPresets[] = {
    {"small", 3},           {"gtx480", 3},      {"quadro-fx5800", 3}, {"gtx285", 3},          {"tesla-16x8", 3},
    {"large-warp-core", 1}, {"barrel-core", 1}, {"database-core", 1}, {"interweaving-sm", 1}, {"sliced-sm", 1}};

class Generator : private Chance {
 public:
  explicit Generator(std::uint64_t seed) : Chance(seed) {}

  GeneratedMachine run() {
    const Preset& preset = kPresets[below(std::size(kPresets))];
    out_.machine = preset.name;
    set("gpu.sm_classes.0.count", 1 + below(preset.most_sms));
    if (!chance(4)) grouping();
    if (!chance(3)) scheduling();
    if (!chance(3)) sizes();
    if (!chance(3)) memory();
    out_.options.reverse_construction = chance(4);
    out_.options.permute_calls = chance(4) ? 1 + below(1000) : 0;
    out_.options.gating = !chance(6);
    return out_;
  }

 private:
  template <typename Value>
  void set(std::string_view key, const Value& value) {
    out_.settings.push_back(fmt::format("{}={}", key, value));
  }

  void grouping() {
    switch (below(6)) {
      case 0:
      case 1:
      case 2: {
        set("sm.grouping", one_of({"reconvergence_stack", "thread_frontiers"}));
        const unsigned warp = power(2, 8), width = std::min(warp, power(2, 6));
        set("sm.warp_size", warp);
        set("sm.simd_width", width);
        set("sm.alu.lanes", std::min(64u, power(2, 5)));
        const std::string_view shape = one_of({"buffered", "buffered", "barrel", "one_in_flight"});
        set("sm.shape", shape);
        set("sm.hazards",
            shape == "buffered" ? one_of({"scoreboard", "full_masks"}) : one_of({"one_in_flight", "scoreboard"}));
        if (shape == "barrel") {
          set("sm.schedulers", 1);
          set("sm.pipeline_depth", 3 + below(30));
        } else {
          set("sm.schedulers", 1 + below(4));
        }
        set("sm.residency.threads", warp * std::max(1u, power(7, 10) / warp));
        break;
      }
      case 3:
        set("sm.grouping", "sliced_warps");
        set("sm.shape", "buffered");
        set("sm.hazards", "scoreboard");
        set("sm.warp_size", 4);
        set("sm.simd_width", 32);
        set("sm.schedulers", 8);
        set("sm.residency.threads", 1024);
        set("sm.operands.banks", 0);
        break;
      case 4:
        set("sm.grouping", "branch_interweaving");
        set("sm.schedulers", 2);
        set("sm.shape", "buffered");
        set("sm.hazards", "full_masks");
        set("sm.full_masks.entries", below(8));
        set("sm.warp_size", 64);
        set("sm.simd_width", power(5, 6));
        set("sm.alu.lanes", 64);
        set("sm.residency.threads", 64 * (2 + below(20)));
        break;
      default:
        set("sm.grouping", "large_warps");
        set("sm.shape", "barrel");
        set("sm.hazards", "in_flight_bits");
        set("sm.warp_size", power(6, 8));
        set("sm.simd_width", 32);
        set("sm.schedulers", 1);
        set("sm.residency.threads", 1024);
        set("sm.pipeline_depth", 5 + below(20));
        break;
    }
  }

  void scheduling() {
    set("sm.order",
        one_of({"lrr", "gto", "oldest", "grr", "two_level_rotating", "two_level_exclusive", "two_level_active"}));
    set("sm.two_level_rotating.group_size", 1 + below(12));
    set("sm.two_level_rotating.timeout", below(2) * below(100));
    set("sm.two_level_exclusive.group_size", 1 + below(12));
    set("sm.two_level_exclusive.inside", one_of({"gto", "lrr"}));
    set("sm.two_level_active.active", 1 + below(12));
    if (chance(4)) {
      set("sm.vetoes", "[\"static_limit\"]");
      set("sm.static_limit.limit", 1 + below(12));
    }
  }

  void sizes() {
    set("sm.branch_latency", below(16));
    set("sm.barrier_latency", 1 + below(20));
    set("sm.launch_latency", 1 + below(30));
    set("sm.hazard_registers", one_of({"allocated", "named"}));
    set("sm.fetch.width", 1 + below(8));
    set("sm.fetch.instructions", 1 + below(4));
    set("sm.fetch.buffer_depth", 1 + below(6));
    set("sm.fetch.ahead", one_of({"true", "false"}));
    set("sm.alu.count", 1 + below(3));
    set("sm.alu.collectors", 1 + below(8));
    set("sm.sfu.lanes", power(0, 5));
    set("sm.sfu.collectors", 1 + below(8));
    set("sm.memory_queue", 1 + below(12));
    set("sm.operands.latency", below(6));
    set("sm.operands.memory_collectors", below(4));
    set("sm.memory_ports", 1 + below(3));
    set("sm.memory_lanes", power(2, 6));
    set("sm.shared.banks", power(2, 6));
    set("sm.shared.latency", 5 + below(59));
    set("sm.residency.blocks", 1 + below(8));
    for (const std::string_view name : {"int_add", "int_mad", "fp32_mad", "sfu", "shuffle", "int_div"}) {
      set(fmt::format("sm.latency.{}.latency", name), 1 + below(60));
      set(fmt::format("sm.latency.{}.interval", name), 1 + below(9));
    }
    set("gpu.dispatcher.blocks_per_cycle", below(3));
    set("gpu.dispatcher.order", one_of({"round_robin", "fill_first"}));
  }

  void memory() {
    for (const std::string_view cache : {"l1d", "constant", "instruction"}) {
      const std::string prefix = fmt::format("caches.{}.", cache);
      set(prefix + "miss_table.entries", 1 + below(16));
      set(prefix + "miss_table.requests_per_entry", 1 + below(8));
      set(prefix + "index_hash", one_of({"none", "xor"}));
      const unsigned sets = power(0, 6);
      set(prefix + "sets", sets);
      set(prefix + "ways", 1 + below(4));
      set(prefix + "ports", 1 + below(3));
      set(prefix + "lookup_latency", 1 + below(40));
      set(prefix + "miss_queue", 1 + below(8));
      set(prefix + "input_queue", 1 + below(8));
      set(prefix + "reply_queue", 1 + below(8));
      set(prefix + "banks", std::min(sets, power(0, 3)));
      set(prefix + "allocate_on_store", one_of({"true", "false"}));
      set(prefix + "allocate", one_of({"on_miss", "on_fill"}));
    }
    for (const std::string_view network : {"request", "reply"}) {
      set(fmt::format("memory.crossbar.{}.arbiter", network),
          one_of({"islip", "round_robin", "oldest_first", "fixed_priority"}));
    }
    if (chance(3)) set("caches.l1d.present", "false");
    set("sm.coalescer.rule", one_of({"lines", "segments_1x"}));
    set("memory.main_memory", one_of({"dram", "constant_latency"}));
    set("memory.has_l2", one_of({"true", "true", "false"}));
    memory_controller();
    set("gpu.clocks.core", 500'000 + 100'000 * below(8));
    set("gpu.clocks.memory", 500'000 + 50'000 * below(16));
  }

  void memory_controller() {
    const std::string_view standard = one_of({"gddr3", "gddr5", "gddr6", "hbm2", "hit_conflict"});
    set("memory.controller.standard", standard);
    set("memory.controller.scheduler", one_of({"fcfs", "fr_fcfs", "fr_fcfs_cap", "fr_fcfs_hold"}));
    set("memory.controller.row_policy", one_of({"open", "closed", "timeout", "adaptive"}));
    const std::string_view refresh = one_of({"none", "all_bank", "per_bank"});
    if (standard == "hit_conflict" || (standard == "gddr3" && refresh == "per_bank")) {
      set("memory.controller.refresh", "none");
    } else {
      set("memory.controller.refresh", refresh);
    }
    for (const std::string_view policy : {"all_bank", "per_bank"}) {
      if (refresh != policy) continue;
      set(fmt::format("memory.controller.{}.postpone", policy), below(9));
      set(fmt::format("memory.controller.{}.pull_in", policy), below(9));
    }
    set("memory.controller.turns", one_of({"batched", "batched", "by_age"}));
    set("memory.controller.turn_cap", 1 + below(256));
    set("memory.controller.age_cap", one_of({"0", "200", "10000"}));
    if (standard == "gddr5" || standard == "gddr6") {
      set(fmt::format("memory.controller.{}.tPPD", standard), below(5));
    }
    if (standard == "gddr5" || standard == "gddr6" || standard == "hbm2") {
      set(fmt::format("memory.controller.{}.activate_to_refresh", standard), one_of({"tRREFD", "tRRD"}));
    }
    if (!chance(2)) return;
    const unsigned writes = 2 + below(32);
    set("memory.controller.write_mode_to_low", one_of({"true", "false"}));
    set("memory.controller.write_queue_entries", writes);
    set("memory.controller.write_drain_high", writes - 1);
    set("memory.controller.write_drain_low", below(writes - 1));
  }

  GeneratedMachine out_;
};

}  // namespace

GeneratedMachine generate_machine(std::uint64_t seed) { return Generator(seed).run(); }

}  // namespace heddle::random
