// SPDX-License-Identifier: Apache-2.0
// Loops over the 32 lanes of a word, written so that the compiler vectorises each for the level being compiled.
//
// A row of the table is a functor over C++ values; `lanes<F, D, S...>` applies it to all lanes and leaves lanes outside
// the mask unchanged. Everything here is forced inline: otherwise the linker might keep a weak copy compiled for
// AVX-512 and use it in the baseline.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "isa/micro_op.h"
#include "isa/semantics/lane_operations.h"

#ifndef HEDDLE_LANE_LEVEL
#error "HEDDLE_LANE_LEVEL names the instruction-set level; the build defines it for each"
#endif

#define HEDDLE_INLINE [[gnu::always_inline]] inline
#if defined(__clang__)
#define HEDDLE_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define HEDDLE_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace heddle::isa::HEDDLE_LANE_LEVEL {

inline constexpr std::uint32_t kAllLanes = 0xffffffff;

namespace {

alignas(64) constexpr std::uint32_t kLaneBits[kWordThreads] = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,  1u << 8,  1u << 9,  1u << 10,
    1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21,
    1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};

/// The bits of a 16-bit floating-point value, 0 to 0xffff; the operation determines the format. As wide as its cell, so
/// that vector code need not repack.
struct Half {
  std::uint32_t bits;
};

template <typename T>
using Cell = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

template <typename To, typename From>
HEDDLE_INLINE constexpr To bits_as(From value) {
  return __builtin_bit_cast(To, value);
}

/// The value a reader of type T sees in a cell: its low bytes.
template <typename T>
HEDDLE_INLINE constexpr T from_cell(Cell<T> cell) {
  if constexpr (std::is_same_v<T, Half>) {
    return Half{cell & 0xffff};
  } else if constexpr (std::is_floating_point_v<T>) {
    return bits_as<T>(cell);
  } else {
    return static_cast<T>(cell);
  }
}

/// The cell contents after a write of type T: sign-extended for signed integers, zero-extended otherwise.
template <typename T>
HEDDLE_INLINE constexpr Cell<T> to_cell(T value) {
  if constexpr (std::is_same_v<T, Half>) {
    return value.bits;
  } else if constexpr (std::is_floating_point_v<T>) {
    return bits_as<Cell<T>>(value);
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<Cell<T>>(static_cast<std::make_signed_t<Cell<T>>>(value));
  } else {
    return static_cast<Cell<T>>(value);
  }
}

HEDDLE_INLINE std::byte* place(const Operand& operand, std::byte* const* bases) {
  return bases[static_cast<unsigned>(operand.base)] + operand.offset;
}

template <typename T>
HEDDLE_INLINE const Cell<T>* source(const MicroOp& op, std::byte* const* bases, unsigned i) {
  return reinterpret_cast<const Cell<T>*>(place(op.sources[i], bases));
}

template <typename T>
HEDDLE_INLINE Cell<T>* destination(const MicroOp& op, std::byte* const* bases, unsigned i = 0) {
  return reinterpret_cast<Cell<T>*>(place(op.destinations[i], bases));
}

/// A predicate source, inverted if negated.
HEDDLE_INLINE std::uint32_t predicate(const Operand& operand, std::byte* const* bases) {
  const std::uint32_t value = *reinterpret_cast<const std::uint32_t*>(place(operand, bases));
  return operand.negate ? ~value : value;
}

HEDDLE_INLINE void store_predicate(const Operand& operand, std::byte* const* bases, std::uint32_t value,
                                   std::uint32_t mask) {
  auto* cell = reinterpret_cast<std::uint32_t*>(place(operand, bases));
  *cell = (*cell & ~mask) | (value & mask);
}

/// Copies the lanes of `mask` from a scratch vector to a register. `result` may not overlap `to`.
template <typename C>
HEDDLE_INLINE void store_lanes(C* to, const C* result, std::uint32_t mask) {
#if defined(__AVX512F__)
  constexpr unsigned kStep = 64 / sizeof(C);
  for (unsigned i = 0; i < kWordThreads; i += kStep) {
    if constexpr (sizeof(C) == 4) {
      _mm512_mask_storeu_epi32(to + i, static_cast<__mmask16>(mask >> i), _mm512_loadu_si512(result + i));
    } else {
      _mm512_mask_storeu_epi64(to + i, static_cast<__mmask8>(mask >> i), _mm512_loadu_si512(result + i));
    }
  }
#else
  HEDDLE_INDEPENDENT
  for (unsigned i = 0; i < kWordThreads; ++i) to[i] = (mask & kLaneBits[i]) != 0 ? result[i] : to[i];
#endif
}

/// Constructs a row's functor, from the operation when it depends on run-time modifiers.
template <typename F>
HEDDLE_INLINE F make_functor(const MicroOp& op) {
  if constexpr (std::is_constructible_v<F, const MicroOp&>) {
    return F(op);
  } else {
    return F{};
  }
}

template <typename F, typename D, typename... S>
HEDDLE_INLINE void apply_lanes(const F& f, Cell<D>* to, std::uint32_t mask, const Cell<S>*... from) {
  if constexpr (((sizeof(Cell<S>) == sizeof(Cell<D>)) && ...)) {
    // Registers of equal size are either identical or disjoint, so lanes are independent even when a source is the
    // destination.
    if (mask == kAllLanes) [[likely]] {
      HEDDLE_INDEPENDENT
      for (unsigned i = 0; i < kWordThreads; ++i) to[i] = to_cell<D>(f(from_cell<S>(from[i])...));
      return;
    }
  }
  // A 32-bit source may be half of the 64-bit destination, so all sources are read before the first write.
  alignas(64) Cell<D> result[kWordThreads];
  for (unsigned i = 0; i < kWordThreads; ++i) result[i] = to_cell<D>(f(from_cell<S>(from[i])...));
  store_lanes(to, result, mask);
}

template <typename F, typename D, typename... S, std::size_t... I>
HEDDLE_INLINE void apply_operands(const MicroOp& op, std::byte* const* bases, std::uint32_t mask,
                                  std::index_sequence<I...>) {
  apply_lanes<F, D, S...>(make_functor<F>(op), destination<D>(op, bases), mask, source<S>(op, bases, I)...);
}

/// d = F(s0, s1, ...), lane by lane. D and S... are the C++ types the functor returns and takes.
template <typename F, typename D, typename... S>
void lanes(const MicroOp& op, std::byte* const* bases, std::uint32_t mask) {
  apply_operands<F, D, S...>(op, bases, mask, std::index_sequence_for<S...>{});
}

/// The mask of lanes for which F(s0, s1, ...) holds.
template <typename F, typename... S>
HEDDLE_INLINE std::uint32_t holds(const F& f, const Cell<S>*... from) {
  std::uint32_t result = 0;
  for (unsigned i = 0; i < kWordThreads; ++i) result |= f(from_cell<S>(from[i])...) ? kLaneBits[i] : 0u;
  return result;
}

}  // namespace
}  // namespace heddle::isa::HEDDLE_LANE_LEVEL
