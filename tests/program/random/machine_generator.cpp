// SPDX-License-Identifier: Apache-2.0
#include "machine_generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "chance.h"
#include "core/config/configuration.h"
#include "core/config/mechanism.h"
#include "gpu/device.h"
#include "gpu/machine_selection.h"
#include "sm/grouping/grouping_unit.h"
#include "sm/scheduling/order_policy.h"

namespace heddle::random {

namespace {

/// SMs of a random machine where a crossbar joins several.
constexpr unsigned kMostSms = 3;

struct Preset {
  std::string name;
  bool has_crossbar;
};
const std::vector<Preset>& presets() {
  static const std::vector<Preset> all = [] {
    std::vector<Preset> found;
    for (const PresetEntry& entry : list_presets({HEDDLE_PRESET_FOLDER})) {
      gpu::MachineParameters parameters;
      Configuration configuration(parameters);
      gpu::load_machine(parameters, configuration, {entry.name, {}});
      found.push_back({entry.name, parameters.memory.has_crossbar});
    }
    return found;
  }();
  return all;
}

/// Names of the registered mechanisms of a kind.
template <typename Interface>
std::vector<std::string> registered() {
  std::vector<std::string> names;
  Mechanism<Interface> any("");
  for (const auto& candidate : any.reference().candidates()) {
    if (candidate.absent.empty()) names.push_back(candidate.name);
  }
  return names;
}

class Generator : private Chance {
 public:
  explicit Generator(std::uint64_t seed) : Chance(seed), more_(seed + 1) {}

  GeneratedMachine near_a_preset() {
    const Preset& preset = presets()[below(presets().size())];
    out_.machine = preset.name;
    set("gpu.sm_classes.0.count", preset.has_crossbar ? 1 + below(kMostSms) : 1);
    if (!chance(4)) {
      const std::string name = any_of(registered<sm::GroupingUnit>());
      grouping(name, shape());
    }
    if (!chance(3)) scheduling();
    if (!chance(3)) sizes();
    if (!chance(3)) memory();
    out_.options.reverse_construction = chance(4);
    out_.options.permute_calls = chance(4) ? 1 + below(1000) : 0;
    out_.options.gating = !chance(6);
    out_.label = "random machines";
    return out_;
  }
  GeneratedMachine of(const std::string& grouping_name, const std::string& pipeline_shape) {
    out_.label = fmt::format("{}, {}", grouping_name, pipeline_shape);
    out_.machine = pipeline_shape == "buffered" ? "small" : "barrel-core";
    grouping(grouping_name, pipeline_shape);
    if (chance(2)) scheduling();
    return out_;
  }

 private:
  template <typename Value>
  void set(std::string_view key, const Value& value) {
    out_.settings.push_back(fmt::format("{}={}", key, value));
  }

  std::string any_of(const std::vector<std::string>& list) { return list[below(list.size())]; }
  std::string_view shape() { return one_of({"buffered", "buffered", "barrel", "one_in_flight"}); }

