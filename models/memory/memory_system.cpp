// SPDX-License-Identifier: Apache-2.0
#include "memory/memory_system.h"

#include <algorithm>

#include "core/error.h"
#include "core/unit.h"
#include "memory/dram/command_trace.h"

namespace heddle::memory {

/// Defaults: the GTX 480 of docs/sources/gtx480.md.
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
  l2.global_store = l2.local_store = WritePolicy::write_back;
  l2.allocate_on_store = true;
  l2.executes_atomics = true;
  l2.lookup_latency = 120;
  l2.miss_latency = 100;
  l2.data_bytes_per_cycle = 32;
}

void MemorySystemParameters::describe(ParameterVisitor& v) {
  v("map", map, "mapping of addresses to controllers, slices and banks");
  v("has_crossbar", has_crossbar,
    "whether there is a crossbar; without one, a single SM connects to a single slice or controller");
  v("crossbar", crossbar, "crossbar between SMs and memory");
  v("has_l2", has_l2, "whether there is an L2");
  v("l2", l2, "one slice of the L2");
  v("main_memory", main_memory, "memory model at the bottom");
  v("controller", controller, "memory controllers and their channels, if main_memory is dram");
}

void MemorySystemParameters::check(ParameterChecks& checks) const {
  checks.require(has_crossbar || map.controllers * map.slices == 1, "has_crossbar",
                 "more than one slice or controller needs a crossbar");
}

MemorySystem::MemorySystem(sc_core::sc_module_name name, const MemoryClocks& clocks,
                           const MemorySystemParameters& parameters, unsigned ports, Services& services,
                           std::uint64_t seed, MemoryEntry entry)
    : sc_module(name),
      map_(std::make_shared<const AddressMap>(parameters.map, parameters.controller.dram.geometry, "memory.map")),
      common_clock_(&clocks.crossbar == &clocks.l2 ? &clocks.l2 : nullptr) {
  const unsigned targets = map_->targets();
  const unsigned slices = parameters.map.slices;
  const bool has_crossbar = parameters.has_crossbar && entry == MemoryEntry::ports;
  const bool has_l2 = parameters.has_l2 && entry != MemoryEntry::controller;
  if (entry == MemoryEntry::l2 && !has_l2) fail(ExitCode::configuration, "memory.has_l2: this machine has no L2");
  if (entry == MemoryEntry::ports && !has_crossbar && (ports != 1 || targets != 1)) {
    fail(ExitCode::configuration, "memory.has_crossbar: {} SMs and {} slices need a crossbar", ports, targets);
  }
  const auto owner = [&](const std::string& instance, const char* kind) -> StatisticsOwner& {
    owners_.push_back(std::make_unique<StatisticsOwner>(services.statistics, instance, kind));
    return *owners_.back();
  };
  const auto numbered = [](const char* kind, unsigned i) { return kind + std::to_string(i); };

  const auto clock_of = [&](const std::string& part, ClockDomain& domain,
                            WindowPhase phase = WindowPhase::first) -> ClockDomain& {
    if (!clocks.in_parts) return domain;
    parts_.push_back(std::make_unique<ClockDomain>((part + "_clock").c_str(), domain, phase));
    return *parts_.back();
  };

  const auto idle_when_done = [&](const MemoryPart& part) {
    if (clocks.in_parts) parts_.back()->idle_when([&part] { return part.busy() == 0; });
  };

  // From the bottom up, so that every level finds the one below it.
  for (unsigned i = 0; i < parameters.map.controllers; ++i) {
    const std::string instance = numbered("mc", i);
    memories_.push_back(
        make(parameters.main_memory,
             MainMemorySite{instance.c_str(), clock_of(instance, clocks.dram), parameters.controller,
                            StatisticsGroup(owner(instance, "mc"), "controller"), services, slices, map_}));
    if (!memories_.back())
      fail(ExitCode::configuration, "memory.main_memory: no memory is called \"{}\"", parameters.main_memory.name());
    idle_when_done(*memories_.back());
  }
  if (has_l2) {
    for (unsigned i = 0; i < targets; ++i) {
      const std::string instance = numbered("l2_", i);
      l2_.push_back(make_cache(
          "memory.l2", {instance.c_str(), clock_of(instance, clocks.l2), parameters.l2,
                        StatisticsGroup(owner(instance, "l2"), "cache"), services, CacheSetting{1, seed + i, map_}}));
      connections_.connect(l2_.back()->out(), bottom(i));
      idle_when_done(*l2_.back());
    }
  }
  if (!has_crossbar) return;
  interconnect_ = make(parameters.crossbar.kind,
                       InterconnectSite{"crossbar", clock_of("crossbar", clocks.crossbar, WindowPhase::third),
                                        clock_of("crossbar_reply", clocks.crossbar), parameters.crossbar,
                                        StatisticsGroup(owner("crossbar", "crossbar"), "network"), services,
                                        InterconnectSetting{ports, targets, map_}});
  if (!interconnect_) {
    fail(ExitCode::configuration, "memory.crossbar.kind: no interconnect is called \"{}\"",
         parameters.crossbar.kind.name());
  }
  for (unsigned i = 0; i < targets; ++i) {
    connections_.connect(interconnect_->out(i), has_l2 ? l2_[i]->in() : bottom(i));
  }
}

MemorySystem::~MemorySystem() = default;

AnyTarget& MemorySystem::in(unsigned i) {
  if (interconnect_) return interconnect_->in(i);
  return !l2_.empty() ? l2_[i]->in() : bottom(i);
}

AnyTarget& MemorySystem::bottom(unsigned i) {
  const unsigned slices = map_->parameters().slices;
  return memories_[i / slices]->in(i % slices);
}

Lookahead MemorySystem::lookahead(const ClockDomain& clock) const {
  if (common_clock_ != &clock || parts_.empty() || l2_.empty() || interconnect_ == nullptr) return {};
  Lookahead found{interconnect_->passage(), kNever};
  for (const auto& slice : l2_) found.cycles = std::min(found.cycles, slice->look_up_after());
  return found;
}

void MemorySystem::record(CommandTrace& trace) {
  for (unsigned i = 0; i < memories(); ++i) {
    if (const ChannelGeometry* const geometry = memories_[i]->banks())
      memories_[i]->listen(trace.of_channel(i, *geometry));
  }
}

void MemorySystem::settle() {
  if (interconnect_) interconnect_->settle();
  for (auto& slice : l2_) slice->settle();
  for (auto& memory : memories_) memory->settle();
}

void MemorySystem::preload(std::uint64_t address, std::uint64_t bytes) {
  if (l2_.empty() || bytes == 0) return;
  const std::uint64_t line_bytes = l2_.front()->line_bytes();
  std::uint64_t line = address & ~(line_bytes - 1);
  // If the region exceeds the L2, its end remains.
  const std::uint64_t held = l2_.size() * l2_.front()->capacity();
  if (held != 0 && bytes > 2 * held) line = (address + bytes - 2 * held) & ~(line_bytes - 1);
  for (; line < address + bytes; line += line_bytes) l2_[map_->target(line)]->preload(line);
}

bool MemorySystem::idle() const {
  const auto busy = [](const auto& part) { return part->busy() != 0; };
  return std::none_of(l2_.begin(), l2_.end(), busy) && std::none_of(memories_.begin(), memories_.end(), busy) &&
         (!interconnect_ || interconnect_->busy() == 0);
}

}  // namespace heddle::memory
