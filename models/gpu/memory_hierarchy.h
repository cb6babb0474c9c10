// SPDX-License-Identifier: Apache-2.0
// A machine's memory side, from the caches of its SMs to the banks, in its clocks: what lies behind SMs, and what a
// trace is replayed on without any.
#pragma once

#include <memory>
#include <vector>

#include "core/kernel/protocol_checker.h"
#include "gpu/gpu_parameters.h"
#include "memory/cache/sm_caches.h"
#include "memory/memory_system.h"

namespace heddle::gpu {

class MemoryHierarchy {
 public:
  /// core: the clock of the SMs' caches. sms: over all classes of `parameters`, which outlive this. entry: as of
  /// MemorySystem; below kPorts there are no caches of SMs.
  MemoryHierarchy(ClockTree& clocks, ClockDomain& core, unsigned sms, const MachineParameters& parameters,
                  Services& services, memory::MemoryEntry entry = memory::MemoryEntry::ports);

  /// Builds the caches of an SM and binds them to the memory system. Once for each SM. statistics: the SM's.
  memory::SmCaches& add_caches(unsigned sm, StatisticsOwner& statistics);
  memory::SmCaches& caches(unsigned sm) { return *caches_[sm]; }
  const SmClass& class_of(unsigned sm) const;
  memory::MemorySystem& system() { return *system_; }
  /// Clock of the L2 and of the DRAM commands; the core's own where frequencies are equal.
  ClockDomain& l2_clock() { return *l2_clock_; }
  ClockDomain& dram_clock() { return *dram_clock_; }

  /// Nothing is under way.
  bool idle() const;
  /// Between cycles: charges what is counted by the cycle up to now.
  void settle();
  /// First-level and read-only contents go.
  void end_of_kernel();
  /// The L2's too.
  void reset();

 private:
  const MachineParameters& parameters_;
  Services& services_;
  ClockDomain& core_;
  std::vector<std::unique_ptr<ClockDomain>> own_clocks_;
  ClockDomain* l2_clock_;
  ClockDomain* dram_clock_;
  std::unique_ptr<memory::MemorySystem> system_;
  std::vector<std::unique_ptr<memory::SmCaches>> caches_;
  CheckedConnections connections_;
};

}  // namespace heddle::gpu
