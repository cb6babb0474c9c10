// SPDX-License-Identifier: Apache-2.0
// bfloat16: __nv_bfloat16 and __nv_bfloat162 on host and device. A value is the upper half of a float's bits. Both
// sides compute in single precision and round once more, which is never wrong: float has more than twice the digits,
// and fused products are rounded to odd first.
#ifndef HEDDLE_CUDA_BF16_H
#define HEDDLE_CUDA_BF16_H
#define __CUDA_BF16_H__

#include "cuda_runtime.h"

#if defined(__cplusplus)
#include "heddle_device/small_float.h"

struct __nv_bfloat16_raw {
  unsigned short x;
};
struct __nv_bfloat162_raw {
  unsigned short x, y;
};

namespace heddle_bfloat16 {
HEDDLE_SMALL unsigned short from_float(float value, heddle_small::Rounding rounding = heddle_small::kNearest) {
  return static_cast<unsigned short>(heddle_small::encode<8, 7>(value, rounding));
}
HEDDLE_SMALL float to_float(unsigned short x) { return heddle_small::float_of(static_cast<unsigned int>(x) << 16); }
}  // namespace heddle_bfloat16

struct __align__(2) __nv_bfloat16 {
 protected:
  unsigned short __x;

 public:
  __nv_bfloat16() = default;
  HEDDLE_SMALL_MEMBER __nv_bfloat16(const __nv_bfloat16_raw& raw) : __x(raw.x) {}
  HEDDLE_SMALL_MEMBER __nv_bfloat16(float f) : __x(heddle_bfloat16::from_float(f)) {}
  HEDDLE_SMALL_MEMBER __nv_bfloat16(double d) : __x(heddle_bfloat16::from_float(heddle_small::odd(d))) {}
#define HEDDLE_BFLOAT16_TO(type)                                                                \
  HEDDLE_SMALL_MEMBER operator type() const {                                                   \
    return heddle_small::to_integer<type>(heddle_bfloat16::to_float(__x), heddle_small::kZero); \
  }
#define HEDDLE_BFLOAT16_INTEGER(type)                                                                   \
  HEDDLE_SMALL_MEMBER __nv_bfloat16(type v) : __x(heddle_bfloat16::from_float(heddle_small::odd(v))) {} \
  HEDDLE_SMALL_MEMBER __nv_bfloat16& operator=(type v) { return *this = __nv_bfloat16(v); }             \
  HEDDLE_BFLOAT16_TO(type)
  HEDDLE_BFLOAT16_INTEGER(short)
  HEDDLE_BFLOAT16_INTEGER(unsigned short)
  HEDDLE_BFLOAT16_INTEGER(int)
  HEDDLE_BFLOAT16_INTEGER(unsigned int)
  HEDDLE_BFLOAT16_INTEGER(long)
  HEDDLE_BFLOAT16_INTEGER(unsigned long)
  HEDDLE_BFLOAT16_INTEGER(long long)
  HEDDLE_BFLOAT16_INTEGER(unsigned long long)
  HEDDLE_BFLOAT16_TO(char)
  HEDDLE_BFLOAT16_TO(signed char)
  HEDDLE_BFLOAT16_TO(unsigned char)
#undef HEDDLE_BFLOAT16_INTEGER
#undef HEDDLE_BFLOAT16_TO
  HEDDLE_SMALL_MEMBER operator float() const { return heddle_bfloat16::to_float(__x); }
  HEDDLE_SMALL_MEMBER operator bool() const { return (__x & 0x7fffu) != 0; }
  HEDDLE_SMALL_MEMBER operator __nv_bfloat16_raw() const {
    __nv_bfloat16_raw raw;
    raw.x = __x;
    return raw;
  }
  HEDDLE_SMALL_MEMBER __nv_bfloat16& operator=(const __nv_bfloat16_raw& raw) {
    __x = raw.x;
    return *this;
  }
  HEDDLE_SMALL_MEMBER __nv_bfloat16& operator=(float f) { return *this = __nv_bfloat16(f); }
  HEDDLE_SMALL_MEMBER __nv_bfloat16& operator=(double d) { return *this = __nv_bfloat16(d); }
};

struct __align__(4) __nv_bfloat162 {
  __nv_bfloat16 x, y;
  __nv_bfloat162() = default;
  HEDDLE_SMALL_MEMBER __nv_bfloat162(const __nv_bfloat16& low, const __nv_bfloat16& high) : x(low), y(high) {}
  HEDDLE_SMALL_MEMBER __nv_bfloat162(const __nv_bfloat162_raw& raw) {
    __nv_bfloat16_raw half;
    half.x = raw.x;
    x = half;
    half.x = raw.y;
    y = half;
  }
  HEDDLE_SMALL_MEMBER operator __nv_bfloat162_raw() const {
    __nv_bfloat162_raw raw;
    raw.x = static_cast<__nv_bfloat16_raw>(x).x;
    raw.y = static_cast<__nv_bfloat16_raw>(y).x;
    return raw;
  }
};
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

