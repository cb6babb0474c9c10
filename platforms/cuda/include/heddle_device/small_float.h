// SPDX-License-Identifier: Apache-2.0
// Rounding to formats narrower than float, on host and device, by integer arithmetic on the bits of a float. Wider
// sources are first rounded to odd in float: an inexact result has its last bit set, so a second rounding to at least
// two bits fewer equals a single rounding.
#pragma once

#include "../host_defines.h"

#if defined(__CUDA__)
#define HEDDLE_SMALL static inline __attribute__((host, device))
#define HEDDLE_SMALL_DEVICE static inline __attribute__((device))
#define HEDDLE_SMALL_MEMBER inline __attribute__((host, device))
#else
#define HEDDLE_SMALL static inline
#define HEDDLE_SMALL_MEMBER inline
#endif

namespace heddle_small {

enum Rounding { kNearest, kZero, kUp, kDown };

HEDDLE_SMALL unsigned int bits_of(float value) {
  unsigned int bits;
  __builtin_memcpy(&bits, &value, 4);
  return bits;
}
HEDDLE_SMALL float float_of(unsigned int bits) {
  float value;
  __builtin_memcpy(&value, &bits, 4);
  return value;
}

// --- to float, rounded to odd
// ---------------------------------------------------------------------------------------------------
HEDDLE_SMALL float odd(float value) { return value; }
HEDDLE_SMALL float odd(double value) {
  const float near = static_cast<float>(value);
  const double back = static_cast<double>(near);
  if (back == value || value != value) return near;
  const bool beyond = value < 0 ? back < value : back > value;
  return float_of((bits_of(near) - (beyond ? 1u : 0u)) | 1u);
}
HEDDLE_SMALL float odd(unsigned long long value) {
  if (value < 1ull << 24) return static_cast<float>(value);
  const int shift = 40 - __builtin_clzll(value);  // keeps 24 bits
  const unsigned long long kept = value >> shift;
  const unsigned long long sticky = (kept << shift) != value ? 1 : 0;
  return static_cast<float>(kept | sticky) * static_cast<float>(1ull << shift);
}
HEDDLE_SMALL float odd(long long value) {
  const unsigned long long magnitude = static_cast<unsigned long long>(value);
  return value < 0 ? -odd(0ull - magnitude) : odd(magnitude);
}
HEDDLE_SMALL float odd(unsigned int value) { return odd(static_cast<unsigned long long>(value)); }
HEDDLE_SMALL float odd(int value) { return odd(static_cast<long long>(value)); }
HEDDLE_SMALL float odd(unsigned long value) { return odd(static_cast<unsigned long long>(value)); }
HEDDLE_SMALL float odd(long value) { return odd(static_cast<long long>(value)); }
HEDDLE_SMALL float odd(unsigned short value) { return static_cast<float>(value); }
HEDDLE_SMALL float odd(short value) { return static_cast<float>(value); }
HEDDLE_SMALL float odd(unsigned char value) { return static_cast<float>(value); }
HEDDLE_SMALL float odd(signed char value) { return static_cast<float>(value); }
HEDDLE_SMALL float odd(char value) { return static_cast<float>(value); }

// --- to a narrow format
// --------------------------------------------------------------------------------------------------------- Converts to
// a format of `exponent` and `mantissa` bits with IEEE 754 bias and unbounded exponents: a result at or above
// infinity's code is an overflow. `magnitude` is that of a finite float.
template <int exponent, int mantissa>
HEDDLE_SMALL unsigned int round_magnitude(unsigned int magnitude, bool negative, Rounding rounding) {
  const unsigned int lowest = 129u - (1u << (exponent - 1));  // the narrow format's least exponent, in float's bias
  const unsigned int e = magnitude >> 23;
  unsigned int scaled = magnitude - ((lowest - 1) << 23), shift = 23 - mantissa;
  if (e < lowest) {
    scaled = e == 0 ? magnitude : (magnitude & 0x7fffffu) | 0x800000u;
    shift += lowest - (e == 0 ? 1 : e);
    if (shift > 25) shift = 25;  // below half of the least subnormal
  }
  const unsigned int result = scaled >> shift, rest = scaled & ((1u << shift) - 1), half = 1u << (shift - 1);
  bool up = false;
  switch (rounding) {
    case kNearest:
      up = rest > half || (rest == half && (result & 1) != 0);
      break;
    case kZero:
      break;
    case kUp:
      up = rest != 0 && !negative;
      break;
    case kDown:
      up = rest != 0 && negative;
      break;
  }
  return result + (up ? 1 : 0);
}

// A format of IEEE 754: infinities and NaN where the exponent is all ones.
template <int exponent, int mantissa>
HEDDLE_SMALL unsigned int encode(float value, Rounding rounding) {
  const unsigned int sign = bits_of(value) >> 31 << (exponent + mantissa);
  const unsigned int magnitude = bits_of(value) & 0x7fffffffu;
  const unsigned int infinity = ((1u << exponent) - 1) << mantissa;
  if (magnitude > 0x7f800000u) return (1u << (exponent + mantissa)) - 1;  // CUDA's canonical NaN
  if (magnitude == 0x7f800000u) return sign | infinity;
  const unsigned int result = round_magnitude<exponent, mantissa>(magnitude, sign != 0, rounding);
  if (result < infinity) return sign | result;
  const bool to_infinity = rounding == kNearest || rounding == (sign != 0 ? kDown : kUp);
  return sign | (to_infinity ? infinity : infinity - 1);
}

// --- to integers, as cvt does: saturated; NaN gives 0, of 64 bits the top bit alone
// -----------------------------------------------------------------------------
template <class T>
HEDDLE_SMALL T to_integer(float value, Rounding rounding) {
  if (value != value) return sizeof(T) == 8 ? static_cast<T>(1ull << 63) : 0;
  const bool is_signed = static_cast<T>(-1) < static_cast<T>(1);
  const int digits = static_cast<int>(sizeof(T)) * 8 - (is_signed ? 1 : 0);
  const T largest = static_cast<T>(~0ull >> (64 - digits));
  const double x = value, below = __builtin_floor(x), part = x - below;
  double whole = below;
  if (rounding == kNearest) {
    if (part > 0.5 || (part == 0.5 && __builtin_floor(below / 2) * 2 != below)) whole += 1;
  } else if (rounding == kUp || (rounding == kZero && x < 0)) {
    if (part != 0) whole += 1;
  }
  const double limit = static_cast<double>(1ull << (digits - 1)) * 2;
  if (whole >= limit) return largest;
  if (!is_signed) return whole < 0 ? 0 : static_cast<T>(whole);
  return whole < -limit ? static_cast<T>(-largest - 1) : static_cast<T>(whole);
}

// --- one rounding of single precision, never contracted
// -------------------------------------------------------------------------------
#if defined(__CUDA_ARCH__)
#define HEDDLE_SMALL_SINGLE(name, ptx, operation)                   \
  HEDDLE_SMALL float name(float a, float b) {                       \
    float result;                                                   \
    asm(ptx ".rn.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b)); \
    return result;                                                  \
  }
#else
#define HEDDLE_SMALL_SINGLE(name, ptx, operation) \
  HEDDLE_SMALL float name(float a, float b) { return a operation b; }
#endif
HEDDLE_SMALL_SINGLE(sum, "add", +)
HEDDLE_SMALL_SINGLE(difference, "sub", -)
HEDDLE_SMALL_SINGLE(product, "mul", *)
HEDDLE_SMALL_SINGLE(quotient, "div", /)
#undef HEDDLE_SMALL_SINGLE

// a b + c rounded to odd, for a and b of at most 11 bits.
HEDDLE_SMALL float fused_odd(float a, float b, float c) {
#if defined(__CUDA_ARCH__)
  float down, up;
  asm("fma.rm.f32 %0, %1, %2, %3;" : "=f"(down) : "f"(a), "f"(b), "f"(c));
  asm("fma.rp.f32 %0, %1, %2, %3;" : "=f"(up) : "f"(a), "f"(b), "f"(c));
  if (down == up || down != down) return down == 0.0f ? __builtin_fmaf(a, b, c) : down;  // the sign of an exact zero
  // Of two neighbours, the one nearer to zero shares its upper bits with the odd one.
  const unsigned int inner = down < 0.0f ? bits_of(up) : bits_of(down);
  return float_of(up == 0.0f ? 0x80000001u : inner | 1u);
#else
  const double p = static_cast<double>(a) * b, near = p + c;  // the product is exact
  const double other = near - p, error = (p - (near - other)) + (c - other);
  unsigned long long bits;
  double result = near;
  if (error == error && error != 0 && near - near == 0) {
    __builtin_memcpy(&bits, &near, 8);
    if ((bits & 1) == 0) bits = (error > 0) == (near > 0) ? bits + 1 : bits - 1;
    __builtin_memcpy(&result, &bits, 8);
  }
  return odd(result);
#endif
}

// --- results in [0, 1], and not below 0: NaN gives 0, and the canonical NaN
// ------------------------------------------------------------
HEDDLE_SMALL float saturated(float value) { return value > 0.0f ? (value < 1.0f ? value : 1.0f) : 0.0f; }

}  // namespace heddle_small
