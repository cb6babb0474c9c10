// SPDX-License-Identifier: Apache-2.0
// Instruction buffer of each context. A buffer is just a range of consecutive PCs, because micro-ops are looked up by
// PC. Logic only.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "sm/packet.h"

namespace heddle::sm {

class InstructionBuffers {
 public:
  /// What a buffer holds and awaits; one word, so that it compares fast.
  struct alignas(8) Range {
    std::uint32_t pc = 0;         ///< PC of the oldest entry
    std::uint16_t count = 0;      ///< decoded entries
    std::uint16_t requested = 0;  ///< entries requested but not yet decoded
    bool operator==(const Range& o) const {
      return std::bit_cast<std::uint64_t>(*this) == std::bit_cast<std::uint64_t>(o);
    }
  };
  struct Buffer : Range {
    std::uint16_t generation = 0;  ///< generation of requests that are still valid
  };

  explicit InstructionBuffers(unsigned depth) : depth_(depth) {}

  unsigned depth() const { return depth_; }
  const Buffer& operator[](ContextId c) const { return buffers_[c]; }
  bool holds(ContextId c, std::uint32_t pc) const { return buffers_[c].count != 0 && buffers_[c].pc == pc; }
  const Range& range(ContextId c) const { return buffers_[c]; }

  /// What a context that continues at `pc` keeps of a range: the entries from there on. Outstanding requests are kept
  /// if they continue it. False: nothing is kept.
  static bool follow(Range& range, std::uint32_t pc) {
    const std::uint32_t skip = pc - range.pc;
    if (skip > range.count || pc < range.pc) return false;
    range.pc = pc;
    range.count = static_cast<std::uint16_t>(range.count - skip);
    return true;
  }
  /// The same for the context's buffer, which is flushed if nothing is kept.
  void follow(ContextId c, std::uint32_t pc) {
    Buffer& b = buffers_[c];
    const std::uint32_t skip = pc - b.pc;  // of a PC before the oldest entry: more than any count
    if (skip > b.count) {
      flush(c, pc);
      return;
    }
    b.pc = pc;
    b.count = static_cast<std::uint16_t>(b.count - skip);
  }
  void keep(ContextId c, const Range& range) { static_cast<Range&>(buffers_[c]) = range; }
  /// The context continues at `pc` with nothing fetched. Outstanding requests are ignored when they arrive.
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
