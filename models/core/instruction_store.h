// SPDX-License-Identifier: Apache-2.0
// How a fetch stage asks for instructions: a call that hits or not, and a return when a line has come. The cache behind
// it is the memory side's; fetch and cache know only this.
#pragma once

#include <cstdint>
#include <systemc>

#include "core/cycle.h"

namespace heddle {

class InstructionReturn {
 public:
  virtual ~InstructionReturn() = default;
  /// The line at this address comes: whoever waits for it may go on in cycle `from`.
  virtual void line_filled(std::uint64_t line, Cycle from) = 0;
};

class InstructionStore : public sc_core::sc_interface {
 public:
  enum class Answer : std::uint8_t {
    hit,
    miss,  ///< line_filled() follows
    busy,  ///< no miss entry is free: ask again in a later cycle
  };
  /// Looks up the line that holds `address`. waiter: told when a missing line comes.
  virtual Answer look_up(std::uint64_t address, InstructionReturn& waiter) = 0;
  virtual unsigned line_bytes() const = 0;
};

/// Instructions that are always there.
class PerfectInstructionStore final : public InstructionStore {
 public:
  Answer look_up(std::uint64_t, InstructionReturn&) override { return Answer::hit; }
  unsigned line_bytes() const override { return 128; }
};

}  // namespace heddle
