// SPDX-License-Identifier: Apache-2.0
// Instruction buffer of each context. A buffer is just a range of consecutive PCs, because micro-ops are looked up by
// PC. Logic only.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "sm/context_words.h"
#include "sm/packet.h"

namespace heddle::sm {

class InstructionBuffers {
 public:
  static constexpr unsigned kTogether = 8;
  /// What a buffer holds and awaits; one word, so that it compares and changes fast.
  struct alignas(8) Range {
    std::uint32_t pc = 0;         ///< PC of the oldest entry
    std::uint16_t count = 0;      ///< decoded entries
    std::uint16_t requested = 0;  ///< entries requested but not yet decoded
    bool operator==(const Range& o) const {
      return std::bit_cast<std::uint64_t>(*this) == std::bit_cast<std::uint64_t>(o);
    }
  };
  /// Of eight contexts, generations of requests that are still valid; two words, so that they compare fast.
  struct alignas(8) Generations {
    std::array<std::uint16_t, kTogether> of{};
    bool operator==(const Generations& o) const {
      using Words = std::array<std::uint64_t, 2>;
      const auto a = std::bit_cast<Words>(*this), b = std::bit_cast<Words>(o);
      return ((a[0] ^ b[0]) | (a[1] ^ b[1])) == 0;
    }
  };

  explicit InstructionBuffers(unsigned depth) : depth_(depth) {}

  unsigned depth() const { return depth_; }
  const Range& operator[](ContextId c) const { return ranges_[c]; }
  std::uint16_t generation(ContextId c) const { return generations_[c]; }
  /// Of the contexts first .. first + 7.
  Generations generations_from(ContextId first) const {
    Generations from;
    std::memcpy(from.of.data(), &generations_[first], sizeof from.of);
    return from;
  }
  bool holds(ContextId c, std::uint32_t pc) const { return ranges_[c].count != 0 && ranges_[c].pc == pc; }

  /// A context that continues at `pc` keeps the entries from there on. Outstanding requests are kept if they continue
  /// it. If nothing is kept, the buffer is flushed.
  void follow(ContextId c, std::uint32_t pc) {
    Range& range = ranges_[c];
    const std::uint32_t skip = pc - range.pc;  // of a PC before the oldest entry: more than any count
    if (skip > range.count) {
      flush(c, pc);
      return;
    }
    range.pc = pc;
    range.count = static_cast<std::uint16_t>(range.count - skip);
  }
  /// The same for the contexts `run` of a word, of which `first` is the first and whose ranges are equal.
  void follow(ContextId first, std::uint64_t run, std::uint32_t pc) {
    const Range& range = ranges_[first];
    const std::uint32_t skip = pc - range.pc;
    if (skip == 0) return;
    if (skip > range.count) {
      for_each_of(first / 64, run, [&](ContextId c) { flush(c, pc); });
    } else {
      for_each_of(first / 64, run, Add{*this, skip - skip * kOneDecoded});
    }
  }
  /// The context continues at `pc` with nothing fetched. Outstanding requests are ignored when they arrive.
  void flush(ContextId c, std::uint32_t pc) {
    ranges_[c] = {.pc = pc};
    ++generations_[c];
  }
  /// Entries that may still be requested.
  unsigned room(ContextId c) const { return depth_ - ranges_[c].count - ranges_[c].requested; }
  std::uint32_t next_pc(ContextId c) const { return ranges_[c].pc + ranges_[c].count + ranges_[c].requested; }
  void requested(ContextId c, unsigned count) { Add{*this, count * kOneRequested}(c); }
  /// The same for the contexts `run` of word w, not empty.
  void requested(std::size_t w, std::uint64_t run, unsigned count) {
    for_each_of(w, run, Add{*this, count * kOneRequested});
  }
  /// Decoded entries arrive; entries of an older generation are dropped. True if kept.
  bool fill(ContextId c, std::uint16_t generation, unsigned count) {
    if (generation != generations_[c]) return false;
    Add{*this, count * (kOneDecoded - kOneRequested)}(c);
    return true;
  }
  /// The same for the contexts first + i, bit i of `members`. Returns those that keep the entries.
  std::uint8_t fill(ContextId first, std::uint8_t members, const Generations& asked, unsigned count) {
    if (!(generations_from(first) == asked)) {
      for_each_of(first, members, [&](ContextId c) {
        const unsigned i = c - first;
        if (generations_[c] != asked.of[i]) members = static_cast<std::uint8_t>(members & ~(1u << i));
      });
    }
    for_each_of(first, members, Add{*this, count * (kOneDecoded - kOneRequested)});
    return members;
  }

 private:
  // A range as a word, to which its changes are added.
  static_assert(std::endian::native == std::endian::little);
  static constexpr std::uint64_t kOneDecoded = std::uint64_t{1} << 32, kOneRequested = std::uint64_t{1} << 48;
  struct Add {
    InstructionBuffers& buffers;
    std::uint64_t change;
    void operator()(ContextId c) const {
      Range& range = buffers.ranges_[c];
      range = std::bit_cast<Range>(std::bit_cast<std::uint64_t>(range) + change);
    }
  };

  unsigned depth_;
  std::array<Range, kMaxContexts> ranges_{};
  std::array<std::uint16_t, kMaxContexts + kTogether> generations_{};
};

}  // namespace heddle::sm
