// SPDX-License-Identifier: Apache-2.0
// 8-bit floating point: E4M3 (no infinities, NaN is 0x7f, maximum 448) and E5M2 (IEEE 754, maximum 57344), conversions
// and the types of one, two and four values. Rounds to nearest even.
#ifndef HEDDLE_CUDA_FP8_H
#define HEDDLE_CUDA_FP8_H
#define __CUDA_FP8_H__

#include "cuda_bf16.h"
#include "cuda_fp16.h"

#if defined(__cplusplus)
typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short int __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

namespace heddle_fp8 {
// From a float, possibly rounded to odd. Overflow gives the largest number (__NV_SATFINITE), or else NaN (E4M3) or
// infinity (E5M2).
HEDDLE_SMALL __nv_fp8_storage_t encode(float value, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
  const unsigned int magnitude = heddle_small::bits_of(value) & 0x7fffffffu;
  const unsigned int sign = heddle_small::bits_of(value) >> 31 << 7;
  if (magnitude > 0x7f800000u) return 0x7f;
  const unsigned int largest = kind == __NV_E4M3 ? 0x7eu : 0x7bu;
  unsigned int code = largest + 1;
  if (magnitude != 0x7f800000u) {
    code = kind == __NV_E4M3 ? heddle_small::round_magnitude<4, 3>(magnitude, sign != 0, heddle_small::kNearest)
                             : heddle_small::round_magnitude<5, 2>(magnitude, sign != 0, heddle_small::kNearest);
  }
  if (code > largest) code = saturate == __NV_SATFINITE ? largest : largest + 1;
  return static_cast<__nv_fp8_storage_t>(sign | code);
}
// The bits of a half, which represents every value exactly.
HEDDLE_SMALL unsigned short decode(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind) {
  const unsigned int sign = (x & 0x80u) << 8;
  const unsigned int magnitude = x & 0x7fu;
  if (kind == __NV_E5M2) {
    return static_cast<unsigned short>(magnitude > 0x7cu ? 0x7fffu : sign | magnitude << 8);
  }
  if (magnitude == 0x7fu) return 0x7fff;
  if (magnitude >= 8) return static_cast<unsigned short>(sign | ((magnitude << 7) + 0x2000u));  // bias 7 to 15
  if (magnitude == 0) return static_cast<unsigned short>(sign);
  const unsigned int top = magnitude >= 4 ? 2 : magnitude >= 2 ? 1 : 0;  // of magnitude 2^-9
  return static_cast<unsigned short>(sign | (top + 6) << 10 | ((magnitude << (10 - top)) & 0x3ffu));
}
HEDDLE_SMALL __half half_of(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind) {
  return heddle_half::from_bits(decode(x, kind));
}
HEDDLE_SMALL __nv_fp8x2_storage_t pair(__nv_fp8_storage_t low, __nv_fp8_storage_t high) {
  return static_cast<__nv_fp8x2_storage_t>(high << 8 | low);
}
}  // namespace heddle_fp8

