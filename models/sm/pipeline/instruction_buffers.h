// SPDX-License-Identifier: Apache-2.0
// Instruction buffer of each context. A buffer is just a range of consecutive PCs, because micro-ops are looked up by
// PC. Logic only.
#pragma once

#include <array>
#include <cstdint>

#include "sm/packet.h"

namespace heddle::sm {

class InstructionBuffers {
 public:
  struct Buffer {
    std::uint32_t pc = 0;          ///< PC of the oldest entry
    std::uint16_t count = 0;       ///< decoded entries
    std::uint16_t requested = 0;   ///< entries requested but not yet decoded
    std::uint16_t generation = 0;  ///< generation of requests that are still valid
  };

  explicit InstructionBuffers(unsigned depth) : depth_(depth) {}

  unsigned depth() const { return depth_; }
  const Buffer& operator[](ContextId c) const { return buffers_[c]; }
  bool holds(ContextId c, std::uint32_t pc) const { return buffers_[c].count != 0 && buffers_[c].pc == pc; }

  /// The context continues at `pc`: keeps the buffered entries from there on and drops the rest. Outstanding requests
  /// are kept if they continue the range, else ignored when they arrive.
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
  /// Decoded entries arrive; entries of an older generation are dropped. True if kept.
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
