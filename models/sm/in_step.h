// SPDX-License-Identifier: Apache-2.0
// Contexts in step: at one PC of one kernel, with equal instruction buffers, and since when they were found to be so,
// only changed together. What is known of them saves to compare them again. Logic only.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "core/bits.h"
#include "core/identifier.h"
#include "sm/context_words.h"

namespace heddle::sm {

/// Contexts can be in step within blocks of eight, from a multiple of eight on.
class InStep {
 public:
  static constexpr unsigned kBlock = 8;

  /// The first of the block of contexts in step, of which the word has some.
  static unsigned block_of(std::uint64_t some) { return static_cast<unsigned>(std::countr_zero(some)) & ~(kBlock - 1); }

  /// Only a grouping that moves contexts together has a use for it; for others, nothing is kept.
  void use() { used_ = true; }
  bool used() const { return used_; }

  /// Those of the contexts `some` of word w, not empty, that are in step with the first of them, which is one.
  std::uint64_t with_first(std::size_t w, std::uint64_t some) const { return mates_in_word(w, some) & some; }
  /// Whether the contexts first + i, bit i of `others`, are in step with `first`.
  bool all(ContextId first, std::uint8_t others) const {
    return (others & ~(unsigned{mates_of(first)} >> first % kBlock)) == 0;
  }

  /// The contexts `some` of word w are in step with each other, and with no others.
  void join(std::size_t w, std::uint64_t some) {
    for_blocks(w, some, [](std::uint64_t& mates, std::uint64_t rows, std::uint64_t columns) {
      mates = (mates & ~(rows | columns)) | (rows & columns);
    });
  }
  /// The contexts `some` of word w, not empty, have changed, all in the same way: those among them that were in step
  /// still are.
  void part(std::size_t w, std::uint64_t some) {
    // Mostly they are in step with each other, and with no others already.
    if (!used_ || mates_in_word(w, some) == some) return;
    for_blocks(w, some,
               [](std::uint64_t& mates, std::uint64_t rows, std::uint64_t columns) { mates &= ~(rows ^ columns); });
  }
  void leave(ContextId c) { join(c / 64, std::uint64_t{1} << (c % 64)); }

  /// The same as part(), for a change that the issue stage has yet to look at. It need not compare those that were all
  /// in step before.
  void moved(std::size_t w, std::uint64_t some) {
    if (!used_ || some == 0) return;
    const std::uint64_t mates = mates_in_word(w, some);
    if ((some & ~mates) == 0) add(moved_, w, some);
    if (mates != some) part(w, some);
  }
  /// The context has changed on its own since.
  void moved_alone(ContextId c) {
    if (used_) moved_.reset(c);
  }
  /// Divides the contexts `known` of word w into runs that are in step: calls visit(leader, run) for each. leader: the
  /// lowest of them.
  template <typename Visit>
  void for_each_run(std::size_t w, std::uint64_t known, Visit&& visit) const {
    while (known != 0) {
      const std::uint64_t run = with_first(w, known);
      visit(ContextId(64 * w + static_cast<std::size_t>(std::countr_zero(known))), run);
      known &= ~run;
    }
  }
  /// Those of the contexts `some` of word w that have only moved() since the last call for them.
  std::uint64_t take_moved(std::size_t w, std::uint64_t some) {
    if (!used_) return 0;
    const std::uint64_t word = moved_.word(w);
    moved_.put_word(w, word & ~some);
    return word & some;
  }

 private:
  static_assert(std::endian::native == std::endian::little);
  static constexpr std::size_t kBlocks = ContextSet::kBits / kBlock;
  /// The row of context c: those of its block that are in step with it, and itself.
  std::uint8_t mates_of(std::size_t c) const { return reinterpret_cast<const unsigned char*>(mates_.data())[c]; }
  /// The same of the first of the contexts `some` of word w, not empty, as contexts of the word.
  std::uint64_t mates_in_word(std::size_t w, std::uint64_t some) const {
    const auto first = static_cast<unsigned>(std::countr_zero(some));
    return std::uint64_t{mates_of(64 * w + first)} << (first & ~(kBlock - 1));
  }
  /// Calls visit(mates, rows, columns) for each block with some of the contexts: masks of the rows and of the columns
  /// of these in the block's matrix.
  template <typename Visit>
  void for_blocks(std::size_t w, std::uint64_t some, Visit&& visit) {
    if (!used_) return;
    while (some != 0) {
      const unsigned block = static_cast<unsigned>(std::countr_zero(some)) / kBlock;
      const std::uint64_t members = some >> (kBlock * block) & 0xff;
      some &= ~(std::uint64_t{0xff} << (kBlock * block));
      const std::uint64_t columns = members * 0x0101010101010101;
      // Bit i of byte i, then all bits of the byte.
      const std::uint64_t ones = ((columns & 0x8040201008040201) + 0x7f7f7f7f7f7f7f7f) >> 7 & 0x0101010101010101;
      visit(mates_[8 * w + block], ones * 0xff, columns);
    }
  }

  bool used_ = false;
  /// By block, a symmetric matrix: bit j of byte i tells whether contexts i and j of the block are in step, as each is
  /// with itself.
  std::array<std::uint64_t, kBlocks> mates_ = [] {
    std::array<std::uint64_t, kBlocks> alone;
    alone.fill(0x8040201008040201);
    return alone;
  }();
  ContextSet moved_;
};

}  // namespace heddle::sm