// --- conversions of the stored bits
// -----------------------------------------------------------------------------------------------
HEDDLE_SMALL __nv_fp8_storage_t __nv_cvt_double_to_fp8(const double x, const __nv_saturation_t saturate,
                                                       const __nv_fp8_interpretation_t kind) {
  return heddle_fp8::encode(heddle_small::odd(x), saturate, kind);
}
HEDDLE_SMALL __nv_fp8_storage_t __nv_cvt_float_to_fp8(const float x, const __nv_saturation_t saturate,
                                                      const __nv_fp8_interpretation_t kind) {
  return heddle_fp8::encode(x, saturate, kind);
}
HEDDLE_SMALL __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(const __half_raw x, const __nv_saturation_t saturate,
                                                        const __nv_fp8_interpretation_t kind) {
  return heddle_fp8::encode(heddle_half::to_float(x.x), saturate, kind);
}
HEDDLE_SMALL __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(const __nv_bfloat16_raw x, const __nv_saturation_t saturate,
                                                            const __nv_fp8_interpretation_t kind) {
  return heddle_fp8::encode(heddle_bfloat16::to_float(x.x), saturate, kind);
}
HEDDLE_SMALL __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(const double2 x, const __nv_saturation_t saturate,
                                                            const __nv_fp8_interpretation_t kind) {
  return heddle_fp8::pair(__nv_cvt_double_to_fp8(x.x, saturate, kind), __nv_cvt_double_to_fp8(x.y, saturate, kind));
}
HEDDLE_SMALL __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(const float2 x, const __nv_saturation_t saturate,
                                                           const __nv_fp8_interpretation_t kind) {
  return heddle_fp8::pair(heddle_fp8::encode(x.x, saturate, kind), heddle_fp8::encode(x.y, saturate, kind));
}
HEDDLE_SMALL __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(const __half2_raw x, const __nv_saturation_t saturate,
                                                             const __nv_fp8_interpretation_t kind) {
  return heddle_fp8::pair(heddle_fp8::encode(heddle_half::to_float(x.x), saturate, kind),
                          heddle_fp8::encode(heddle_half::to_float(x.y), saturate, kind));
}
HEDDLE_SMALL __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(const __nv_bfloat162_raw x,
                                                                 const __nv_saturation_t saturate,
                                                                 const __nv_fp8_interpretation_t kind) {
  return heddle_fp8::pair(heddle_fp8::encode(heddle_bfloat16::to_float(x.x), saturate, kind),
                          heddle_fp8::encode(heddle_bfloat16::to_float(x.y), saturate, kind));
}
HEDDLE_SMALL __half_raw __nv_cvt_fp8_to_halfraw(const __nv_fp8_storage_t x, const __nv_fp8_interpretation_t kind) {
  __half_raw raw;
  raw.x = heddle_fp8::decode(x, kind);
  return raw;
}
HEDDLE_SMALL __half2_raw __nv_cvt_fp8x2_to_halfraw2(const __nv_fp8x2_storage_t x,
                                                    const __nv_fp8_interpretation_t kind) {
  __half2_raw raw;
  raw.x = heddle_fp8::decode(static_cast<__nv_fp8_storage_t>(x & 0xff), kind);
  raw.y = heddle_fp8::decode(static_cast<__nv_fp8_storage_t>(x >> 8), kind);
  return raw;
}

// --- types: conversions from numbers saturate
// ---------------------------------------------------------------------------------
#define HEDDLE_FP8_FROM(name, type, kind)         \
  HEDDLE_SMALL_MEMBER explicit name(const type x) \
      : __x(heddle_fp8::encode(heddle_small::odd(x), __NV_SATFINITE, kind)) {}
#define HEDDLE_FP8_TO(type, kind)                                                          \
  HEDDLE_SMALL_MEMBER explicit operator type() const {                                     \
    return heddle_small::to_integer<type>(static_cast<float>(*this), heddle_small::kZero); \
  }
#define HEDDLE_FP8(name, kind)                                                                      \
  struct __align__(1) name {                                                                        \
    __nv_fp8_storage_t __x;                                                                         \
    name() = default;                                                                               \
    HEDDLE_SMALL_MEMBER explicit name(const __half x)                                               \
        : __x(heddle_fp8::encode(heddle_half::value_of(x), __NV_SATFINITE, kind)) {}                \
    HEDDLE_SMALL_MEMBER explicit name(const __nv_bfloat16 x)                                        \
        : __x(heddle_fp8::encode(heddle_bfloat16::value_of(x), __NV_SATFINITE, kind)) {}            \
    HEDDLE_FP8_FROM(name, float, kind)                                                              \
    HEDDLE_FP8_FROM(name, double, kind)                                                             \
    HEDDLE_FP8_FROM(name, unsigned short int, kind)                                                 \
    HEDDLE_FP8_FROM(name, unsigned int, kind)                                                       \
    HEDDLE_FP8_FROM(name, unsigned long int, kind)                                                  \
    HEDDLE_FP8_FROM(name, unsigned long long int, kind)                                             \
    HEDDLE_FP8_FROM(name, short int, kind)                                                          \
    HEDDLE_FP8_FROM(name, int, kind)                                                                \
    HEDDLE_FP8_FROM(name, long int, kind)                                                           \
    HEDDLE_FP8_FROM(name, long long int, kind)                                                      \
    HEDDLE_SMALL_MEMBER explicit operator __half() const { return heddle_fp8::half_of(__x, kind); } \
    HEDDLE_SMALL_MEMBER explicit operator float() const {                                           \
      return heddle_half::value_of(heddle_fp8::half_of(__x, kind));                                 \
    }                                                                                               \
    HEDDLE_SMALL_MEMBER explicit operator __nv_bfloat16() const {                                   \
      return heddle_bfloat16::rounded(static_cast<float>(*this));                                   \
    }                                                                                               \
    HEDDLE_SMALL_MEMBER explicit operator double() const { return static_cast<float>(*this); }      \
    HEDDLE_SMALL_MEMBER explicit operator bool() const { return (__x & 0x7fu) != 0; }               \
    HEDDLE_FP8_TO(unsigned char, kind)                                                              \
    HEDDLE_FP8_TO(signed char, kind)                                                                \
    HEDDLE_FP8_TO(char, kind)                                                                       \
    HEDDLE_FP8_TO(unsigned short int, kind)                                                         \
    HEDDLE_FP8_TO(unsigned int, kind)                                                               \
    HEDDLE_FP8_TO(unsigned long int, kind)                                                          \
    HEDDLE_FP8_TO(unsigned long long int, kind)                                                     \
    HEDDLE_FP8_TO(short int, kind)                                                                  \
    HEDDLE_FP8_TO(int, kind)                                                                        \
    HEDDLE_FP8_TO(long int, kind)                                                                   \
    HEDDLE_FP8_TO(long long int, kind)                                                              \
  };
