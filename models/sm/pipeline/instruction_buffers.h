// SPDX-License-Identifier: Apache-2.0
// Instruction buffer of each context. A buffer is just a range of consecutive PCs, because micro-ops are looked up by
// PC. Logic only.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "sm/context_words.h"
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

  explicit InstructionBuffers(unsigned depth) : depth_(depth) {}

  unsigned depth() const { return depth_; }
  const Range& operator[](ContextId c) const { return ranges_[c]; }
  std::uint16_t generation(ContextId c) const { return generations_[c]; }
  bool holds(ContextId c, std::uint32_t pc) const { return ranges_[c].count != 0 && ranges_[c].pc == pc; }

  /// The contexts `run` of a word, whose ranges equal that of `first`, one of them, continue at `pc`. They keep the
  /// entries from there on, and outstanding requests if these continue them. If nothing is kept, the buffers are
  /// flushed.
  void follow(ContextId first, std::uint64_t run, std::uint32_t pc) {
    Range range = ranges_[first];
    const std::uint32_t skip = pc - range.pc;  // of a PC before the oldest entry: more than any count
    if (skip > range.count) {
      for_each_of(first / 64, run, [&](ContextId c) { flush(c, pc); });
      return;
    }
    range.pc = pc;
    range.count = static_cast<std::uint16_t>(range.count - skip);
    for_each_of(first / 64, run, [&](ContextId c) { ranges_[c] = range; });
  }
  /// The context continues at `pc` with nothing fetched. Outstanding requests are ignored when they arrive.
  void flush(ContextId c, std::uint32_t pc) {
    ranges_[c] = {.pc = pc};
    ++generations_[c];
  }
  /// Entries that may still be requested.
  unsigned room(ContextId c) const { return depth_ - ranges_[c].count - ranges_[c].requested; }
  std::uint32_t next_pc(ContextId c) const { return ranges_[c].pc + ranges_[c].count + ranges_[c].requested; }
  /// Notes a request for `count` entries for each of the contexts `run` of a word. Their ranges equal that of `first`,
  /// one of them.
  void requested(ContextId first, std::uint64_t run, unsigned count) {
    Range range = ranges_[first];
    range.requested = static_cast<std::uint16_t>(range.requested + count);
    for_each_of(first / 64, run, [&](ContextId c) { ranges_[c] = range; });
  }
  /// Decoded entries arrive; entries of an older generation are dropped. True if kept.
  bool fill(ContextId c, std::uint16_t generation, unsigned count) {
    if (generation != generations_[c]) return false;
    Range& range = ranges_[c];
    range.count = static_cast<std::uint16_t>(range.count + count);
    range.requested = static_cast<std::uint16_t>(range.requested - count);
    return true;
  }

 private:
  unsigned depth_;
  std::array<Range, kMaxContexts> ranges_{};
  std::array<std::uint16_t, kMaxContexts> generations_{};
};

}  // namespace heddle::sm
