// SPDX-License-Identifier: Apache-2.0
// What lies behind the SMs' sockets: caches, crossbar, memory. The machine builds one from its configuration; a test
// may bind anything that speaks the base protocol.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/clock.h"
#include "core/services.h"
#include "sm/sm.h"

namespace heddle::gpu {

class MemorySide {
 public:
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
  virtual std::string state_dump() const { return {}; }
};

using MemorySideFactory =
    std::function<std::unique_ptr<MemorySide>(ClockTree& clocks, ClockDomain& core, unsigned sms)>;

}  // namespace heddle::gpu
