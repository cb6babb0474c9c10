// SPDX-License-Identifier: Apache-2.0
// Interface between fetch stage and instruction cache: a look-up call that hits or misses, and a callback when a line
// is filled. The cache behind it belongs to the memory side.
#pragma once

#include <cstdint>
#include <systemc>

#include "core/kernel/cycle.h"

namespace heddle {

class InstructionReturn {
 public:
  virtual ~InstructionReturn() = default;
  /// The line at this address is filled: fetches waiting for it may continue in cycle `from`.
  virtual void line_filled(std::uint64_t line, Cycle from) = 0;
};

class InstructionStore : public sc_core::sc_interface {
 public:
  enum class Answer : std::uint8_t {
    hit,
    miss,  ///< line_filled() follows
    busy,  ///< no MSHR is free: retry in a later cycle
  };
  /// Looks up the line holding `address`. waiter: called when a missing line is filled.
  virtual Answer look_up(std::uint64_t address, InstructionReturn& waiter) = 0;
  virtual unsigned line_bytes() const = 0;
};

/// An instruction cache that always hits.
class PerfectInstructionStore final : public InstructionStore {
 public:
  Answer look_up(std::uint64_t, InstructionReturn&) override { return Answer::hit; }
  unsigned line_bytes() const override { return 128; }
};

}  // namespace heddle