  /// A machine for the grouping. Groupings not named here get warps as wide as an ISA warp and hazards by thread.
  void grouping(const std::string& name, std::string_view pipeline_shape) {
    const bool buffered = pipeline_shape == "buffered", barrel = pipeline_shape == "barrel";
    set("sm.grouping", name);
    set("sm.shape", pipeline_shape);
    if (barrel) set("sm.pipeline_depth", 3 + below(30));
    if (name == "reconvergence_stack" || name == "thread_frontiers" || name == "thread_counters" ||
        name == "predication") {
      const unsigned warp = power(2, 8);
      set("sm.hazards", buffered ? one_of({"scoreboard", "full_masks"}) : one_of({"one_in_flight", "scoreboard"}));
      lanes(warp, std::min(warp, power(2, 6)), barrel ? 1 : 1 + below(4));
      set("sm.residency.threads", warp * std::max(1u, power(7, 10) / warp));
    } else if (name == "variable_warps") {
      variable_warps(pipeline_shape);
    } else if (name == "dynamic_warp_resizing") {
      resizing(pipeline_shape);
    } else if (name == "branch_interweaving" || name == "branch_and_warp_interweaving" || name == "warp_interweaving" ||
               name == "table_frontiers") {
      interweaving(name, pipeline_shape);
    } else if (name == "large_warps") {
      set("sm.hazards", "in_flight_bits");
      lanes(power(6, 9), 32, 1);
      set("sm.residency.threads", 1024);
      set("sm.large_warps.pack", one_of({"columns", "columns", "rows", "arbitrary"}));
      set("sm.large_warps.jump_token", one_of({"true", "false"}));
      set("sm.large_warps.memory_rows", one_of({"true", "false"}));
      set("sm.large_warps.branch_refetch", one_of({"all", "divergent"}));
      set("sm.large_warps.memory_refetch", one_of({"first", "all"}));
    } else if (name == "warp_subdivision") {
      const unsigned warp = power(5, 7);
      set("sm.hazards", buffered ? "full_masks" : "one_in_flight");
      lanes(warp, std::min(warp, power(4, 6)), barrel ? 1 : 1 + below(2));
      set("sm.residency.threads", 1024);
      set("sm.warp_subdivision.splits", power(0, 3));
      set("sm.warp_subdivision.at_branches", one_of({"true", "true", "false"}));
      set("sm.warp_subdivision.merge_equal", one_of({"true", "false"}));
      set("sm.warp_subdivision.at_memory", buffered ? "false" : one_of({"true", "false"}));
      set("sm.warp_subdivision.hit_cycles", 1 + below(40));
    } else {
      set("sm.hazards", buffered ? "full_masks" : "one_in_flight");
      lanes(32, 32, barrel ? 1 : 1 + below(2));
      set("sm.residency.threads", 256 << below(3));
      set("sm.thread_block_compaction.group_threads", power(5, 9));
      set("sm.thread_block_compaction.jumps_meet", one_of({"true", "false"}));
      set("sm.dynamic_warp_formation.group_threads", power(5, 9));
      set("sm.dynamic_warp_formation.merge_at_branches_only", one_of({"true", "false"}));
    }
  }
  void lanes(unsigned warp, unsigned width, unsigned schedulers) {
    set("sm.warp_size", warp);
    set("sm.simd_width", width);
    set("sm.schedulers", schedulers);
    set("sm.alu.lanes", std::max(width, 32u));
  }

