// SPDX-License-Identifier: Apache-2.0
// Bit sets for threads, lanes and contexts. Combine and scan them word by word; never search by looping over all
// members.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace heddle {

/// A set of integers 0 .. N-1. N is a multiple of 64.
template <std::size_t N>
class Bits {
 public:
  static_assert(N % 64 == 0);
  static constexpr std::size_t kBits = N;
  static constexpr std::size_t kWords = N / 64;

  constexpr Bits() = default;

  /// The set {0, ..., count-1}. count: 0 .. N.
  static constexpr Bits first_n(std::size_t count) {
    Bits bits;
    for (std::size_t w = 0; w < kWords; ++w) {
      if (count >= 64 * (w + 1)) {
        bits.words_[w] = ~std::uint64_t{0};
      } else if (count > 64 * w) {
        bits.words_[w] = (std::uint64_t{1} << (count - 64 * w)) - 1;
      }
    }
    return bits;
  }

  constexpr bool test(std::size_t i) const { return (words_[i / 64] >> (i % 64)) & 1; }
  constexpr void set(std::size_t i) { words_[i / 64] |= std::uint64_t{1} << (i % 64); }
  constexpr void reset(std::size_t i) { words_[i / 64] &= ~(std::uint64_t{1} << (i % 64)); }
  constexpr void assign(std::size_t i, bool value) {
    std::uint64_t& word = words_[i / 64];
    word = (word & ~(std::uint64_t{1} << (i % 64))) | (std::uint64_t{value} << (i % 64));
  }
  constexpr void clear() { words_.fill(0); }

  constexpr bool any() const {
    std::uint64_t all = 0;
    for (auto word : words_) all |= word;
    return all != 0;
  }
  constexpr bool none() const { return !any(); }
  constexpr std::size_t count() const {
    std::size_t total = 0;
    for (auto word : words_) total += static_cast<std::size_t>(std::popcount(word));
    return total;
  }
  /// Lowest member, or N when empty.
  constexpr std::size_t first() const { return next(0); }
  /// Lowest member >= from, or N when there is none.
  constexpr std::size_t next(std::size_t from) const {
    if (from >= N) return N;
    std::size_t w = from / 64;
    std::uint64_t word = words_[w] & (~std::uint64_t{0} << (from % 64));
    while (word == 0) {
      if (++w == kWords) return N;
      word = words_[w];
    }
    return 64 * w + static_cast<std::size_t>(std::countr_zero(word));
  }
  template <typename Visit>
  constexpr void for_each(Visit&& visit) const {
    for (std::size_t w = 0; w < kWords; ++w) {
      for (std::uint64_t word = words_[w]; word != 0; word &= word - 1) {
        visit(64 * w + static_cast<std::size_t>(std::countr_zero(word)));
      }
    }
  }
  constexpr bool contains(const Bits& other) const { return (other & ~*this).none(); }
  constexpr bool intersects(const Bits& other) const { return (*this & other).any(); }

  constexpr std::uint64_t word(std::size_t w) const { return words_[w]; }
  constexpr void set_word(std::size_t w, std::uint64_t value) { words_[w] = value; }
  /// The aligned 32-bit word holding bits 32*i .. 32*i+31.
  constexpr std::uint32_t word32(std::size_t i) const {
    return static_cast<std::uint32_t>(words_[i / 2] >> (32 * (i % 2)));
  }
  constexpr void set_word32(std::size_t i, std::uint32_t value) {
    const std::size_t shift = 32 * (i % 2);
    words_[i / 2] = (words_[i / 2] & ~(std::uint64_t{0xffffffff} << shift)) | (std::uint64_t{value} << shift);
  }

