// SPDX-License-Identifier: Apache-2.0
// Lane loops in a directed rounding mode: the host's rounding control is switched around the whole loop.
#pragma once

#include "isa/semantics/lane_loop.h"

namespace heddle::isa::HEDDLE_LANE_LEVEL {
namespace {

/// Rounding control as encoded in MXCSR.
enum RoundingControl : unsigned { kNearest = 0, kDown = 1, kUp = 2, kToZero = 3 };

HEDDLE_INLINE constexpr RoundingControl rounding_control(Rounding rounding) {
  switch (rounding) {
    case Rounding::rz:
    case Rounding::rzi:
      return kToZero;
    case Rounding::rm:
    case Rounding::rmi:
      return kDown;
    case Rounding::rp:
    case Rounding::rpi:
      return kUp;
    default:
      return kNearest;
  }
}

/// All exceptions masked, subnormals honoured.
inline constexpr std::uint32_t kDefaultControl = 0x1f80;

/// Loads the control register. A compiler barrier for memory accesses and for `scratch`.
HEDDLE_INLINE void load_control(std::uint32_t control, const void* scratch) {
  asm volatile("ldmxcsr %0" : : "m"(control), "r"(scratch) : "memory");
}

template <unsigned Mode, typename F, typename D, typename... S>
HEDDLE_INLINE void apply_rounded(const MicroOp& op, Cell<D>* to, std::uint32_t mask, const Cell<S>*... from) {
  const F f = make_functor<F>(op);
  // Sources are read and results written through memory between the two switches, so the compiler cannot move
  // arithmetic out of the region.
  alignas(64) Cell<D> result[kWordThreads];
  load_control(kDefaultControl | Mode << 13, result);
  for (unsigned i = 0; i < kWordThreads; ++i) result[i] = to_cell<D>(f(from_cell<S>(from[i])...));
  load_control(kDefaultControl, result);
  store_lanes(to, result, mask);
}

template <unsigned Mode, typename F, typename D, typename... S, std::size_t... I>
HEDDLE_INLINE void apply_rounded_operands(const MicroOp& op, std::byte* const* bases, std::uint32_t mask,
                                          std::index_sequence<I...>) {
  apply_rounded<Mode, F, D, S...>(op, destination<D>(op, bases), mask, source<S>(op, bases, I)...);
}

/// As lanes<F, D, S...>, in a rounding mode.
template <unsigned Mode, typename F, typename D, typename... S>
void rounded_lanes(const MicroOp& op, std::byte* const* bases, std::uint32_t mask) {
  if constexpr (Mode == kNearest) {
    apply_operands<F, D, S...>(op, bases, mask, std::index_sequence_for<S...>{});
  } else {
    apply_rounded_operands<Mode, F, D, S...>(op, bases, mask, std::index_sequence_for<S...>{});
  }
}

/// A functor's row for the operation's rounding modifier.
template <typename F, typename D, typename... S>
LaneFunction rounded(Rounding rounding) {
  switch (rounding_control(rounding)) {
    case kNearest:
      return lanes<F, D, S...>;
    case kDown:
      return rounded_lanes<kDown, F, D, S...>;
    case kUp:
      return rounded_lanes<kUp, F, D, S...>;
    case kToZero:
      return rounded_lanes<kToZero, F, D, S...>;
  }
  return nullptr;
}

}  // namespace
}  // namespace heddle::isa::HEDDLE_LANE_LEVEL
