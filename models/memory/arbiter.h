// SPDX-License-Identifier: Apache-2.0
// Which inputs of a switch are connected to which outputs. A policy is one file under arbiters/.
#pragma once

#include <vector>

#include "core/bits.h"
#include "core/mechanism.h"

namespace heddle::memory {

/// Ports of one side of a switch.
using PortSet = Bits<128>;
inline constexpr unsigned kMaxSwitchPorts = 128;

struct SwitchMatch {
  unsigned input, output;
};

class Arbiter {
 public:
  using MakeArguments = void(unsigned inputs, unsigned outputs);
  virtual ~Arbiter() = default;
  /// wanted[output]: inputs with a packet for it. Appends matches, each input and each output at most once, among free
  /// inputs and free outputs. Not called when nothing can match.
  virtual void match(const std::vector<PortSet>& wanted, const PortSet& free_inputs, const PortSet& free_outputs,
                     std::vector<SwitchMatch>& matches) = 0;
};

/// Lowest member at or after `from`, wrapping around; set not empty.
inline unsigned next_in_turn(const PortSet& set, unsigned from) {
  const std::size_t found = set.next(from);
  return static_cast<unsigned>(found < kMaxSwitchPorts ? found : set.first());
}

}  // namespace heddle::memory
