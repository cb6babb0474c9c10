// SPDX-License-Identifier: Apache-2.0
// Half precision: __half and __half2 on host and device. The device uses the half-precision instructions. The host
// computes in float and rounds again, which is exact: float has more than twice the digits, and results that do not fit
// a float are rounded to odd.
#ifndef HEDDLE_CUDA_FP16_H
#define HEDDLE_CUDA_FP16_H
#define __CUDA_FP16_H__

#include "cuda_runtime.h"

#if defined(__cplusplus)
#include "heddle_device/small_float.h"

struct __half_raw {
  unsigned short x;
};
struct __half2_raw {
  unsigned short x, y;
};

namespace heddle_half {
HEDDLE_SMALL unsigned short from_float(float value) {
#if defined(__CUDA_ARCH__)
  unsigned short h;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(value));
  return h;
#else
  return static_cast<unsigned short>(heddle_small::encode<5, 10>(value, heddle_small::kNearest));
#endif
}

HEDDLE_SMALL float to_float(unsigned short h) {
#if defined(__CUDA_ARCH__)
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(h));
  return value;
#else
  const unsigned int sign = (h & 0x8000u) << 16;
  const unsigned int magnitude = h & 0x7fffu;
  if (magnitude >= 0x7c00u) return heddle_small::float_of(sign | 0x7f800000u | (magnitude & 0x3ffu) << 13);
  if (magnitude >= 0x400u) return heddle_small::float_of(sign | ((magnitude << 13) + 0x38000000u));
  const float small = static_cast<float>(magnitude) * 5.9604644775390625e-8f;  // 2^-24
  return heddle_small::float_of(sign | heddle_small::bits_of(small));
#endif
}
}  // namespace heddle_half

#define HEDDLE_SMALL_T __half
#define HEDDLE_SMALL_T2 __half2
#define HEDDLE_SMALL_RAW __half_raw
#define HEDDLE_SMALL_RAW2 __half2_raw
#define HEDDLE_SMALL_NAMESPACE heddle_half
#include "heddle_device/small_float_type.h"
typedef __half half;
typedef __half2 half2;

// --- conversions
// --------------------------------------------------------------------------------------------------------------
HEDDLE_SMALL __half __float2half(float f) { return __half(f); }
HEDDLE_SMALL __half __float2half_rn(float f) { return __half(f); }
HEDDLE_SMALL __half __double2half(double d) { return __half(d); }
HEDDLE_SMALL float __half2float(__half h) { return static_cast<float>(h); }
HEDDLE_SMALL __half2 __floats2half2_rn(float low, float high) { return __half2(__half(low), __half(high)); }
HEDDLE_SMALL __half2 __float22half2_rn(float2 f) { return __floats2half2_rn(f.x, f.y); }
HEDDLE_SMALL __half2 __float2half2_rn(float f) { return __floats2half2_rn(f, f); }
HEDDLE_SMALL float2 __half22float2(__half2 h) { return make_float2(__half2float(h.x), __half2float(h.y)); }
HEDDLE_SMALL float __low2float(__half2 h) { return __half2float(h.x); }
HEDDLE_SMALL float __high2float(__half2 h) { return __half2float(h.y); }
HEDDLE_SMALL __half __low2half(__half2 h) { return h.x; }
HEDDLE_SMALL __half __high2half(__half2 h) { return h.y; }
HEDDLE_SMALL __half2 __half2half2(__half h) { return __half2(h, h); }
HEDDLE_SMALL __half2 __halves2half2(__half low, __half high) { return __half2(low, high); }
HEDDLE_SMALL __half2 make_half2(__half low, __half high) { return __half2(low, high); }
HEDDLE_SMALL __half2 __low2half2(__half2 h) { return __half2(h.x, h.x); }
HEDDLE_SMALL __half2 __high2half2(__half2 h) { return __half2(h.y, h.y); }
HEDDLE_SMALL __half2 __lowhigh2highlow(__half2 h) { return __half2(h.y, h.x); }
HEDDLE_SMALL __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
HEDDLE_SMALL __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
HEDDLE_SMALL short __half_as_short(__half h) { return static_cast<short>(heddle_half::bits(h)); }
HEDDLE_SMALL unsigned short __half_as_ushort(__half h) { return heddle_half::bits(h); }
HEDDLE_SMALL __half __short_as_half(short x) { return heddle_half::from_bits(static_cast<unsigned short>(x)); }
HEDDLE_SMALL __half __ushort_as_half(unsigned short x) { return heddle_half::from_bits(x); }

// --- constants
// ------------------------------------------------------------------------------------------------------------------
#define CUDART_INF_FP16 __ushort_as_half(static_cast<unsigned short>(0x7c00u))
#define CUDART_NAN_FP16 __ushort_as_half(static_cast<unsigned short>(0x7fffu))
#define CUDART_MIN_DENORM_FP16 __ushort_as_half(static_cast<unsigned short>(0x0001u))
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half(static_cast<unsigned short>(0x7bffu))
#define CUDART_NEG_ZERO_FP16 __ushort_as_half(static_cast<unsigned short>(0x8000u))
#define CUDART_ZERO_FP16 __ushort_as_half(static_cast<unsigned short>(0x0000u))
#define CUDART_ONE_FP16 __ushort_as_half(static_cast<unsigned short>(0x3c00u))

#include "heddle_device/half.h"
#endif  // __cplusplus

#endif
