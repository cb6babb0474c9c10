// SPDX-License-Identifier: Apache-2.0
// Finds packets that a switch passed over too often. If transfers of several flits stay in step, an input may be busy
// with one output whenever another is free, and starve the packet for that one; the switch then reserves both ports.
#pragma once

#include <cstdint>
#include <vector>

#include "memory/network/arbiter.h"

namespace heddle::memory {

/// For switches with a queue per input and output.
class OverdueHeads {
 public:
  OverdueHeads(unsigned inputs, unsigned outputs)
      : inputs_(inputs), outputs_(outputs), started_(outputs), head_since_(std::size_t{inputs} * outputs) {}

  /// A packet entered the empty queue of an input and an output.
  void entered(unsigned input, unsigned output) { head_since_[queue(input, output)] = started_[output]; }
  /// The head of a queue started its transfer; the packet behind it is the head now. waiting: inputs that still have
  /// one for the output.
  void started(const SwitchMatch& match, const PortSet& waiting);
  /// Heads passed by more transfers to their output than there are inputs, oldest first; looked for at intervals.
  const std::vector<SwitchMatch>& heads() const { return heads_; }

 private:
  std::size_t queue(unsigned input, unsigned output) const { return std::size_t{input} * outputs_ + output; }
  void look(unsigned output, const PortSet& waiting);

  unsigned inputs_, outputs_;
  std::vector<std::uint64_t> started_;     // by output: transfers
  std::vector<std::uint64_t> head_since_;  // by queue: started_ of its output when the oldest packet became the head
  std::vector<SwitchMatch> heads_;
};

}  // namespace heddle::memory
