// SPDX-License-Identifier: Apache-2.0
// The memory hierarchy of a machine, from the SM caches to the DRAM banks, with its clocks. Used behind SMs and by
// trace replay without SMs.
#pragma once

#include <memory>
#include <vector>

#include "core/kernel/protocol_checker.h"
#include "core/kernel/window_rules.h"
#include "gpu/gpu_parameters.h"
#include "memory/cache/sm_caches.h"
#include "memory/memory_system.h"

namespace heddle::gpu {

class MemoryHierarchy {
 public:
  /// core: the clock of the SM caches. sms: over all classes of `parameters`, which outlive this. entry: as for
  /// MemorySystem; below `ports` there are no SM caches. in_parts: as in MemoryClocks.
  MemoryHierarchy(ClockTree& clocks, ClockDomain& core, unsigned sms, const MachineParameters& parameters,
                  Services& services, memory::MemoryEntry entry = memory::MemoryEntry::ports, bool in_parts = false);

  /// Builds the caches of an SM and binds them to the memory system. Call once per SM, in the constructor of the module
  /// whose children they are to be. statistics: of the SM.
  memory::SmCaches& add_caches(SmId sm, StatisticsOwner& statistics, ClockDomain& clock);
  memory::SmCaches& caches(SmId sm) { return *caches_[sm]; }
  const SmClass& class_of(SmId sm) const;
  memory::MemorySystem& system() { return *system_; }
  /// Clocks of the L2 and of DRAM commands; the core clock itself if frequencies are equal.
  ClockDomain& l2_clock() { return *l2_clock_; }
  ClockDomain& dram_clock() { return *dram_clock_; }

  /// As MemorySide::lookahead().
  Lookahead lookahead() const;
  /// Nothing in flight.
  bool idle() const;
  /// The same of the caches of one SM.
  bool idle(SmId sm) const { return caches_[sm]->busy() == 0; }
  /// Between cycles: brings per-cycle counters up to date.
  void settle();
  /// Invalidates the first-level and read-only caches.
  void end_of_kernel();
  /// Invalidates the L2 too.
  void reset();

 private:
  const MachineParameters& parameters_;
  Services& services_;
  const ClockDomain& core_;
  std::vector<std::unique_ptr<ClockDomain>> own_clocks_;
  ClockDomain* l2_clock_;
  ClockDomain* dram_clock_;
  std::unique_ptr<memory::MemorySystem> system_;
  std::vector<std::unique_ptr<memory::SmCaches>> caches_;
  CheckedConnections connections_;
};

}  // namespace heddle::gpu
