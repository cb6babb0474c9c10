// SPDX-License-Identifier: Apache-2.0
// Half precision: __half and __half2 on host and device. On the device arithmetic is the half-precision instructions;
// on the host it goes through float, which rounds once more but never wrongly (float has more than twice the digits).
#ifndef HEDDLE_CUDA_FP16_H
#define HEDDLE_CUDA_FP16_H

#include "cuda_runtime.h"

#if defined(__cplusplus)
#if defined(__CUDA__)
#define HEDDLE_HALF static inline __attribute__((host, device))
#define HEDDLE_HALF_DEVICE static inline __attribute__((device))
#define HEDDLE_HALF_MEMBER inline __attribute__((host, device))
#else
#define HEDDLE_HALF static inline
#define HEDDLE_HALF_MEMBER inline
#endif

struct __half_raw {
  unsigned short x;
};
struct __half2_raw {
  unsigned short x, y;
};

namespace heddle_half {
// Nearest even of the 24-bit mantissa at 11 bits; denormals, infinity and NaN included.
HEDDLE_HALF unsigned short from_float(float value) {
#if defined(__CUDA_ARCH__)
  unsigned short h;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(value));
  return h;
#else
  unsigned int bits;
  __builtin_memcpy(&bits, &value, 4);
  const unsigned int sign = bits >> 16 & 0x8000u;
  const unsigned int magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return 0x7fff;
  if (magnitude >= 0x477ff000u) return static_cast<unsigned short>(sign | 0x7c00u);  // 65520 and beyond
  if (magnitude < 0x33000001u) return static_cast<unsigned short>(sign);             // at most 2^-25
  unsigned int result, rest, half;
  if (magnitude >= 0x38800000u) {  // 2^-14: normal
    result = (magnitude - 0x38000000u) >> 13;
    rest = magnitude & 0x1fffu;
    half = 0x1000u;
  } else {
    const unsigned int shift = 126 - (magnitude >> 23);
    const unsigned int mantissa = (magnitude & 0x7fffffu) | 0x800000u;
    result = mantissa >> shift;
    rest = mantissa & ((1u << shift) - 1);
    half = 1u << (shift - 1);
  }
  if (rest > half || (rest == half && (result & 1) != 0)) ++result;
  return static_cast<unsigned short>(sign | result);
#endif
}

HEDDLE_HALF float to_float(unsigned short h) {
#if defined(__CUDA_ARCH__)
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(h));
  return value;
#else
  const unsigned int sign = (h & 0x8000u) << 16;
  const unsigned int magnitude = h & 0x7fffu;
  unsigned int bits;
  if (magnitude >= 0x7c00u) {
    bits = sign | 0x7f800000u | (magnitude & 0x3ffu) << 13;
  } else if (magnitude >= 0x400u) {
    bits = sign | ((magnitude << 13) + 0x38000000u);
  } else {
    const float small = static_cast<float>(magnitude) * 5.9604644775390625e-8f;  // 2^-24
    __builtin_memcpy(&bits, &small, 4);
    bits |= sign;
  }
  float value;
  __builtin_memcpy(&value, &bits, 4);
  return value;
#endif
}
}  // namespace heddle_half

struct __align__(2) __half {
 protected:
  unsigned short __x;

 public:
  __half() = default;
  HEDDLE_HALF_MEMBER __half(const __half_raw& raw) : __x(raw.x) {}
  HEDDLE_HALF_MEMBER __half(float f) : __x(heddle_half::from_float(f)) {}
  HEDDLE_HALF_MEMBER __half(double d) : __x(heddle_half::from_float(static_cast<float>(d))) {}
#define HEDDLE_HALF_INTEGER(type)                                                                    \
  HEDDLE_HALF_MEMBER __half(type v) : __x(heddle_half::from_float(static_cast<float>(v))) {}         \
  HEDDLE_HALF_MEMBER operator type() const { return static_cast<type>(heddle_half::to_float(__x)); } \
  HEDDLE_HALF_MEMBER __half& operator=(type v) { return *this = __half(v); }
  HEDDLE_HALF_INTEGER(short)
  HEDDLE_HALF_INTEGER(unsigned short)
  HEDDLE_HALF_INTEGER(int)
  HEDDLE_HALF_INTEGER(unsigned int)
  HEDDLE_HALF_INTEGER(long long)
  HEDDLE_HALF_INTEGER(unsigned long long)
#undef HEDDLE_HALF_INTEGER
  HEDDLE_HALF_MEMBER operator float() const { return heddle_half::to_float(__x); }
  HEDDLE_HALF_MEMBER operator bool() const { return (__x & 0x7fffu) != 0; }
  HEDDLE_HALF_MEMBER operator __half_raw() const {
    __half_raw raw;
    raw.x = __x;
    return raw;
  }
  HEDDLE_HALF_MEMBER __half& operator=(const __half_raw& raw) {
    __x = raw.x;
    return *this;
  }
  HEDDLE_HALF_MEMBER __half& operator=(float f) {
    __x = heddle_half::from_float(f);
    return *this;
  }
  HEDDLE_HALF_MEMBER __half& operator=(double d) { return *this = static_cast<float>(d); }
};

