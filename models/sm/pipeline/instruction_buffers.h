// SPDX-License-Identifier: Apache-2.0
// Decoded instructions waiting at each context: a run of consecutive ones from a program counter, since micro-ops are
// looked up by it. Logic only.
#pragma once

#include <array>
#include <cstdint>

#include "sm/packet.h"

namespace heddle::sm {

class InstructionBuffers {
 public:
  struct Buffer {
    std::uint32_t pc = 0;          ///< of the oldest entry
    std::uint16_t count = 0;       ///< decoded entries
    std::uint16_t requested = 0;   ///< entries on their way
    std::uint16_t generation = 0;  ///< of the requests that still count
  };

  explicit InstructionBuffers(unsigned depth) : depth_(depth) {}

  unsigned depth() const { return depth_; }
  const Buffer& operator[](ContextId c) const { return buffers_[c]; }
  bool holds(ContextId c, std::uint32_t pc) const { return buffers_[c].count != 0 && buffers_[c].pc == pc; }

  /// The context goes on at `pc`: keeps what the buffer already has from there, drops the rest. What is on its way is
  /// kept when it continues the run, else ignored when it comes.
  void follow(ContextId c, std::uint32_t pc) {
    Buffer& b = buffers_[c];
    const std::uint32_t skip = pc - b.pc;
    if (skip <= b.count && pc >= b.pc) {
      b.pc = pc;
      b.count = static_cast<std::uint16_t>(b.count - skip);
      return;
    }
    flush(c, pc);
  }
  void flush(ContextId c, std::uint32_t pc) {
    Buffer& b = buffers_[c];
    b.pc = pc;
    b.count = 0;
    b.requested = 0;
    ++b.generation;
  }
  /// Entries that may still be requested.
  unsigned room(ContextId c) const { return depth_ - buffers_[c].count - buffers_[c].requested; }
  std::uint32_t next_pc(ContextId c) const { return buffers_[c].pc + buffers_[c].count + buffers_[c].requested; }
  void requested(ContextId c, unsigned count) {
    buffers_[c].requested = static_cast<std::uint16_t>(buffers_[c].requested + count);
  }
  /// Decoded entries arrive; those of an older generation are dropped. True when kept.
  bool fill(ContextId c, std::uint16_t generation, unsigned count) {
    Buffer& b = buffers_[c];
    if (generation != b.generation) return false;
    b.requested = static_cast<std::uint16_t>(b.requested - count);
    b.count = static_cast<std::uint16_t>(b.count + count);
    return true;
  }

 private:
  unsigned depth_;
  std::array<Buffer, kMaxContexts> buffers_{};
};

}  // namespace heddle::sm
