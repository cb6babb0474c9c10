// SPDX-License-Identifier: Apache-2.0
// bfloat16: __nv_bfloat16 and __nv_bfloat162 on host and device. A value is the upper half of a float's bits. Both
// sides compute in single precision and round again. This double rounding is exact: float has more than twice the
// digits, and fused products are rounded to odd first.
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

#define HEDDLE_SMALL_T __nv_bfloat16
#define HEDDLE_SMALL_T2 __nv_bfloat162
#define HEDDLE_SMALL_RAW __nv_bfloat16_raw
#define HEDDLE_SMALL_RAW2 __nv_bfloat162_raw
#define HEDDLE_SMALL_NAMESPACE heddle_bfloat16
#include "heddle_device/small_float_type.h"
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

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
