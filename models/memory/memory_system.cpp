// SPDX-License-Identifier: Apache-2.0
#include "memory/memory_system.h"

#include <algorithm>

#include "core/error.h"
#include "core/unit.h"
#include "memory/command_trace.h"

namespace heddle::memory {

/// Defaults: the GTX 480 of bench/README.md.
MemorySystemParameters::MemorySystemParameters() {
  map.controllers = 6;
  map.division_bit = 8;
  map.pattern = "RRRR.RRRRRRRR.GGBCCCCB.CCSSSSSS";
  map.slices = 2;
  map.slice_bits = {8};
  controller.dram.geometry = {1, 4, 4, 4096, 64};
  l2.tags.sets = 64;
  l2.tags.ways = 8;
  l2.miss_table.entries = 256;
  l2.miss_table.requests_per_entry = 4;
  l2.global_store = l2.local_store = WritePolicy::kWriteBack;
  l2.allocate_on_store = true;
  l2.executes_atomics = true;
  l2.lookup_latency = 120;
  l2.miss_latency = 100;
  l2.data_bytes_per_cycle = 32;
}

void MemorySystemParameters::describe(ParameterVisitor& v) {
  v("map", map, "where an address lives");
  v("has_crossbar", has_crossbar, "whether there is a crossbar; without, one SM meets one slice or controller");
  v("crossbar", crossbar, "between SMs and memory");
  v("has_l2", has_l2, "whether there is an L2");
  v("l2", l2, "one slice of the L2");
  v("main_memory", main_memory, "what is at the bottom",
    choices<MainMemory>({{"dram", MainMemory::kDram, "controllers and banks"},
                         {"constant_latency", MainMemory::kConstantLatency, "one latency, a limited throughput"}}));
  v("controller", controller, "memory controllers and their channels, when main_memory is dram");
  v("constant_latency", constant_latency, "the memory when main_memory is constant_latency");
}

void MemorySystemParameters::check(ParameterChecks& checks) const {
  checks.require(has_crossbar || map.controllers * map.slices == 1, "has_crossbar",
                 "more than one slice or controller needs a crossbar");
}

MemorySystem::MemorySystem(sc_core::sc_module_name name, const MemoryClocks& clocks,
                           const MemorySystemParameters& parameters, unsigned ports, Services& services,
                           std::uint64_t seed, MemoryEntry entry)
    : sc_module(name),
      map_(std::make_shared<const AddressMap>(parameters.map, parameters.controller.dram.geometry, "memory.map")) {
  const unsigned targets = map_->targets();
  const unsigned slices = parameters.map.slices;
  const bool has_crossbar = parameters.has_crossbar && entry == MemoryEntry::kPorts;
  const bool has_l2 = parameters.has_l2 && entry != MemoryEntry::kController;
  if (entry == MemoryEntry::kL2 && !has_l2) fail(ExitCode::kConfiguration, "memory.has_l2: this machine has no L2");
  if (entry == MemoryEntry::kPorts && !has_crossbar && (ports != 1 || targets != 1)) {
    fail(ExitCode::kConfiguration, "memory.has_crossbar: {} SMs and {} slices need a crossbar", ports, targets);
  }
  const auto owner = [&](const std::string& instance, const char* kind) -> StatisticsOwner& {
    owners_.push_back(std::make_unique<StatisticsOwner>(services.statistics, instance, kind));
    return *owners_.back();
  };
  const auto numbered = [](const char* kind, unsigned i) { return kind + std::to_string(i); };

  // From the bottom up, so that every level finds the one below it.
  for (unsigned i = 0; i < parameters.map.controllers; ++i) {
    const std::string instance = numbered("mc", i);
    StatisticsGroup group(owner(instance, "mc"), "controller");
    if (parameters.main_memory == MainMemory::kDram) {
      controllers_.push_back(std::make_unique<MemoryController>(instance.c_str(), clocks.dram, parameters.controller,
                                                                group, services,
                                                                MemoryControllerSetting{slices, map_, true}));
    } else {
      memories_.push_back(std::make_unique<ConstantLatencyMemory>(
          instance.c_str(), clocks.dram, parameters.constant_latency, group, services, slices));
    }
  }
  if (has_l2) {
    for (unsigned i = 0; i < targets; ++i) {
      const std::string instance = numbered("l2_", i);
      l2_.push_back(std::make_unique<Cache>(instance.c_str(), clocks.l2, parameters.l2,
                                            StatisticsGroup(owner(instance, "l2"), "cache"), services,
                                            CacheSetting{1, seed + i, map_}));
      connections_.connect(l2_.back()->out(), bottom(i));
    }
  }
  if (!has_crossbar) return;
  crossbar_ = std::make_unique<Crossbar>("crossbar", clocks.crossbar, parameters.crossbar,
                                         StatisticsGroup(owner("crossbar", "crossbar"), "network"), services,
                                         CrossbarSetting{ports, targets, map_});
  for (unsigned i = 0; i < targets; ++i) {
    if (has_l2) {
      connections_.connect(crossbar_->out(i), l2_[i]->in());
    } else {
      connections_.connect(crossbar_->out(i), bottom(i));
    }
  }
}

MemorySystem::~MemorySystem() = default;

TargetSocket& MemorySystem::in(unsigned i) {
  if (crossbar_) return crossbar_->in(i);
  return !l2_.empty() ? l2_[i]->in() : bottom(i);
}

TargetSocket& MemorySystem::bottom(unsigned i) {
  const unsigned slices = map_->parameters().slices;
  return !controllers_.empty() ? controllers_[i / slices]->in(i % slices) : memories_[i / slices]->in(i % slices);
}

void MemorySystem::record(CommandTrace& trace) {
  for (unsigned i = 0; i < controllers(); ++i) {
    controllers_[i]->channel().listen(trace.of_channel(i, controllers_[i]->parameters().dram.geometry));
  }
}

void MemorySystem::preload(std::uint64_t address, std::uint64_t bytes) {
  if (l2_.empty() || bytes == 0) return;
  const std::uint64_t line_bytes = l2_.front()->line_bytes();
  std::uint64_t line = address & ~(line_bytes - 1);
  // Of a region larger than the L2 its end stays.
  const std::uint64_t held = l2_.size() * l2_.front()->capacity();
  if (bytes > 2 * held) line = (address + bytes - 2 * held) & ~(line_bytes - 1);
  for (; line < address + bytes; line += line_bytes) l2_[map_->target(line)]->preload(line);
}

bool MemorySystem::idle() const {
  const auto busy = [](const auto& module) { return module->busy() != 0; };
  return std::none_of(l2_.begin(), l2_.end(), busy) && std::none_of(controllers_.begin(), controllers_.end(), busy) &&
         std::none_of(memories_.begin(), memories_.end(), busy) &&
         (!crossbar_ || crossbar_->requests().packets() + crossbar_->replies().packets() == 0);
}

}  // namespace heddle::memory
