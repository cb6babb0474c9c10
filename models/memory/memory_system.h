// SPDX-License-Identifier: Apache-2.0
// The memory system below the SMs: crossbar, L2 slices, controllers and banks, built from parameters.
#pragma once

#include <memory>
#include <systemc>
#include <vector>

#include "core/kernel/protocol_checker.h"
#include "core/kernel/window_rules.h"
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

/// Where requests enter: at the SM ports, or further down, in which case the levels above are not built.
enum class MemoryEntry : std::uint8_t { ports, l2, controller };

/// Clock domains of the parts; they may coincide.
struct MemoryClocks {
  ClockDomain& crossbar;
  ClockDomain& l2;
  ClockDomain& dram;
  /// Whether the crossbar, every slice and every controller is a part of its own, to work on several threads.
  bool in_parts = false;
};

class MemorySystem final : public sc_core::sc_module {
 public:
  /// ports: number of SMs, 1 .. 128; without a crossbar 1, with one slice or controller. With entry `l2`, in(i) is
  /// slice i; with `controller`, in(i) is the controller socket that serves slice i.
  MemorySystem(sc_core::sc_module_name name, const MemoryClocks& clocks, const MemorySystemParameters& parameters,
               unsigned ports, Services& services, std::uint64_t seed = 0, MemoryEntry entry = MemoryEntry::ports);
  ~MemorySystem() override;

  /// Entry for all misses of SM i, 0 .. ports-1; below the crossbar 0 .. map().targets()-1, as given by map().target().
  AnyTarget& in(unsigned i);
  /// Connects every memory that needs it to the data. storage: a target socket that accepts several connections.
  template <typename Storage>
  void bind_storage(Storage& storage) {
    for (auto& memory : memories_) {
      if (AnyInitiator* const bytes = memory->bytes()) connections_.connect(*bytes, storage);
    }
  }

  /// Records the commands of every memory with banks. The trace must outlive this module.
  void record(CommandTrace& trace);
  /// Makes the lines of a region present in the L2, as after a host copy. No effect without an L2.
  void preload(std::uint64_t address, std::uint64_t bytes);
  /// Nothing in flight.
  bool idle() const;
  /// Between cycles: brings per-cycle counters up to date.
  void settle();

  const AddressMap& map() const { return *map_; }
  unsigned slices() const { return static_cast<unsigned>(l2_.size()); }
  CacheLevel& slice(unsigned i) { return *l2_[i]; }
  unsigned memories() const { return static_cast<unsigned>(memories_.size()); }
  MainMemory& memory(unsigned i) { return *memories_[i]; }
  /// Whether there are banks with recordable commands.
  bool has_banks() const { return memories_.front()->banks() != nullptr; }
  /// Null if there is none.
  Interconnect* interconnect() { return interconnect_.get(); }

  /// For windows of cycles of `clock`, if crossbar and L2 are parts of it.
  Lookahead lookahead(const ClockDomain& clock) const;

 private:
  /// Socket i of the memories.
  AnyTarget& bottom(unsigned i);

  std::shared_ptr<const AddressMap> map_;
  const ClockDomain* common_clock_;  ///< of crossbar and L2; null: they have two
  std::vector<std::unique_ptr<ClockDomain>> parts_;
  CheckedConnections connections_;
  std::vector<std::unique_ptr<StatisticsOwner>> owners_;
  std::unique_ptr<Interconnect> interconnect_;
  std::vector<std::unique_ptr<CacheLevel>> l2_;
  std::vector<std::unique_ptr<MainMemory>> memories_;
};

}  // namespace heddle::memory
