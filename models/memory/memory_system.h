// SPDX-License-Identifier: Apache-2.0
// Everything between the SMs and the bytes: crossbar, L2 slices, controllers and banks, built from parameters.
#pragma once

#include <memory>
#include <systemc>
#include <vector>

#include "core/protocol_checker.h"
#include "memory/cache.h"
#include "memory/constant_latency_memory.h"
#include "memory/crossbar.h"
#include "memory/memory_controller.h"

namespace heddle::memory {

class CommandTrace;

enum class MainMemory : std::uint8_t { kDram, kConstantLatency };

struct MemorySystemParameters {
  MemorySystemParameters();
  AddressMapParameters map;
  bool has_crossbar = true;
  CrossbarParameters crossbar;
  bool has_l2 = true;
  CacheParameters l2;
  MainMemory main_memory = MainMemory::kDram;
  MemoryControllerParameters controller;
  ConstantLatencyParameters constant_latency;

  void describe(ParameterVisitor& v);
  void check(ParameterChecks& checks) const;
};

/// Where requests come in: by the ports of SMs, or further down, what is above then not being there.
enum class MemoryEntry : std::uint8_t { kPorts, kL2, kController };

/// Clocks of the parts; they may be one and the same.
struct MemoryClocks {
  ClockDomain& crossbar;
  ClockDomain& l2;
  ClockDomain& dram;
};

class MemorySystem final : public sc_core::sc_module {
 public:
  /// ports: SMs, 1 .. 128. Without crossbar: 1, with one slice or controller. entry: kPorts; kL2: in(i) is slice i;
  /// kController: in(i) is socket i of the controllers, the one that serves slice i.
  MemorySystem(sc_core::sc_module_name name, const MemoryClocks& clocks, const MemorySystemParameters& parameters,
               unsigned ports, Services& services, std::uint64_t seed = 0, MemoryEntry entry = MemoryEntry::kPorts);
  ~MemorySystem() override;

  /// Where all misses of SM i go. i: 0 .. ports-1; below the crossbar 0 .. map().targets()-1, by map().target().
  TargetSocket& in(unsigned i);
  /// Gives every controller the way to the bytes. storage: a target socket that takes several connections.
  template <typename Storage>
  void bind_storage(Storage& storage) {
    for (auto& controller : controllers_) connections_.connect(controller->storage(), storage);
    for (auto& memory : memories_) connections_.connect(memory->storage(), storage);
  }

  /// Writes the commands of every channel to the trace, which outlives this module. Without DRAM nothing happens.
  void record(CommandTrace& trace);
  /// Makes the lines of a region present in the L2, as after a copy by the host. Without L2 nothing happens.
  void preload(std::uint64_t address, std::uint64_t bytes);
  /// Nothing under way.
  bool idle() const;
  /// Between cycles: charges what is counted by the cycle up to now.
  void settle() {
    if (crossbar_) crossbar_->settle();
    for (auto& controller : controllers_) controller->settle();
  }

  const AddressMap& map() const { return *map_; }
  unsigned slices() const { return static_cast<unsigned>(l2_.size()); }
  Cache& slice(unsigned i) { return *l2_[i]; }
  unsigned controllers() const { return static_cast<unsigned>(controllers_.size()); }
  MemoryController& controller(unsigned i) { return *controllers_[i]; }
  /// Null without one.
  Crossbar* crossbar() { return crossbar_.get(); }
  ConstantLatencyMemory& constant_latency(unsigned i) { return *memories_[i]; }

 private:
  /// Socket i of the controllers or memories.
  TargetSocket& bottom(unsigned i);

  std::shared_ptr<const AddressMap> map_;
  CheckedConnections connections_;
  std::vector<std::unique_ptr<StatisticsOwner>> owners_;
  std::unique_ptr<Crossbar> crossbar_;
  std::vector<std::unique_ptr<Cache>> l2_;
  std::vector<std::unique_ptr<MemoryController>> controllers_;
  std::vector<std::unique_ptr<ConstantLatencyMemory>> memories_;
};

}  // namespace heddle::memory
