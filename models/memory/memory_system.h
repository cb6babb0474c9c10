// SPDX-License-Identifier: Apache-2.0
// Everything between the SMs and the bytes: crossbar, L2 slices, controllers and banks, built from parameters.
#pragma once

#include <memory>
#include <systemc>
#include <vector>

#include "core/kernel/protocol_checker.h"
#include "memory/cache/cache_level.h"
#include "memory/dram/memory_controller_parameters.h"
#include "memory/main_memory.h"
#include "memory/network/crossbar_parameters.h"
#include "memory/network/interconnect.h"

namespace heddle::memory {

class CommandTrace;

struct MemorySystemParameters {
  MemorySystemParameters();
  AddressMapParameters map;
  bool has_crossbar = true;
  CrossbarParameters crossbar;
  bool has_l2 = true;
  CacheParameters l2;
  Mechanism<MainMemory> main_memory{"dram"};
  MemoryControllerParameters controller;

  void describe(ParameterVisitor& v);
  void check(ParameterChecks& checks) const;
};

/// Where requests come in: by the ports of SMs, or further down, what is above then not being there.
enum class MemoryEntry : std::uint8_t { ports, l2, controller };

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
               unsigned ports, Services& services, std::uint64_t seed = 0, MemoryEntry entry = MemoryEntry::ports);
  ~MemorySystem() override;

  /// Where all misses of SM i go. i: 0 .. ports-1; below the crossbar 0 .. map().targets()-1, by map().target().
  AnyTarget& in(unsigned i);
  /// Gives every memory that wants it the way to the bytes. storage: a target socket that takes several connections.
  template <typename Storage>
  void bind_storage(Storage& storage) {
    for (auto& memory : memories_) {
      if (AnyInitiator* const bytes = memory->bytes()) connections_.connect(*bytes, storage);
    }
  }

  /// Writes the commands of every memory that has banks to the trace, which outlives this module.
  void record(CommandTrace& trace);
  /// Makes the lines of a region present in the L2, as after a copy by the host. Without L2 nothing happens.
  void preload(std::uint64_t address, std::uint64_t bytes);
  /// Nothing under way.
  bool idle() const;
  /// Between cycles: charges what is counted by the cycle up to now.
  void settle();

  const AddressMap& map() const { return *map_; }
  unsigned slices() const { return static_cast<unsigned>(l2_.size()); }
  CacheLevel& slice(unsigned i) { return *l2_[i]; }
  unsigned memories() const { return static_cast<unsigned>(memories_.size()); }
  MainMemory& memory(unsigned i) { return *memories_[i]; }
  /// Whether there are banks whose commands can be recorded.
  bool has_banks() const { return memories_.front()->banks() != nullptr; }
  /// Null without one.
  Interconnect* interconnect() { return interconnect_.get(); }

 private:
  /// Socket i of the memories.
  AnyTarget& bottom(unsigned i);

  std::shared_ptr<const AddressMap> map_;
  CheckedConnections connections_;
  std::vector<std::unique_ptr<StatisticsOwner>> owners_;
  std::unique_ptr<Interconnect> interconnect_;
  std::vector<std::unique_ptr<CacheLevel>> l2_;
  std::vector<std::unique_ptr<MainMemory>> memories_;
};

}  // namespace heddle::memory
