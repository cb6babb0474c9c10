// SPDX-License-Identifier: Apache-2.0
// Which inputs of a switch are connected to which outputs. A policy is one file under arbiters/.
#pragma once

#include <cstdint>
#include <vector>

#include "core/bits.h"
#include "core/config/mechanism.h"

namespace heddle::memory {

/// Ports of one side of a switch.
using PortSet = Bits<128>;
inline constexpr unsigned kMaxSwitchPorts = 128;

struct SwitchMatch {
  unsigned input, output;
};

/// How long the packets that could start have waited.
class PacketAges {
 public:
  virtual ~PacketAges() = default;
  /// Of the packet at the head of a queue: smaller came earlier. input wants output.
  virtual std::uint64_t order(unsigned input, unsigned output) const = 0;
};

/// What an arbiter chooses among.
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
  /// Appends matches, each input and each output at most once, among free inputs and free outputs. Not called when
  /// nothing can match.
  virtual void match(const SwitchRequests& requests, std::vector<SwitchMatch>& matches) = 0;
  /// Whether it means to let packets wait for ever; else ports are kept for one that waited too long.
  virtual bool starves() const { return false; }
};

/// Lowest member at or after `from`, wrapping around; set not empty.
inline unsigned next_in_turn(const PortSet& set, unsigned from) {
  const std::size_t found = set.next(from);
  return static_cast<unsigned>(found < kMaxSwitchPorts ? found : set.first());
}

}  // namespace heddle::memory
