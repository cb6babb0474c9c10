// SPDX-License-Identifier: Apache-2.0
// SIMD within a word: two half-words or four bytes. Additions, subtractions and averages operate on the whole word, the
// others lane by lane.
#pragma once

#include "macros.h"

namespace heddle_cuda {

// The lanes of a word: Bits 16 or 8.
template <int Bits>
struct Lanes {
  static constexpr unsigned int mask = (1u << Bits) - 1;
  static constexpr unsigned int ones = Bits == 16 ? 0x00010001u : 0x01010101u;
  static constexpr unsigned int tops = ones << (Bits - 1);
  static constexpr int smallest = -(1 << (Bits - 1)), largest = (1 << (Bits - 1)) - 1;

  HEDDLE_DEVICE unsigned int unsigned_at(unsigned int w, int lane) { return w >> (lane * Bits) & mask; }
  HEDDLE_DEVICE int signed_at(unsigned int w, int lane) {
    return static_cast<int>(w << (32 - Bits * (lane + 1))) >> (32 - Bits);
  }
  HEDDLE_DEVICE unsigned int put(int value, int lane) {
    return (static_cast<unsigned int>(value) & mask) << (lane * Bits);
  }
  HEDDLE_DEVICE int clamp_signed(int v) { return v < smallest ? smallest : v > largest ? largest : v; }
  HEDDLE_DEVICE int clamp_unsigned(int v) {
    return v < 0 ? 0 : v > static_cast<int>(mask) ? static_cast<int>(mask) : v;
  }

  HEDDLE_DEVICE unsigned int add(unsigned int a, unsigned int b) {
    return ((a & ~tops) + (b & ~tops)) ^ ((a ^ b) & tops);
  }
  HEDDLE_DEVICE unsigned int subtract(unsigned int a, unsigned int b) {
    return ((a | tops) - (b & ~tops)) ^ ((a ^ ~b) & tops);
  }
  // x + y = 2 (x & y) + (x ^ y) = 2 (x | y) - (x ^ y), halved without crossing lanes.
  HEDDLE_DEVICE unsigned int average_down(unsigned int a, unsigned int b) { return (a & b) + (((a ^ b) >> 1) & ~tops); }
  HEDDLE_DEVICE unsigned int average_up(unsigned int a, unsigned int b) { return (a | b) - (((a ^ b) >> 1) & ~tops); }
};

}  // namespace heddle_cuda