HEDDLE_FP8(__nv_fp8_e5m2, __NV_E5M2)
HEDDLE_FP8(__nv_fp8_e4m3, __NV_E4M3)
#undef HEDDLE_FP8
#undef HEDDLE_FP8_TO
#undef HEDDLE_FP8_FROM

#define HEDDLE_FP8_PAIR(name, kind)                                                                                  \
  struct __align__(2) name {                                                                                         \
    __nv_fp8x2_storage_t __x;                                                                                        \
    name() = default;                                                                                                \
    HEDDLE_SMALL_MEMBER explicit name(const __half2 x)                                                               \
        : __x(__nv_cvt_halfraw2_to_fp8x2(static_cast<__half2_raw>(x), __NV_SATFINITE, kind)) {}                      \
    HEDDLE_SMALL_MEMBER explicit name(const __nv_bfloat162 x)                                                        \
        : __x(__nv_cvt_bfloat16raw2_to_fp8x2(static_cast<__nv_bfloat162_raw>(x), __NV_SATFINITE, kind)) {}           \
    HEDDLE_SMALL_MEMBER explicit name(const float2 x) : __x(__nv_cvt_float2_to_fp8x2(x, __NV_SATFINITE, kind)) {}    \
    HEDDLE_SMALL_MEMBER explicit name(const double2 x) : __x(__nv_cvt_double2_to_fp8x2(x, __NV_SATFINITE, kind)) {}  \
    HEDDLE_SMALL_MEMBER explicit operator __half2() const { return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, kind)); } \
    HEDDLE_SMALL_MEMBER explicit operator float2() const { return __half22float2(static_cast<__half2>(*this)); }     \
  };
HEDDLE_FP8_PAIR(__nv_fp8x2_e5m2, __NV_E5M2)
HEDDLE_FP8_PAIR(__nv_fp8x2_e4m3, __NV_E4M3)
#undef HEDDLE_FP8_PAIR

#define HEDDLE_FP8_FOUR(name, pair, kind)                                                                              \
  struct __align__(4) name {                                                                                           \
    __nv_fp8x4_storage_t __x;                                                                                          \
    name() = default;                                                                                                  \
    HEDDLE_SMALL_MEMBER explicit name(const __half2 low, const __half2 high)                                           \
        : __x(static_cast<unsigned int>(pair(high).__x) << 16 | pair(low).__x) {}                                      \
    HEDDLE_SMALL_MEMBER explicit name(const __nv_bfloat162 low, const __nv_bfloat162 high)                             \
        : __x(static_cast<unsigned int>(pair(high).__x) << 16 | pair(low).__x) {}                                      \
    HEDDLE_SMALL_MEMBER explicit name(const float4 x)                                                                  \
        : __x(static_cast<unsigned int>(pair(make_float2(x.z, x.w)).__x) << 16 | pair(make_float2(x.x, x.y)).__x) {}   \
    HEDDLE_SMALL_MEMBER explicit name(const double4 x)                                                                 \
        : __x(static_cast<unsigned int>(pair(make_double2(x.z, x.w)).__x) << 16 | pair(make_double2(x.x, x.y)).__x) {} \
    HEDDLE_SMALL_MEMBER explicit operator float4() const {                                                             \
      pair low, high;                                                                                                  \
      low.__x = static_cast<__nv_fp8x2_storage_t>(__x & 0xffffu);                                                      \
      high.__x = static_cast<__nv_fp8x2_storage_t>(__x >> 16);                                                         \
      const float2 a = static_cast<float2>(low), b = static_cast<float2>(high);                                        \
      return make_float4(a.x, a.y, b.x, b.y);                                                                          \
    }                                                                                                                  \
  };
HEDDLE_FP8_FOUR(__nv_fp8x4_e5m2, __nv_fp8x2_e5m2, __NV_E5M2)
HEDDLE_FP8_FOUR(__nv_fp8x4_e4m3, __nv_fp8x2_e4m3, __NV_E4M3)
#undef HEDDLE_FP8_FOUR
#endif  // __cplusplus

#endif
