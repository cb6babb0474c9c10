// SPDX-License-Identifier: Apache-2.0
// Conversions with explicit rounding, bit casts, and arithmetic with directed rounding. Arithmetic uses inline assembly
// because the compiler may contract its round-to-nearest builtins into fused multiply-adds, which these functions must
// never become.
#pragma once

#include "macros.h"

// Programs compiled with flushed denormals get the .ftz forms (-use_fast_math, -ftz=true).
#if defined(HEDDLE_CUDA_FTZ)
#define HEDDLE_FTZ ".ftz"
#else
#define HEDDLE_FTZ ""
#endif

// --- the same bits as another type
// --------------------------------------------------------------------------------------
HEDDLE_DEVICE int __float_as_int(float x) { return __nvvm_bitcast_f2i(x); }
HEDDLE_DEVICE unsigned int __float_as_uint(float x) { return static_cast<unsigned int>(__nvvm_bitcast_f2i(x)); }
HEDDLE_DEVICE float __int_as_float(int x) { return __nvvm_bitcast_i2f(x); }
HEDDLE_DEVICE float __uint_as_float(unsigned int x) { return __nvvm_bitcast_i2f(static_cast<int>(x)); }
HEDDLE_DEVICE long long __double_as_longlong(double x) { return __nvvm_bitcast_d2ll(x); }
HEDDLE_DEVICE double __longlong_as_double(long long x) { return __nvvm_bitcast_ll2d(x); }
HEDDLE_DEVICE int __double2hiint(double x) { return static_cast<int>(__nvvm_bitcast_d2ll(x) >> 32); }
HEDDLE_DEVICE int __double2loint(double x) { return static_cast<int>(__nvvm_bitcast_d2ll(x)); }
HEDDLE_DEVICE double __hiloint2double(int high, int low) {
  return __nvvm_bitcast_ll2d(static_cast<long long>(
      static_cast<unsigned long long>(static_cast<unsigned int>(high)) << 32 | static_cast<unsigned int>(low)));
}

// --- conversions
// --------------------------------------------------------------------------------------------------------
#define HEDDLE_CONVERT(name, to, to_letter, from, from_letter, ptx)      \
  HEDDLE_DEVICE to name(from x) {                                        \
    to result;                                                           \
    asm("cvt." ptx " %0, %1;" : "=" to_letter(result) : from_letter(x)); \
    return result;                                                       \
  }