  constexpr Bits& operator|=(const Bits& o) {
    for (std::size_t w = 0; w < kWords; ++w) words_[w] |= o.words_[w];
    return *this;
  }
  constexpr Bits& operator&=(const Bits& o) {
    for (std::size_t w = 0; w < kWords; ++w) words_[w] &= o.words_[w];
    return *this;
  }
  constexpr Bits& operator-=(const Bits& o) {
    for (std::size_t w = 0; w < kWords; ++w) words_[w] &= ~o.words_[w];
    return *this;
  }
  constexpr Bits operator|(const Bits& o) const { return Bits(*this) |= o; }
  constexpr Bits operator&(const Bits& o) const { return Bits(*this) &= o; }
  constexpr Bits operator-(const Bits& o) const { return Bits(*this) -= o; }
  constexpr Bits operator~() const {
    Bits r;
    for (std::size_t w = 0; w < kWords; ++w) r.words_[w] = ~words_[w];
    return r;
  }
  constexpr bool operator==(const Bits&) const = default;

 private:
  std::array<std::uint64_t, kWords> words_{};
};

/// A set of integers 0 .. N-1 whose members stay below 64 on most machines. Until any set of this Kind gets a larger
/// member, operations only touch the first word, and until one gets a member of N/2 or more, the first half of the
/// words; the other words are zero until then, so no set needs updating at the switch. Kind: a tag type per kind of
/// set. Not thread-safe.
template <typename Kind, std::size_t N>
class GrowingBits {
 public:
  static constexpr std::size_t kBits = N;
  static constexpr std::size_t kWords = Bits<N>::kWords;
  static_assert(kWords % 2 == 0);

  GrowingBits() = default;
  GrowingBits(const GrowingBits& o) { *this = o; }
  GrowingBits& operator=(const GrowingBits& o) {
    return combine(o, [](std::uint64_t, std::uint64_t other) { return other; });
  }

  /// The set {0, ..., count-1}. count: 0 .. N.
  static GrowingBits first_n(std::size_t count) {
    GrowingBits bits;
    if (count > 64) grow_to(count - 1);
    bits.all_ = Bits<N>::first_n(count);
    return bits;
  }
  /// A set with the members given by the bits of a word.
  static GrowingBits of_word(std::uint64_t word) {
    GrowingBits bits;
    bits.all_.set_word(0, word);
    return bits;
  }
  /// All members that a set of this kind can have so far. Use it immediately; the result may become outdated.
  static GrowingBits everything() { return first_n(64 * words()); }

  bool test(std::size_t i) const { return all_.test(i); }
  void set(std::size_t i) {
    if (i >= 64) grow_to(i);
    all_.set(i);
  }
  void reset(std::size_t i) { all_.reset(i); }
  void assign(std::size_t i, bool value) {
    if (i >= 64 && value) grow_to(i);
    all_.assign(i, value);
  }
  void clear() {
    if (!wide_) {
      all_.set_word(0, 0);
    } else {
      all_.clear();
    }
  }

  bool any() const {
    return any_of([this](std::size_t w) { return all_.word(w); });
  }
  bool none() const { return !any(); }
  std::size_t count() const { return wide_ ? all_.count() : static_cast<std::size_t>(std::popcount(all_.word(0))); }
  /// Lowest member, or N when empty.
  std::size_t first() const { return next(0); }
  /// Lowest member >= from, or N when there is none.
  std::size_t next(std::size_t from) const {
    if (wide_) return all_.next(from);
    const std::uint64_t word = from < 64 ? all_.word(0) & (~std::uint64_t{0} << from) : 0;
    return word != 0 ? static_cast<std::size_t>(std::countr_zero(word)) : N;
  }
  template <typename Visit>
  void for_each(Visit&& visit) const {
    const std::size_t end = words();
    for (std::size_t w = 0; w < end; ++w) {
      for (std::uint64_t word = all_.word(w); word != 0; word &= word - 1) {
        visit(64 * w + static_cast<std::size_t>(std::countr_zero(word)));
      }
    }
  }
  bool contains(const GrowingBits& o) const {
    return !any_of([&](std::size_t w) { return o.all_.word(w) & ~all_.word(w); });
  }
  bool intersects(const GrowingBits& o) const {
    return any_of([&](std::size_t w) { return all_.word(w) & o.all_.word(w); });
  }

