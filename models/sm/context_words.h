// SPDX-License-Identifier: Apache-2.0
// Contexts of one word of a ContextSet, as bits: those in lock step are neighbours and change together.
#pragma once

#include <bit>
#include <cassert>
#include <cstdint>

#include "core/bits.h"
#include "core/identifier.h"

namespace heddle::sm {

/// Calls visit(context, bit) for each context of word w that is in `some`, lowest first.
template <typename Visit>
void for_each_in(std::size_t w, std::uint64_t some, Visit&& visit) {
  for (; some != 0; some &= some - 1)
    visit(ContextId(64 * w + static_cast<std::size_t>(std::countr_zero(some))), some & -some);
}

/// The contexts first + i, bit i of `members`, in word first / 64 of a set. Contexts in lock step are of one word.
inline std::uint64_t in_word(ContextId first, std::uint8_t members) {
  assert(first % 64 + static_cast<unsigned>(std::bit_width(members)) <= 64);
  return std::uint64_t{members} << (first % 64);
}

/// Calls visit(context) for each of the contexts first + i, bit i of `members`. A whole gang takes no look at each bit.
template <typename Visit>
[[gnu::always_inline]] inline void for_each_of(ContextId first, std::uint8_t members, Visit&& visit) {
  if (members == 0xff) {
    for (unsigned i = 0; i < 8; ++i) visit(ContextId(first + i));
    return;
  }
  for (unsigned rest = members; rest != 0; rest &= rest - 1)
    visit(ContextId(first + static_cast<unsigned>(std::countr_zero(rest))));
}

/// The same for the contexts `run` of word w, not empty, which may be more.
template <typename Visit>
[[gnu::always_inline]] inline void for_each_of(std::size_t w, std::uint64_t run, Visit&& visit) {
  const auto first = static_cast<unsigned>(std::countr_zero(run));
  if (run >> first == 0xff) {
    for (unsigned i = 0; i < 8; ++i) visit(ContextId(64 * w + first + i));
    return;
  }
  for (; run != 0; run &= run - 1) visit(ContextId(64 * w + static_cast<std::size_t>(std::countr_zero(run))));
}

inline void add(ContextSet& set, std::size_t w, std::uint64_t some) { set.put_word(w, set.word(w) | some); }
inline void remove(ContextSet& set, std::size_t w, std::uint64_t some) { set.put_word(w, set.word(w) & ~some); }
/// Of the contexts `some` of word w, exactly `members` are in the set from now on.
inline void replace(ContextSet& set, std::size_t w, std::uint64_t some, std::uint64_t members) {
  set.put_word(w, (set.word(w) & ~some) | members);
}

}  // namespace heddle::sm