#define HEDDLE_CONVERT_FLOAT_TO_INTEGER(name, to, letter, ptx)                                 \
  HEDDLE_CONVERT(__float2##name##_rn, to, letter, float, "f", "rni" HEDDLE_FTZ "." ptx ".f32") \
  HEDDLE_CONVERT(__float2##name##_rz, to, letter, float, "f", "rzi" HEDDLE_FTZ "." ptx ".f32") \
  HEDDLE_CONVERT(__float2##name##_ru, to, letter, float, "f", "rpi" HEDDLE_FTZ "." ptx ".f32") \
  HEDDLE_CONVERT(__float2##name##_rd, to, letter, float, "f", "rmi" HEDDLE_FTZ "." ptx ".f32") \
  HEDDLE_CONVERT(__double2##name##_rn, to, letter, double, "d", "rni." ptx ".f64")             \
  HEDDLE_CONVERT(__double2##name##_rz, to, letter, double, "d", "rzi." ptx ".f64")             \
  HEDDLE_CONVERT(__double2##name##_ru, to, letter, double, "d", "rpi." ptx ".f64")             \
  HEDDLE_CONVERT(__double2##name##_rd, to, letter, double, "d", "rmi." ptx ".f64")
HEDDLE_CONVERT_FLOAT_TO_INTEGER(int, int, "r", "s32")
HEDDLE_CONVERT_FLOAT_TO_INTEGER(uint, unsigned int, "r", "u32")
HEDDLE_CONVERT_FLOAT_TO_INTEGER(ll, long long, "l", "s64")
HEDDLE_CONVERT_FLOAT_TO_INTEGER(ull, unsigned long long, "l", "u64")
#undef HEDDLE_CONVERT_FLOAT_TO_INTEGER

#define HEDDLE_CONVERT_TO_FLOAT(name, from, from_letter, to, to_letter, ptx) \
  HEDDLE_CONVERT(name##_rn, to, to_letter, from, from_letter, "rn." ptx)     \
  HEDDLE_CONVERT(name##_rz, to, to_letter, from, from_letter, "rz." ptx)     \
  HEDDLE_CONVERT(name##_ru, to, to_letter, from, from_letter, "rp." ptx)     \
  HEDDLE_CONVERT(name##_rd, to, to_letter, from, from_letter, "rm." ptx)
HEDDLE_CONVERT_TO_FLOAT(__int2float, int, "r", float, "f", "f32.s32")
HEDDLE_CONVERT_TO_FLOAT(__uint2float, unsigned int, "r", float, "f", "f32.u32")
HEDDLE_CONVERT_TO_FLOAT(__ll2float, long long, "l", float, "f", "f32.s64")
HEDDLE_CONVERT_TO_FLOAT(__ull2float, unsigned long long, "l", float, "f", "f32.u64")
HEDDLE_CONVERT_TO_FLOAT(__ll2double, long long, "l", double, "d", "f64.s64")
HEDDLE_CONVERT_TO_FLOAT(__ull2double, unsigned long long, "l", double, "d", "f64.u64")
HEDDLE_CONVERT(__double2float_rn, float, "f", double, "d", "rn" HEDDLE_FTZ ".f32.f64")
HEDDLE_CONVERT(__double2float_rz, float, "f", double, "d", "rz" HEDDLE_FTZ ".f32.f64")
HEDDLE_CONVERT(__double2float_ru, float, "f", double, "d", "rp" HEDDLE_FTZ ".f32.f64")
HEDDLE_CONVERT(__double2float_rd, float, "f", double, "d", "rm" HEDDLE_FTZ ".f32.f64")
HEDDLE_CONVERT(__int2double_rn, double, "d", int, "r", "rn.f64.s32")
HEDDLE_CONVERT(__uint2double_rn, double, "d", unsigned int, "r", "rn.f64.u32")
#undef HEDDLE_CONVERT_TO_FLOAT
#undef HEDDLE_CONVERT

// --- arithmetic with a directed rounding
// ----------------------------------------------------------------------------------
#define HEDDLE_UNARY(name, type, letter, ptx)             \
  HEDDLE_DEVICE type name(type x) {                       \
    type result;                                          \
    asm(ptx " %0, %1;" : "=" letter(result) : letter(x)); \
    return result;                                        \
  }
#define HEDDLE_BINARY(name, type, letter, ptx)                           \
  HEDDLE_DEVICE type name(type x, type y) {                              \
    type result;                                                         \
    asm(ptx " %0, %1, %2;" : "=" letter(result) : letter(x), letter(y)); \
    return result;                                                       \
  }
#define HEDDLE_TERNARY(name, type, letter, ptx)                                         \
  HEDDLE_DEVICE type name(type x, type y, type z) {                                     \
    type result;                                                                        \
    asm(ptx " %0, %1, %2, %3;" : "=" letter(result) : letter(x), letter(y), letter(z)); \
    return result;                                                                      \
  }
#define HEDDLE_ROUNDED(prefix, type, constraint, suffix, cuda_mode, ptx_mode)          \
  HEDDLE_BINARY(__##prefix##add_##cuda_mode, type, constraint, "add." ptx_mode suffix) \
  HEDDLE_BINARY(__##prefix##sub_##cuda_mode, type, constraint, "sub." ptx_mode suffix) \
  HEDDLE_BINARY(__##prefix##mul_##cuda_mode, type, constraint, "mul." ptx_mode suffix) \
  HEDDLE_BINARY(__##prefix##div_##cuda_mode, type, constraint, "div." ptx_mode suffix) \
  HEDDLE_UNARY(__##prefix##rcp_##cuda_mode, type, constraint, "rcp." ptx_mode suffix)  \
  HEDDLE_UNARY(__##prefix##sqrt_##cuda_mode, type, constraint, "sqrt." ptx_mode suffix)
#define HEDDLE_ROUNDED_BOTH(cuda_mode, ptx_mode)                                    \
  HEDDLE_ROUNDED(f, float, "f", HEDDLE_FTZ ".f32", cuda_mode, ptx_mode)             \
  HEDDLE_ROUNDED(d, double, "d", ".f64", cuda_mode, ptx_mode)                       \
  HEDDLE_TERNARY(__fmaf_##cuda_mode, float, "f", "fma." ptx_mode HEDDLE_FTZ ".f32") \
  HEDDLE_TERNARY(__fmaf_ieee_##cuda_mode, float, "f", "fma." ptx_mode ".f32")       \
  HEDDLE_TERNARY(__fma_##cuda_mode, double, "d", "fma." ptx_mode ".f64")
HEDDLE_ROUNDED_BOTH(rn, "rn")
HEDDLE_ROUNDED_BOTH(rz, "rz")
HEDDLE_ROUNDED_BOTH(ru, "rp")
HEDDLE_ROUNDED_BOTH(rd, "rm")
#undef HEDDLE_ROUNDED_BOTH
#undef HEDDLE_ROUNDED

// --- the special function unit's approximations
// ----------------------------------------------------------------------------
HEDDLE_UNARY(__heddle_sin_approx, float, "f", "sin.approx" HEDDLE_FTZ ".f32")
HEDDLE_UNARY(__heddle_cos_approx, float, "f", "cos.approx" HEDDLE_FTZ ".f32")
HEDDLE_UNARY(__heddle_ex2_approx, float, "f", "ex2.approx" HEDDLE_FTZ ".f32")
HEDDLE_UNARY(__heddle_lg2_approx, float, "f", "lg2.approx" HEDDLE_FTZ ".f32")
HEDDLE_UNARY(__heddle_rcp_approx, float, "f", "rcp.approx" HEDDLE_FTZ ".f32")
HEDDLE_BINARY(__heddle_div_approx, float, "f", "div.approx" HEDDLE_FTZ ".f32")
#undef HEDDLE_TERNARY
#undef HEDDLE_BINARY
#undef HEDDLE_UNARY

HEDDLE_DEVICE float __sinf(float x) { return __heddle_sin_approx(x); }
HEDDLE_DEVICE float __cosf(float x) { return __heddle_cos_approx(x); }
HEDDLE_DEVICE void __sincosf(float x, float* sine, float* cosine) {
  *sine = __heddle_sin_approx(x);
  *cosine = __heddle_cos_approx(x);
}
HEDDLE_DEVICE float __tanf(float x) { return __heddle_div_approx(__heddle_sin_approx(x), __heddle_cos_approx(x)); }
HEDDLE_DEVICE float __log2f(float x) { return __heddle_lg2_approx(x); }
HEDDLE_DEVICE float __logf(float x) { return __heddle_lg2_approx(x) * 0.693147180559945309f; }
HEDDLE_DEVICE float __log10f(float x) { return __heddle_lg2_approx(x) * 0.301029995663981195f; }
HEDDLE_DEVICE float __expf(float x) { return __heddle_ex2_approx(x * 1.44269504088896341f); }
HEDDLE_DEVICE float __exp10f(float x) { return __heddle_ex2_approx(x * 3.32192809488736235f); }
HEDDLE_DEVICE float __powf(float x, float y) { return __heddle_ex2_approx(y * __heddle_lg2_approx(x)); }
HEDDLE_DEVICE float __fdividef(float x, float y) { return __heddle_div_approx(x, y); }
// No instruction rounds this function; the double result is accurate enough to decide the rounding.
HEDDLE_DEVICE float __frsqrt_rn(float x) {
  double y;
  asm("rsqrt.approx.f64 %0, %1;" : "=d"(y) : "d"(static_cast<double>(x)));
  return static_cast<float>(y);
}
HEDDLE_DEVICE float __saturatef(float x) {
  float result;
  asm("cvt.sat" HEDDLE_FTZ ".f32.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}
