// SPDX-License-Identifier: Apache-2.0
// What lies behind the SMs' sockets: caches, crossbar, memory. The machine builds one from its configuration; a test
// may bind anything that speaks the base protocol.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/config/mechanism.h"
#include "core/kernel/clock.h"
#include "core/kernel/services.h"
#include "sm/sm.h"

namespace heddle::gpu {

class DeviceMemory;
class MemoryHierarchy;
struct MachineParameters;

/// What a machine builds its memory side from. All of it outlives the memory side.
struct MemorySideSite {
  ClockTree& clocks;
  ClockDomain& core;
  unsigned sms;  ///< over all classes
  const MachineParameters& parameters;
  Services& services;
  DeviceMemory& bytes;  ///< what foreign initiators read and write; the machine's own requests carry none
};

/// A kind is one file that registers itself; the key memory_side chooses it.
class MemorySide {
 public:
  using MakeArguments = void(const MemorySideSite&);
  virtual ~MemorySide() = default;
  /// Binds the sockets of SM number sm.number(). Once for each SM, before simulation starts.
  virtual void bind(sm::Sm& sm) = 0;
  /// Nothing is under way.
  virtual bool idle() const = 0;
  /// A kernel has ended: read-only contents and first-level data are dropped, as the machine's rules have it.
  virtual void end_of_kernel() {}
  /// Between kernels: nothing that was read or written before is held any more.
  virtual void reset() {}
  /// Between cycles: brings statistics that are charged late up to now.
  virtual void settle() {}
  /// What there is to be recorded of it; null: nothing.
  virtual MemoryHierarchy* hierarchy() { return nullptr; }
  virtual std::string state_dump() const { return {}; }
};

using MemorySideFactory =
    std::function<std::unique_ptr<MemorySide>(ClockTree& clocks, ClockDomain& core, unsigned sms)>;

}  // namespace heddle::gpu