// x and y are the lane's operands in `expression`; the result's low bits are kept.
#define HEDDLE_LANEWISE(name, bits, sign, expression)               \
  HEDDLE_DEVICE unsigned int name(unsigned int a, unsigned int b) { \
    typedef heddle_cuda::Lanes<bits> L;                             \
    unsigned int result = 0;                                        \
    for (int lane = 0; lane < 32 / bits; ++lane) {                  \
      const int x = static_cast<int>(L::sign##_at(a, lane));        \
      const int y = static_cast<int>(L::sign##_at(b, lane));        \
      result |= L::put(expression, lane);                           \
    }                                                               \
    return result;                                                  \
  }
#define HEDDLE_LANEWISE_ONE(name, bits, expression) \
  HEDDLE_DEVICE unsigned int name(unsigned int a) { \
    typedef heddle_cuda::Lanes<bits> L;             \
    unsigned int result = 0;                        \
    for (int lane = 0; lane < 32 / bits; ++lane) {  \
      const int x = L::signed_at(a, lane);          \
      result |= L::put(expression, lane);           \
    }                                               \
    return result;                                  \
  }
#define HEDDLE_LANE_SUM(name, bits, sign)                                                              \
  HEDDLE_DEVICE unsigned int name(unsigned int a, unsigned int b) {                                    \
    typedef heddle_cuda::Lanes<bits> L;                                                                \
    unsigned int total = 0;                                                                            \
    for (int lane = 0; lane < 32 / bits; ++lane) {                                                     \
      const int d = static_cast<int>(L::sign##_at(a, lane)) - static_cast<int>(L::sign##_at(b, lane)); \
      total += static_cast<unsigned int>(d < 0 ? -d : d);                                              \
    }                                                                                                  \
    return total;                                                                                      \
  }
#define HEDDLE_COMPARE(n, bits, name, sign, operation)                 \
  HEDDLE_LANEWISE(__vcmp##name##n, bits, sign, x operation y ? -1 : 0) \
  HEDDLE_LANEWISE(__vset##name##n, bits, sign, x operation y ? 1 : 0)
#define HEDDLE_SIMD(n, bits)                                                                                           \
  HEDDLE_DEVICE unsigned int __vadd##n(unsigned int a, unsigned int b) { return heddle_cuda::Lanes<bits>::add(a, b); } \
  HEDDLE_DEVICE unsigned int __vsub##n(unsigned int a, unsigned int b) {                                               \
    return heddle_cuda::Lanes<bits>::subtract(a, b);                                                                   \
  }                                                                                                                    \
  HEDDLE_DEVICE unsigned int __vhaddu##n(unsigned int a, unsigned int b) {                                             \
    return heddle_cuda::Lanes<bits>::average_down(a, b);                                                               \
  }                                                                                                                    \
  HEDDLE_DEVICE unsigned int __vavgu##n(unsigned int a, unsigned int b) {                                              \
    return heddle_cuda::Lanes<bits>::average_up(a, b);                                                                 \
  }                                                                                                                    \
  HEDDLE_DEVICE unsigned int __vneg##n(unsigned int a) { return heddle_cuda::Lanes<bits>::subtract(0u, a); }           \
  HEDDLE_LANEWISE(__vavgs##n, bits, signed, (x + y + (x + y >= 0)) >> 1)                                               \
  HEDDLE_LANEWISE(__vaddss##n, bits, signed, L::clamp_signed(x + y))                                                   \
  HEDDLE_LANEWISE(__vaddus##n, bits, unsigned, L::clamp_unsigned(x + y))                                               \
  HEDDLE_LANEWISE(__vsubss##n, bits, signed, L::clamp_signed(x - y))                                                   \
  HEDDLE_LANEWISE(__vsubus##n, bits, unsigned, L::clamp_unsigned(x - y))                                               \
  HEDDLE_LANEWISE(__vabsdiffs##n, bits, signed, x < y ? y - x : x - y)                                                 \
  HEDDLE_LANEWISE(__vabsdiffu##n, bits, unsigned, x < y ? y - x : x - y)                                               \
  HEDDLE_LANEWISE(__vmaxs##n, bits, signed, x < y ? y : x)                                                             \
  HEDDLE_LANEWISE(__vmaxu##n, bits, unsigned, x < y ? y : x)                                                           \
  HEDDLE_LANEWISE(__vmins##n, bits, signed, y < x ? y : x)                                                             \
  HEDDLE_LANEWISE(__vminu##n, bits, unsigned, y < x ? y : x)                                                           \
  HEDDLE_LANEWISE_ONE(__vabs##n, bits, x < 0 ? -x : x)                                                                 \
  HEDDLE_LANEWISE_ONE(__vabsss##n, bits, L::clamp_signed(x < 0 ? -x : x))                                              \
  HEDDLE_LANEWISE_ONE(__vnegss##n, bits, L::clamp_signed(-x))                                                          \
  HEDDLE_LANE_SUM(__vsads##n, bits, signed)                                                                            \
  HEDDLE_LANE_SUM(__vsadu##n, bits, unsigned)                                                                          \
  HEDDLE_COMPARE(n, bits, eq, unsigned, ==)                                                                            \
  HEDDLE_COMPARE(n, bits, ne, unsigned, !=)                                                                            \
  HEDDLE_COMPARE(n, bits, ges, signed, >=)                                                                             \
  HEDDLE_COMPARE(n, bits, geu, unsigned, >=)                                                                           \
  HEDDLE_COMPARE(n, bits, gts, signed, >)                                                                              \
  HEDDLE_COMPARE(n, bits, gtu, unsigned, >)                                                                            \
  HEDDLE_COMPARE(n, bits, les, signed, <=)                                                                             \
  HEDDLE_COMPARE(n, bits, leu, unsigned, <=)                                                                           \
  HEDDLE_COMPARE(n, bits, lts, signed, <)                                                                              \
  HEDDLE_COMPARE(n, bits, ltu, unsigned, <)
HEDDLE_SIMD(2, 16)
HEDDLE_SIMD(4, 8)
#undef HEDDLE_SIMD
#undef HEDDLE_COMPARE
#undef HEDDLE_LANE_SUM
#undef HEDDLE_LANEWISE_ONE
#undef HEDDLE_LANEWISE