struct __align__(4) __half2 {
  __half x, y;
  __half2() = default;
  HEDDLE_HALF_MEMBER __half2(const __half& low, const __half& high) : x(low), y(high) {}
  HEDDLE_HALF_MEMBER __half2(const __half2_raw& raw) {
    __half_raw half;
    half.x = raw.x;
    x = half;
    half.x = raw.y;
    y = half;
  }
};
typedef __half half;
typedef __half2 half2;

namespace heddle_half {
HEDDLE_HALF unsigned short bits(__half h) { return static_cast<__half_raw>(h).x; }
HEDDLE_HALF __half from_bits(unsigned short x) {
  __half_raw raw;
  raw.x = x;
  return __half(raw);
}
HEDDLE_HALF unsigned int bits(__half2 h) { return static_cast<unsigned int>(bits(h.y)) << 16 | bits(h.x); }
HEDDLE_HALF __half2 pair_from_bits(unsigned int x) {
  return __half2(from_bits(static_cast<unsigned short>(x)), from_bits(static_cast<unsigned short>(x >> 16)));
}
}  // namespace heddle_half

// --- conversions
// --------------------------------------------------------------------------------------------------------------
HEDDLE_HALF __half __float2half(float f) { return __half(f); }
HEDDLE_HALF __half __float2half_rn(float f) { return __half(f); }
HEDDLE_HALF __half __double2half(double d) { return __half(d); }
HEDDLE_HALF float __half2float(__half h) { return static_cast<float>(h); }
HEDDLE_HALF __half2 __floats2half2_rn(float low, float high) { return __half2(__half(low), __half(high)); }
HEDDLE_HALF __half2 __float22half2_rn(float2 f) { return __floats2half2_rn(f.x, f.y); }
HEDDLE_HALF __half2 __float2half2_rn(float f) { return __floats2half2_rn(f, f); }
HEDDLE_HALF float2 __half22float2(__half2 h) { return make_float2(__half2float(h.x), __half2float(h.y)); }
HEDDLE_HALF float __low2float(__half2 h) { return __half2float(h.x); }
HEDDLE_HALF float __high2float(__half2 h) { return __half2float(h.y); }
HEDDLE_HALF __half __low2half(__half2 h) { return h.x; }
HEDDLE_HALF __half __high2half(__half2 h) { return h.y; }
HEDDLE_HALF __half2 __half2half2(__half h) { return __half2(h, h); }
HEDDLE_HALF __half2 __halves2half2(__half low, __half high) { return __half2(low, high); }
HEDDLE_HALF __half2 make_half2(__half low, __half high) { return __half2(low, high); }
HEDDLE_HALF __half2 __low2half2(__half2 h) { return __half2(h.x, h.x); }
HEDDLE_HALF __half2 __high2half2(__half2 h) { return __half2(h.y, h.y); }
HEDDLE_HALF __half2 __lowhigh2highlow(__half2 h) { return __half2(h.y, h.x); }
HEDDLE_HALF __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
HEDDLE_HALF __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
HEDDLE_HALF short __half_as_short(__half h) { return static_cast<short>(heddle_half::bits(h)); }
HEDDLE_HALF unsigned short __half_as_ushort(__half h) { return heddle_half::bits(h); }
HEDDLE_HALF __half __short_as_half(short x) { return heddle_half::from_bits(static_cast<unsigned short>(x)); }
HEDDLE_HALF __half __ushort_as_half(unsigned short x) { return heddle_half::from_bits(x); }

#if defined(__CUDA__)
#include "heddle_device/half.h"
#endif

#undef HEDDLE_HALF
#undef HEDDLE_HALF_DEVICE
#undef HEDDLE_HALF_MEMBER
#endif  // __cplusplus

#endif