  std::uint64_t word(std::size_t w) const { return all_.word(w); }
  void set_word(std::size_t w, std::uint64_t value) {
    if (w != 0 && value != 0) grow_to(64 * w);
    all_.set_word(w, value);
  }
  /// The same for a word below words(), as of a member of any set of this kind.
  void put_word(std::size_t w, std::uint64_t value) { all_.set_word(w, value); }
  /// The aligned 32-bit word holding bits 32*i .. 32*i+31.
  std::uint32_t word32(std::size_t i) const { return all_.word32(i); }
  void set_word32(std::size_t i, std::uint32_t value) {
    if (i >= 2 && value != 0) grow_to(32 * i);
    all_.set_word32(i, value);
  }

  GrowingBits& operator|=(const GrowingBits& o) {
    return combine(o, [](std::uint64_t own, std::uint64_t other) { return own | other; });
  }
  GrowingBits& operator&=(const GrowingBits& o) {
    return combine(o, [](std::uint64_t own, std::uint64_t other) { return own & other; });
  }
  GrowingBits& operator-=(const GrowingBits& o) {
    return combine(o, [](std::uint64_t own, std::uint64_t other) { return own & ~other; });
  }
  GrowingBits operator|(const GrowingBits& o) const { return GrowingBits(*this) |= o; }
  GrowingBits operator&(const GrowingBits& o) const { return GrowingBits(*this) &= o; }
  GrowingBits operator-(const GrowingBits& o) const { return GrowingBits(*this) -= o; }
  bool operator==(const GrowingBits& o) const {
    return !any_of([&](std::size_t w) { return all_.word(w) ^ o.all_.word(w); });
  }

  /// Whether any set of this kind has had a member of 64 or more.
  static bool wide() { return wide_; }
  /// Words that a set of this kind has used so far: 1, half of them, or all.
  static std::size_t words() { return !wide_ ? 1 : widest_ ? kWords : kHalf; }

 private:
  static constexpr std::size_t kHalf = kWords / 2;
  static void grow_to(std::size_t member) {
    wide_ = true;
    if (member >= 64 * kHalf) widest_ = true;
  }
  // Loops of fixed length, which the compiler unrolls.
  template <std::size_t first, std::size_t last, typename Combine>
  void combine_words(const GrowingBits& o, Combine&& combine) {
    for (std::size_t w = first; w < last; ++w) all_.set_word(w, combine(all_.word(w), o.all_.word(w)));
  }
  template <typename Combine>
  GrowingBits& combine(const GrowingBits& o, Combine&& combine) {
    if (!wide_) {
      combine_words<0, 1>(o, combine);
      return *this;
    }
    combine_words<0, kHalf>(o, combine);
    if (widest_) combine_words<kHalf, kWords>(o, combine);
    return *this;
  }
  template <std::size_t first, std::size_t last, typename WordOf>
  static bool any_in(WordOf&& word_of) {
    std::uint64_t all = 0;
    for (std::size_t w = first; w < last; ++w) all |= word_of(w);
    return all != 0;
  }
  template <typename WordOf>
  static bool any_of(WordOf&& word_of) {
    if (!wide_) return word_of(0) != 0;
    return any_in<0, kHalf>(word_of) || (widest_ && any_in<kHalf, kWords>(word_of));
  }

  // Hidden visibility, so that position-independent code accesses them without the GOT.
  [[gnu::visibility("hidden")]] inline static bool wide_ = false;
  [[gnu::visibility("hidden")]] inline static bool widest_ = false;  ///< of N/2 or more

  Bits<N> all_;
};

using ThreadSet = GrowingBits<struct ThreadSetKind, 512>;    ///< threads of one context, by index in it
using ContextSet = GrowingBits<struct ContextSetKind, 512>;  ///< contexts of one SM
using LaneMask = Bits<64>;                                   ///< physical lanes of one SIMD group

}  // namespace heddle