namespace heddle_bfloat16 {
HEDDLE_SMALL unsigned short bits(__nv_bfloat16 h) { return static_cast<__nv_bfloat16_raw>(h).x; }
HEDDLE_SMALL __nv_bfloat16 from_bits(unsigned short x) {
  __nv_bfloat16_raw raw;
  raw.x = x;
  return __nv_bfloat16(raw);
}
HEDDLE_SMALL unsigned int bits(__nv_bfloat162 h) { return static_cast<unsigned int>(bits(h.y)) << 16 | bits(h.x); }
HEDDLE_SMALL __nv_bfloat162 pair_from_bits(unsigned int x) {
  return __nv_bfloat162(from_bits(static_cast<unsigned short>(x)), from_bits(static_cast<unsigned short>(x >> 16)));
}
HEDDLE_SMALL float value_of(__nv_bfloat16 h) { return to_float(bits(h)); }
HEDDLE_SMALL __nv_bfloat16 rounded(float f) { return __nv_bfloat16(f); }
}  // namespace heddle_bfloat16

// --- conversions
// --------------------------------------------------------------------------------------------------------------
HEDDLE_SMALL __nv_bfloat16 __float2bfloat16(float f) { return __nv_bfloat16(f); }
HEDDLE_SMALL __nv_bfloat16 __float2bfloat16_rn(float f) { return __nv_bfloat16(f); }
HEDDLE_SMALL __nv_bfloat16 __double2bfloat16(double d) { return __nv_bfloat16(d); }
HEDDLE_SMALL float __bfloat162float(__nv_bfloat16 h) { return static_cast<float>(h); }
HEDDLE_SMALL __nv_bfloat162 __floats2bfloat162_rn(float low, float high) {
  return __nv_bfloat162(__nv_bfloat16(low), __nv_bfloat16(high));
}
HEDDLE_SMALL __nv_bfloat162 __float22bfloat162_rn(float2 f) { return __floats2bfloat162_rn(f.x, f.y); }
HEDDLE_SMALL __nv_bfloat162 __float2bfloat162_rn(float f) { return __floats2bfloat162_rn(f, f); }
HEDDLE_SMALL float2 __bfloat1622float2(__nv_bfloat162 h) {
  return make_float2(__bfloat162float(h.x), __bfloat162float(h.y));
}
HEDDLE_SMALL float __low2float(__nv_bfloat162 h) { return __bfloat162float(h.x); }
HEDDLE_SMALL float __high2float(__nv_bfloat162 h) { return __bfloat162float(h.y); }
HEDDLE_SMALL __nv_bfloat16 __low2bfloat16(__nv_bfloat162 h) { return h.x; }
HEDDLE_SMALL __nv_bfloat16 __high2bfloat16(__nv_bfloat162 h) { return h.y; }
HEDDLE_SMALL __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 h) { return __nv_bfloat162(h, h); }
HEDDLE_SMALL __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 low, __nv_bfloat16 high) {
  return __nv_bfloat162(low, high);
}
HEDDLE_SMALL __nv_bfloat162 make_bfloat162(__nv_bfloat16 low, __nv_bfloat16 high) { return __nv_bfloat162(low, high); }
HEDDLE_SMALL __nv_bfloat162 __low2bfloat162(__nv_bfloat162 h) { return __nv_bfloat162(h.x, h.x); }
HEDDLE_SMALL __nv_bfloat162 __high2bfloat162(__nv_bfloat162 h) { return __nv_bfloat162(h.y, h.y); }
HEDDLE_SMALL __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 h) { return __nv_bfloat162(h.y, h.x); }
HEDDLE_SMALL __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.x, b.x); }
HEDDLE_SMALL __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.y, b.y); }
HEDDLE_SMALL short __bfloat16_as_short(__nv_bfloat16 h) { return static_cast<short>(heddle_bfloat16::bits(h)); }
HEDDLE_SMALL unsigned short __bfloat16_as_ushort(__nv_bfloat16 h) { return heddle_bfloat16::bits(h); }
HEDDLE_SMALL __nv_bfloat16 __short_as_bfloat16(short x) {
  return heddle_bfloat16::from_bits(static_cast<unsigned short>(x));
}
HEDDLE_SMALL __nv_bfloat16 __ushort_as_bfloat16(unsigned short x) { return heddle_bfloat16::from_bits(x); }

// --- constants
// ------------------------------------------------------------------------------------------------------------------
#define CUDART_INF_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x7f80u))
#define CUDART_NAN_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x7fffu))
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x0001u))
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x7f7fu))
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x8000u))
#define CUDART_ZERO_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x0000u))
#define CUDART_ONE_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x3f80u))

#include "heddle_device/bfloat16.h"
#endif  // __cplusplus

#endif