  void variable_warps(std::string_view pipeline_shape) {
    const bool barrel = pipeline_shape == "barrel";
    const std::string_view mode =
        barrel ? one_of({"slice_only", "gang_only"}) : one_of({"mixed", "mixed", "mixed", "slice_only", "gang_only"});
    const bool wide = mode == "gang_only", mixed = mode == "mixed";
    const unsigned warp = wide ? 32 : power(2, 4), slices = wide ? 1 : 32 / warp;
    set("sm.hazards", pipeline_shape == "buffered" ? "scoreboard" : "one_in_flight");
    lanes(warp, wide ? 32 : slices << below(barrel ? 1 : 3), slices);
    set("sm.residency.threads", warp == 4 ? 1024 : 2048 >> below(2));
    set("sm.operands.banks", 0);
    set("sm.fetch.width", 16);
    const auto own = [&](std::string_view key, const auto& value) {
      set(fmt::format("sm.variable_warps.{}", key), value);
    };
    own("mode", mode);
    own("path_order", one_of({"not_taken_first", "taken_first", "larger_first"}));
    if (wide || barrel) return;
    own("fetch_ports", 1 + below(8));
    own("l0_bytes", one_of({"0", "32", "256"}));
    if (!mixed) return;
    const bool reforms = chance(2);
    own("memory_split", one_of({"none", "group", "impatient"}));
    own("reform", reforms ? "opportunistic" : "none");
    own("merge_items", 2 + below(7));
    own("merges_equal_ready", one_of({"true", "false"}));
    own("sync_wait", reforms && chance(2) ? 1 + below(100) : 0);
    own("split_latency", below(4));
    own("reform_latency", below(4));
    own("gang_order", one_of({"bgto", "gto", "lrr", "lpc", "lgto"}));
    own("gangs_per_cycle", 1 + below(4));
    own("gang_fetches", 1 + below(3));
    const unsigned buffered = 1 + below(3);
    own("gang_buffer", buffered);
    fetches_ahead_ = buffered > 1;
    own("aging", chance(3) ? 1 + below(50) : 0);
  }
  void resizing(std::string_view pipeline_shape) {
    const bool buffered = pipeline_shape == "buffered", barrel = pipeline_shape == "barrel";
    const std::string_view hazards =
        buffered ? one_of({"scoreboard", "full_masks"}) : one_of({"one_in_flight", "scoreboard"});
    set("sm.hazards", hazards);
    const unsigned width = power(3, 5);
    lanes(width, width, barrel ? 1 : 1 + below(4));
    set("sm.residency.threads", 1024 << below(2));
    const auto own = [&](std::string_view key, const auto& value) {
      set(fmt::format("sm.dynamic_warp_resizing.{}", key), value);
    };
    own("partners", power(1, 3));
    const bool paper = chance(2);
    own("barrier", paper ? "paper" : "real_isa");
    own("sync_mode", paper && chance(2) ? "dynamic" : "static");
    own("barrier_latency", one_of({"1", "2", "24", "60"}));
    own("lat_local", one_of({"true", "false"}));
    own("lat_param", one_of({"true", "false"}));
    own("lat_release", hazards == "one_in_flight" ? one_of({"per_subwarp", "per_largewarp"}) : "per_subwarp");
    // An ignore list of its usual size, without a limit, of one entry, or none.
    const std::string_view size = one_of({"usual", "unlimited", "one", "none"});
    own("ilt_unlimited", size == "unlimited" ? "true" : "false");
    if (size == "one") own("ilt_sets", 1);
    if (size == "one" || size == "none") own("ilt_ways", size == "one" ? 1 : 0);
    own("ilt_hit_latency", paper ? below(30) : 0);
    own("ilt_flush_on_launch", one_of({"true", "false"}));
    own("ilt_insert_on_barrier", one_of({"true", "false"}));
  }
  void interweaving(const std::string& name, std::string_view pipeline_shape) {
    const bool cascaded = name == "warp_interweaving" || name == "branch_and_warp_interweaving";
    const bool splits = name == "branch_interweaving" || name == "branch_and_warp_interweaving";
    if (cascaded) set("sm.shape", "buffered");
    const bool buffered = cascaded || pipeline_shape == "buffered";
    if (splits) {
      set("sm.hazards", buffered ? one_of({"full_masks", "dependency_matrix"}) : "one_in_flight");
    } else {
      set("sm.hazards", buffered ? one_of({"scoreboard", "full_masks"}) : one_of({"one_in_flight", "scoreboard"}));
    }
    set("sm.full_masks.entries", below(8));
    set("sm.dependency_matrix.entries", 1 + below(12));
    set("sm.scoreboard.entries", below(8));
    const unsigned warps = 4 * (1 + below(splits ? 7 : 15));
    lanes(64, power(5, 6), name == "table_frontiers" ? 1 : 2);
    set("sm.residency.threads", 64 * warps);
    const auto own = [&](std::string_view key, const auto& value) { set(fmt::format("sm.{}.{}", name, key), value); };
    own("heap", one_of({"tables", "tables", "exact"}));
    own("cold_entries", one_of({"1", "4", "16", "128"}));
    own("walk_cycles", 1 + below(3));
    own("head_swap", one_of({"true", "false"}));
    own("full_wait", below(100));
    own("splits_at_memory", one_of({"true", "false"}));
    own("divergence_limit", one_of({"no_coissue", "delay_second"}));
    if (name == "table_frontiers") return;
    own("lane_shuffle", one_of({"identity", "mirror_odd", "mirror_half", "xor", "xor_reversed"}));
    own("segmented_registers", one_of({"true", "true", "false"}));
    if (splits) {
      own("constraints", one_of({"true", "false"}));
      own("sync_cost", below(2));
    }
    if (name == "branch_interweaving") own("scope", one_of({"same_warp", "any_secondary", "fallback"}));
    if (!cascaded) return;
    own("sets", one_of({"1", "2", "4"}));
    own("set_function", one_of({"same", "xor1", "plus1"}));
    own("policy", one_of({"best_fit", "fill_order"}));
    own("shares_memory_pass", one_of({"true", "false"}));
  }

