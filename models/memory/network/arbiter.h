// SPDX-License-Identifier: Apache-2.0
// Arbiters match the inputs of a switch to its outputs. A policy is one file under arbiters/.
#pragma once

#include <cstdint>
#include <vector>

#include "core/bits.h"
#include "core/config/mechanism.h"

namespace heddle::memory {

/// Ports on one side of a switch.
using PortSet = Bits<128>;
inline constexpr unsigned kMaxSwitchPorts = 128;

struct SwitchMatch {
  unsigned input, output;
  bool operator==(const SwitchMatch&) const = default;
};

/// Ages of the packets that could start.
class PacketAges {
 public:
  virtual ~PacketAges() = default;
  /// Arrival order of the packet at the head of a queue; smaller is older. The input must have a packet for the output.
  virtual std::uint64_t order(unsigned input, unsigned output) const = 0;
};

/// The requests an arbiter chooses from.
struct SwitchRequests {
  const std::vector<PortSet>& wanted;  ///< by output: inputs with a packet for it
  const PortSet& free_inputs;
  const PortSet& free_outputs;
  const PacketAges& ages;
};

class Arbiter {
 public:
  using MakeArguments = void(unsigned inputs, unsigned outputs);
  virtual ~Arbiter() = default;
  /// Appends matches between free inputs and free outputs, each used at most once. Only called if something can match.
  virtual void match(const SwitchRequests& requests, std::vector<SwitchMatch>& matches) = 0;
  /// Whether starvation is part of the policy; if not, the switch reserves ports for a packet that waited too long.
  virtual bool starves() const { return false; }
};

/// First member at or after `from`, wrapping around; the set is not empty.
inline unsigned next_in_turn(const PortSet& set, unsigned from) {
  const std::size_t found = set.next(from);
  return static_cast<unsigned>(found < kMaxSwitchPorts ? found : set.first());
}

}  // namespace heddle::memory
