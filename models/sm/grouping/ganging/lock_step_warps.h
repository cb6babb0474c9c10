// SPDX-License-Identifier: Apache-2.0
// What the issue of gangs needs of the grouping: warps go on together.
#pragma once

#include <cstdint>

#include "core/identifier.h"

namespace heddle::sm {

class GangPackets;

/// The grouping of warps that move in lock step.
class LockStepWarps {
 public:
  virtual ~LockStepWarps() = default;
  /// The contexts first + i, bit i of `company`, which were at one PC, go on at another.
  virtual void go_on_together(ContextId first, std::uint8_t company, std::uint32_t pc) = 0;
  /// Sets what issues packets of several warps; null: they issue alone.
  void issue_with(GangPackets* packets) { packets_ = packets; }

 protected:
  GangPackets* packets_ = nullptr;
};

}  // namespace heddle::sm
