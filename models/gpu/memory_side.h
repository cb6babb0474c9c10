// SPDX-License-Identifier: Apache-2.0
// The model behind the SMs' memory sockets: caches, crossbar, memory. The machine builds it from the configuration; a
// test may bind anything that implements the base protocol.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/config/mechanism.h"
#include "core/identifier.h"
#include "core/kernel/clock.h"
#include "core/kernel/services.h"
#include "core/kernel/window_rules.h"

namespace heddle::sm {
class Sm;
}

namespace heddle::gpu {

class DeviceMemory;
class MemoryHierarchy;
struct MachineParameters;

/// Construction arguments of a memory side. All of them outlive it.
struct MemorySideSite {
  ClockTree& clocks;
  ClockDomain& core;
  unsigned sms;  ///< over all classes
  const MachineParameters& parameters;
  Services& services;
  DeviceMemory& bytes;    ///< data for foreign initiators; the machine's own requests carry none
  bool in_parts = false;  ///< whether its modules are to be parts of their clocks, to work on several threads
};

/// A kind is one self-registering file, selected by the parameter memory_side.
class MemorySide {
 public:
  using MakeArguments = void(const MemorySideSite&);
  virtual ~MemorySide() = default;
  /// Binds the sockets of SM sm.number(). Called once per SM, at the end of its construction: modules built here are
  /// its children.
  virtual void bind(sm::Sm& sm) = 0;
  /// For windows of cycles, once all SMs are bound. cycles: also from a load's issue to the use of its value.
  virtual Lookahead lookahead() const { return {}; }
  /// Nothing in flight.
  virtual bool idle() const = 0;
  /// The same of what belongs to one SM.
  virtual bool idle(SmId /*sm*/) const { return idle(); }
  /// A kernel has ended: read-only and first-level caches are invalidated, as the machine requires.
  virtual void end_of_kernel() {}
  /// Between kernels: empties all caches.
  virtual void reset() {}
  /// Between cycles: brings lazily updated statistics up to date.
  virtual void settle() {}
  /// The hierarchy, for recording; null: nothing to record.
  virtual MemoryHierarchy* hierarchy() { return nullptr; }
  virtual std::string state_dump() const { return {}; }
};

using MemorySideFactory =
    std::function<std::unique_ptr<MemorySide>(ClockTree& clocks, ClockDomain& core, unsigned sms)>;

}  // namespace heddle::gpu