  void scheduling() {
    set("sm.order", any_of(registered<sm::OrderPolicy>()));
    set("sm.two_level_rotating.group_size", 1 + below(12));
    set("sm.two_level_rotating.timeout", below(2) * below(100));
    set("sm.two_level_exclusive.group_size", 1 + below(12));
    set("sm.two_level_exclusive.inside", one_of({"gto", "lrr"}));
    set("sm.two_level_active.active", 1 + below(12));
    if (chance(4)) {
      set("sm.vetoes", "[\"static_limit\"]");
      set("sm.static_limit.limit", 1 + below(12));
    } else if (locality_ == Locality::cache_conscious) {
      cache_conscious();
    } else if (locality_ == Locality::divergence_aware) {
      divergence_aware();
    }
    set("sm.two_level_active.leaves_on", more_.one_of({"wait", "miss"}));
  }

  void divergence_aware() {
    needs_l1d_ = true;
    set("sm.vetoes", "[\"divergence_aware\"]");
    set("sm.divergence_aware.associativity_factor", more_.one_of({"0.1", "0.3", "0.6", "1"}));
    set("sm.divergence_aware.converged_lines", 1 + more_.below(4));
    set("sm.divergence_aware.strict_age", more_.one_of({"true", "false"}));
    set("sm.divergence_aware.ignore_control_flow", more_.one_of({"true", "false"}));
    set("sm.divergence_aware.table_entries", more_.power(0, 6));
    set("sm.divergence_aware.repetition_sets", more_.power(0, 4));
    set("sm.divergence_aware.repetition_ways", 1 + more_.below(8));
    set("sm.divergence_aware.classes", more_.one_of({"detected", "detected", "profiled"}));
  }

  void cache_conscious() {
    needs_l1d_ = true;
    set("sm.vetoes", "[\"cache_conscious\"]");
    const auto own = [this](const std::string& key, auto value) { set("sm.cache_conscious." + key, value); };
    own("k_throttle", 1u << more_.below(11));
    own("cutoff_rule", more_.one_of({"crossing_admitted", "inclusive"}));
    own("totals", more_.one_of({"resident", "cumulative"}));
    own("below_base", more_.one_of({"clamp", "reference"}));
    own("decay", 1 + more_.below(4));
    own("decay_cycles", 1 + more_.below(4));
    own("latency", 1 + more_.below(8));
    own("period", 1 + more_.below(8));
    own("victim_tags.entries", more_.one_of({"0", "1", "8", "16", "64"}));
    own("victim_tags.replacement", more_.one_of({"fifo", "lru"}));
    own("victim_tags.clear_on_warp_exit", more_.one_of({"true", "false"}));
  }

  void sizes() {
    set("sm.branch_latency", below(16));
    set("sm.barrier_latency", 1 + below(20));
    set("sm.launch_latency", 1 + below(30));
    set("sm.hazard_registers", one_of({"allocated", "named"}));
    set("sm.fetch.width", 1 + below(8));
    set("sm.fetch.instructions", 1 + below(4));
    set("sm.fetch.buffer_depth", 1 + below(6));
    const std::string_view ahead = one_of({"true", "false"});
    set("sm.fetch.ahead", fetches_ahead_ ? "true" : ahead);
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
    if (chance(3) && !needs_l1d_) set("caches.l1d.present", "false");
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
  /// For draws added later, so that they do not change the draws of a seed that follow them.
  Chance more_;
  enum class Locality : std::uint8_t { none, cache_conscious, divergence_aware };
  Locality locality_ = more_.chance(4)   ? Locality::cache_conscious
                       : more_.chance(4) ? Locality::divergence_aware
                                         : Locality::none;
  bool needs_l1d_ = false, fetches_ahead_ = false;
};

}  // namespace

GeneratedMachine generate_machine(std::uint64_t seed) { return Generator(seed).near_a_preset(); }

std::vector<GeneratedMachine> every_machine(std::uint64_t seed) {
  std::vector<GeneratedMachine> all;
  for (const Preset& preset : presets()) all.push_back({"preset " + preset.name, preset.name, {}, {}});
  for (const std::string& grouping : registered<sm::GroupingUnit>()) {
    for (const char* const shape : {"buffered", "barrel", "one_in_flight"})
      all.push_back(Generator(seed).of(grouping, shape));
  }
  return all;
}

}  // namespace heddle::random
