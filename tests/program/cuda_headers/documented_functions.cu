// SPDX-License-Identifier: Apache-2.0
// Every device function listed by the CUDA Math API and the programming guide for the modelled architectures, called
// once with the argument types of its signature.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#define SINGLE_OF_ONE(X)                                                                                            \
  X(acosf)                                                                                                          \
  X(acoshf)                                                                                                         \
  X(asinf) X(asinhf) X(atanf) X(atanhf) X(cbrtf) X(ceilf) X(cosf) X(coshf) X(cospif) X(cyl_bessel_i0f)              \
      X(cyl_bessel_i1f) X(erff) X(erfcf) X(erfcinvf) X(erfcxf) X(erfinvf) X(expf) X(exp10f) X(exp2f) X(expm1f)      \
          X(fabsf) X(floorf) X(j0f) X(j1f) X(lgammaf) X(logf) X(log10f) X(log1pf) X(log2f) X(logbf) X(nearbyintf)   \
              X(normcdff) X(normcdfinvf) X(rcbrtf) X(rintf) X(roundf) X(rsqrtf) X(sinf) X(sinhf) X(sinpif) X(sqrtf) \
                  X(tanf) X(tanhf) X(tgammaf) X(truncf) X(y0f) X(y1f) X(__cosf) X(__exp10f) X(__expf) X(__log10f)   \
                      X(__log2f) X(__logf) X(__saturatef) X(__sinf) X(__tanf)
#define DOUBLE_OF_ONE(X)                                                                                             \
  X(acos)                                                                                                            \
  X(acosh)                                                                                                           \
  X(asin) X(asinh) X(atan) X(atanh) X(cbrt) X(ceil) X(cos) X(cosh) X(cospi) X(cyl_bessel_i0) X(cyl_bessel_i1) X(erf) \
      X(erfc) X(erfcinv) X(erfcx) X(erfinv) X(exp) X(exp10) X(exp2) X(expm1) X(fabs) X(floor) X(j0) X(j1) X(lgamma)  \
          X(log) X(log10) X(log1p) X(log2) X(logb) X(nearbyint) X(normcdf) X(normcdfinv) X(rcbrt) X(rint) X(round)   \
              X(rsqrt) X(sin) X(sinh) X(sinpi) X(sqrt) X(tan) X(tanh) X(tgamma) X(trunc) X(y0) X(y1)
#define SINGLE_OF_TWO(X)                                                                                               \
  X(atan2f)                                                                                                            \
  X(copysignf)                                                                                                         \
  X(fdimf) X(fmaxf) X(fminf) X(fmodf) X(hypotf) X(nextafterf) X(powf) X(remainderf) X(rhypotf) X(__fdividef) X(__powf) \
      X(fdividef)
#define DOUBLE_OF_TWO(X) \
  X(atan2) X(copysign) X(fdim) X(fmax) X(fmin) X(fmod) X(hypot) X(nextafter) X(pow) X(remainder) X(rhypot)
#define SINGLE_ROUNDED(X)                                                                                              \
  X(__fadd_rn)                                                                                                         \
  X(__fadd_rz)                                                                                                         \
  X(__fadd_ru) X(__fadd_rd) X(__fsub_rn) X(__fsub_rz) X(__fsub_ru) X(__fsub_rd) X(__fmul_rn) X(__fmul_rz) X(__fmul_ru) \
      X(__fmul_rd) X(__fdiv_rn) X(__fdiv_rz) X(__fdiv_ru) X(__fdiv_rd)
#define DOUBLE_ROUNDED(X)                                                                                              \
  X(__dadd_rn)                                                                                                         \
  X(__dadd_rz)                                                                                                         \
  X(__dadd_ru) X(__dadd_rd) X(__dsub_rn) X(__dsub_rz) X(__dsub_ru) X(__dsub_rd) X(__dmul_rn) X(__dmul_rz) X(__dmul_ru) \
      X(__dmul_rd) X(__ddiv_rn) X(__ddiv_rz) X(__ddiv_ru) X(__ddiv_rd)
#define SINGLE_ROUNDED_ONE(X) \
  X(__frcp_rn)                \
  X(__frcp_rz) X(__frcp_ru) X(__frcp_rd) X(__fsqrt_rn) X(__fsqrt_rz) X(__fsqrt_ru) X(__fsqrt_rd) X(__frsqrt_rn)
#define DOUBLE_ROUNDED_ONE(X) \
  X(__drcp_rn) X(__drcp_rz) X(__drcp_ru) X(__drcp_rd) X(__dsqrt_rn) X(__dsqrt_rz) X(__dsqrt_ru) X(__dsqrt_rd)
#define FROM_SINGLE(X)                                                                                            \
  X(__float2int_rn)                                                                                               \
  X(__float2int_rz)                                                                                               \
  X(__float2int_ru) X(__float2int_rd) X(__float2uint_rn) X(__float2uint_rz) X(__float2uint_ru) X(__float2uint_rd) \
      X(__float2ll_rn) X(__float2ll_rz) X(__float2ll_ru) X(__float2ll_rd) X(__float2ull_rn) X(__float2ull_rz)     \
          X(__float2ull_ru) X(__float2ull_rd) X(__float_as_int) X(__float_as_uint) X(ilogbf) X(lrintf) X(lroundf) \
              X(llrintf) X(llroundf) X(isfinite) X(isinf) X(isnan) X(signbit)
#define FROM_DOUBLE(X)                                                                                               \
  X(__double2int_rn)                                                                                                 \
  X(__double2int_rz)                                                                                                 \
  X(__double2int_ru) X(__double2int_rd) X(__double2uint_rn) X(__double2uint_rz) X(__double2uint_ru)                  \
      X(__double2uint_rd) X(__double2ll_rn) X(__double2ll_rz) X(__double2ll_ru) X(__double2ll_rd) X(__double2ull_rn) \
          X(__double2ull_rz) X(__double2ull_ru) X(__double2ull_rd) X(__double2float_rn) X(__double2float_rz)         \
              X(__double2float_ru) X(__double2float_rd) X(__double_as_longlong) X(__double2hiint) X(__double2loint)  \
                  X(ilogb) X(lrint) X(lround) X(llrint) X(llround) X(isfinite) X(isinf) X(isnan) X(signbit)
#define FROM_INT(X) \
  X(__int2float_rn) X(__int2float_rz) X(__int2float_ru) X(__int2float_rd) X(__int2double_rn) X(__int_as_float)
#define FROM_UNSIGNED(X) \
  X(__uint2float_rn) X(__uint2float_rz) X(__uint2float_ru) X(__uint2float_rd) X(__uint2double_rn) X(__uint_as_float)
#define FROM_LONG_LONG(X)                                                                                   \
  X(__ll2float_rn)                                                                                          \
  X(__ll2float_rz)                                                                                          \
  X(__ll2float_ru) X(__ll2float_rd) X(__ll2double_rn) X(__ll2double_rz) X(__ll2double_ru) X(__ll2double_rd) \
      X(__longlong_as_double)
#define FROM_UNSIGNED_LONG_LONG(X) \
  X(__ull2float_rn)                \
  X(__ull2float_rz)                \
  X(__ull2float_ru) X(__ull2float_rd) X(__ull2double_rn) X(__ull2double_rz) X(__ull2double_ru) X(__ull2double_rd)
#define WORD_OF_ONE(X) \
  X(__vabs2) X(__vabsss2) X(__vneg2) X(__vnegss2) X(__vabs4) X(__vabsss4) X(__vneg4) X(__vnegss4) X(__brev) X(__popc)
#define WORD_OF_TWO(X)                                                                                                \
  X(__vabsdiffs2)                                                                                                     \
  X(__vabsdiffu2)                                                                                                     \
  X(__vadd2) X(__vaddss2) X(__vaddus2) X(__vavgs2) X(__vavgu2) X(__vcmpeq2) X(__vcmpges2) X(__vcmpgeu2) X(__vcmpgts2) \
      X(__vcmpgtu2) X(__vcmples2) X(__vcmpleu2) X(__vcmplts2) X(__vcmpltu2) X(__vcmpne2) X(__vhaddu2) X(__vmaxs2)     \
          X(__vmaxu2) X(__vmins2) X(__vminu2) X(__vsads2) X(__vsadu2) X(__vseteq2) X(__vsetges2) X(__vsetgeu2)        \
              X(__vsetgts2) X(__vsetgtu2) X(__vsetles2) X(__vsetleu2) X(__vsetlts2) X(__vsetltu2) X(__vsetne2)        \
                  X(__vsub2) X(__vsubss2) X(__vsubus2) X(__vabsdiffs4) X(__vabsdiffu4) X(__vadd4) X(__vaddss4)        \
                      X(__vaddus4) X(__vavgs4) X(__vavgu4) X(__vcmpeq4) X(__vcmpges4) X(__vcmpgeu4) X(__vcmpgts4)     \
                          X(__vcmpgtu4) X(__vcmples4) X(__vcmpleu4) X(__vcmplts4) X(__vcmpltu4) X(__vcmpne4)          \
                              X(__vhaddu4) X(__vmaxs4) X(__vmaxu4) X(__vmins4) X(__vminu4) X(__vsads4) X(__vsadu4)    \
                                  X(__vseteq4) X(__vsetges4) X(__vsetgeu4) X(__vsetgts4) X(__vsetgtu4) X(__vsetles4)  \
                                      X(__vsetleu4) X(__vsetlts4) X(__vsetltu4) X(__vsetne4) X(__vsub4) X(__vsubss4)  \
                                          X(__vsubus4) X(__uhadd) X(__urhadd) X(__umulhi) X(__umul24)                 \
                                              X(__vimax_s16x2_relu) X(__vimin_s16x2_relu)
#define WORD_OF_THREE(X)                                                                                           \
  X(__viaddmax_s16x2)                                                                                              \
  X(__viaddmax_s16x2_relu)                                                                                         \
  X(__viaddmax_u16x2) X(__viaddmax_u32) X(__vimax3_s16x2) X(__vimax3_s16x2_relu) X(__vimax3_u16x2) X(__vimax3_u32) \
      X(__viaddmin_s16x2) X(__viaddmin_s16x2_relu) X(__viaddmin_u16x2) X(__viaddmin_u32) X(__vimin3_s16x2)         \
          X(__vimin3_s16x2_relu) X(__vimin3_u16x2) X(__vimin3_u32) X(__byte_perm) X(__funnelshift_l)               \
              X(__funnelshift_lc) X(__funnelshift_r) X(__funnelshift_rc) X(__usad) X(__dp4a) X(__dp2a_lo) X(__dp2a_hi)
#define NARROW_OF_ONE(X)                                                                                               \
  X(hceil)                                                                                                             \
  X(hcos)                                                                                                              \
  X(hexp) X(hexp10) X(hexp2) X(hfloor) X(hlog) X(hlog10) X(hlog2) X(hrcp) X(hrint) X(hrsqrt) X(hsin) X(hsqrt) X(htanh) \
      X(htanh_approx) X(htrunc) X(__habs) X(__hneg)
#define NARROW_PAIR_OF_ONE(X)                                                                                   \
  X(h2ceil)                                                                                                     \
  X(h2cos)                                                                                                      \
  X(h2exp) X(h2exp10) X(h2exp2) X(h2floor) X(h2log) X(h2log10) X(h2log2) X(h2rcp) X(h2rint) X(h2rsqrt) X(h2sin) \
      X(h2sqrt) X(h2tanh) X(h2tanh_approx) X(h2trunc) X(__habs2) X(__hneg2) X(__hisnan2) X(__lowhigh2highlow)
#define NARROW_OF_TWO(X)                                                                                      \
  X(__hadd)                                                                                                   \
  X(__hadd_rn)                                                                                                \
  X(__hadd_sat) X(__hsub) X(__hsub_rn) X(__hsub_sat) X(__hmul) X(__hmul_rn) X(__hmul_sat) X(__hdiv) X(__hmax) \
      X(__hmax_nan) X(__hmin) X(__hmin_nan)
#define NARROW_PAIR_OF_TWO(X)                                                                                          \
  X(__hadd2)                                                                                                           \
  X(__hadd2_rn)                                                                                                        \
  X(__hadd2_sat) X(__hsub2) X(__hsub2_rn) X(__hsub2_sat) X(__hmul2) X(__hmul2_rn) X(__hmul2_sat) X(__h2div) X(__hmax2) \
      X(__hmax2_nan) X(__hmin2) X(__hmin2_nan) X(__heq2) X(__hequ2) X(__hge2) X(__hgeu2) X(__hgt2) X(__hgtu2)          \
          X(__hle2) X(__hleu2) X(__hlt2) X(__hltu2) X(__hne2) X(__hneu2)
#define NARROW_COMPARE(X) \
  X(__heq) X(__hequ) X(__hge) X(__hgeu) X(__hgt) X(__hgtu) X(__hle) X(__hleu) X(__hlt) X(__hltu) X(__hne) X(__hneu)
#define NARROW_PAIR_COMPARE(X)                                                                                       \
  X(__hbeq2)                                                                                                         \
  X(__hbequ2)                                                                                                        \
  X(__hbge2) X(__hbgeu2) X(__hbgt2) X(__hbgtu2) X(__hble2) X(__hbleu2) X(__hblt2) X(__hbltu2) X(__hbne2) X(__hbneu2) \
      X(__heq2_mask) X(__hequ2_mask) X(__hge2_mask) X(__hgeu2_mask) X(__hgt2_mask) X(__hgtu2_mask) X(__hle2_mask)    \
          X(__hleu2_mask) X(__hlt2_mask) X(__hltu2_mask) X(__hne2_mask) X(__hneu2_mask)

__global__ void mathematics(float* f, double* d, int* n) {
  const float a = f[0], b = f[1], c = f[2];
  const double x = d[0], y = d[1], z = d[2];
#define CALL(name) *f++ = name(a);
  SINGLE_OF_ONE(CALL)
  SINGLE_ROUNDED_ONE(CALL)
#undef CALL
#define CALL(name) *f++ = name(a, b);
  SINGLE_OF_TWO(CALL)
  SINGLE_ROUNDED(CALL)
#undef CALL
#define CALL(name) *d++ = name(x);
      DOUBLE_OF_ONE(CALL) DOUBLE_ROUNDED_ONE(CALL)
#undef CALL
#define CALL(name) *d++ = name(x, y);
          DOUBLE_OF_TWO(CALL) DOUBLE_ROUNDED(CALL)
#undef CALL
              * f++ = fmaf(a, b, c) + __fmaf_rn(a, b, c) + __fmaf_rz(a, b, c) + __fmaf_ru(a, b, c) + __fmaf_rd(a, b, c);
  *f++ = __fmaf_ieee_rn(a, b, c) + __fmaf_ieee_rz(a, b, c) + __fmaf_ieee_ru(a, b, c) + __fmaf_ieee_rd(a, b, c);
  *d++ = fma(x, y, z) + __fma_rn(x, y, z) + __fma_rz(x, y, z) + __fma_ru(x, y, z) + __fma_rd(x, y, z);
  *f++ = norm3df(a, b, c) + norm4df(a, b, c, a) + rnorm3df(a, b, c) + rnorm4df(a, b, c, a) + normf(2, f) + rnormf(2, f);
  *d++ = norm3d(x, y, z) + norm4d(x, y, z, x) + rnorm3d(x, y, z) + rnorm4d(x, y, z, x) + norm(2, d) + rnorm(2, d);
  *f++ = ldexpf(a, 2) + scalbnf(a, 3) + scalblnf(a, 3l) + frexpf(a, n) + jnf(2, a) + ynf(2, a) + nanf("") +
         remquof(a, b, n);
  *d++ = ldexp(x, 2) + scalbn(x, 3) + scalbln(x, 3l) + frexp(x, n) + jn(2, x) + yn(2, x) + nan("") + remquo(x, y, n);
  sincosf(a, f, f + 1);
  sincospif(a, f + 2, f + 3);
  __sincosf(a, f + 4, f + 5);
  f[6] = modff(a, f + 7);
  sincos(x, d, d + 1);
  sincospi(x, d + 2, d + 3);
  d[4] = modf(x, d + 5) + max(x, y) + min(a, y) + fabs(a) + __hiloint2double(1, 2);
}

__global__ void conversions(const float* f, const double* d, double* o, int i, unsigned u, long long l,
                            unsigned long long m) {
#define CALL(name) *o++ = static_cast<double>(name(*f));
  FROM_SINGLE(CALL)
#undef CALL
#define CALL(name) *o++ = static_cast<double>(name(*d));
  FROM_DOUBLE(CALL)
#undef CALL
#define CALL(name) *o++ = name(i);
  FROM_INT(CALL)
#undef CALL
#define CALL(name) *o++ = name(u);
  FROM_UNSIGNED(CALL)
#undef CALL
#define CALL(name) *o++ = name(l);
  FROM_LONG_LONG(CALL)
#undef CALL
#define CALL(name) *o++ = name(m);
  FROM_UNSIGNED_LONG_LONG(CALL)
#undef CALL
}

__global__ void integers(unsigned* o, unsigned a, unsigned b, unsigned c, int i, int j, long long l,
                         unsigned long long m) {
#define CALL(name) *o++ = static_cast<unsigned>(name(a));
  WORD_OF_ONE(CALL)
#undef CALL
#define CALL(name) *o++ = static_cast<unsigned>(name(a, b));
  WORD_OF_TWO(CALL)
#undef CALL
#define CALL(name) *o++ = static_cast<unsigned>(name(a, b, c));
  WORD_OF_THREE(CALL)
#undef CALL
  o[0] =
      __clz(i) + __clzll(l) + __ffs(i) + __ffsll(l) + __popcll(m) + static_cast<unsigned>(__brevll(m)) + __fns(a, 1, 2);
  o[1] = __hadd(i, j) + __rhadd(i, j) + __mulhi(i, j) + __mul24(i, j) + __sad(i, j, a) + abs(i) + max(i, j) + min(a, b);
  o[2] = static_cast<unsigned>(__mul64hi(l, l)) + static_cast<unsigned>(__umul64hi(m, m)) +
         static_cast<unsigned>(llabs(l));
  o[3] = __dp4a(i, j, i) + __dp2a_lo(i, j, i) + __dp2a_hi(i, j, i) + static_cast<unsigned>(labs(l));
  const char4 c4 = make_char4(1, 2, 3, 4);
  const uchar4 u4 = make_uchar4(1, 2, 3, 4);
  const short2 s2 = make_short2(1, 2);
  const ushort2 us2 = make_ushort2(1, 2);
  o[4] = __dp4a(c4, c4, i) + __dp4a(u4, u4, a) + __dp2a_lo(s2, c4, i) + __dp2a_hi(us2, u4, a);
  o[5] = __viaddmax_s32(i, j, i) + __viaddmin_s32(i, j, i) + __vimax3_s32(i, j, i) + __vimin3_s32(i, j, i);
  o[6] = __viaddmax_s32_relu(i, j, i) + __viaddmin_s32_relu(i, j, i) + __vimax3_s32_relu(i, j, i) +
         __vimin3_s32_relu(i, j, i);
  o[7] = __vimax_s32_relu(i, j) + __vimin_s32_relu(i, j);
  bool p, q;
  o[8] = __vibmax_s32(i, j, &p) + __vibmin_s32(i, j, &q) + p + q;
  o[9] = __vibmax_u32(a, b, &p) + __vibmin_u32(a, b, &q) + p + q;
  o[10] = __vibmax_s16x2(a, b, &p, &q) + __vibmin_s16x2(a, b, &p, &q) + __vibmax_u16x2(a, b, &p, &q) +
          __vibmin_u16x2(a, b, &p, &q);
}

template <class T, class T2>
__global__ void narrow(T* o, T2* p, unsigned* n) {
  const T a = o[0], b = o[1];
  const T2 c = p[0], d = p[1];
#define CALL(name) *o++ = name(a);
  NARROW_OF_ONE(CALL)
#undef CALL
#define CALL(name) *o++ = name(a, b);
  NARROW_OF_TWO(CALL)
#undef CALL
#define CALL(name) *p++ = name(c);
  NARROW_PAIR_OF_ONE(CALL)
#undef CALL
#define CALL(name) *p++ = name(c, d);
  NARROW_PAIR_OF_TWO(CALL)
#undef CALL
#define CALL(name) *n++ = name(a, b);
  NARROW_COMPARE(CALL)
#undef CALL
#define CALL(name) *n++ = name(c, d);
  NARROW_PAIR_COMPARE(CALL)
#undef CALL
  *o++ = __hfma(a, b, a) + __hfma_sat(a, b, a) * __hfma_relu(a, b, a) / -a;
  *p++ = __hfma2(c, d, c) + __hfma2_sat(c, d, c) * __hfma2_relu(c, d, c) / -__hcmadd(c, d, c);
  *n++ = __hisnan(a) + __hisinf(a) + (a < b) + (c == d) + (c <= d) + (a != b);
  *n++ = __low2float(c) + __high2float(c);
  o[0] = __shfl_sync(~0u, a, 1) + __shfl_up_sync(~0u, a, 1) + __shfl_down_sync(~0u, a, 1) + __shfl_xor_sync(~0u, a, 1);
  p[0] = __shfl_sync(~0u, c, 1) + __shfl_up_sync(~0u, c, 1) + __shfl_down_sync(~0u, c, 1) + __shfl_xor_sync(~0u, c, 1);
  o[1] = __ldg(o) + __ldca(o) + __ldcg(o) + __ldcs(o) + __ldlu(o) + __ldcv(o);
  p[1] = __ldg(p) + __ldca(p) + __ldcg(p) + __ldcs(p) + __ldlu(p) + __ldcv(p);
  __stwb(o + 2, a), __stcg(o + 3, a), __stcs(o + 4, a), __stwt(o + 5, a);
  __stwb(p + 2, c), __stcg(p + 3, c), __stcs(p + 4, c), __stwt(p + 5, c);
  atomicAdd(o, a);
  atomicAdd(p, c);
  T e = a;
  e += b, e -= b, e *= b, e /= b, ++e, e--;
  o[6] = e;
}
template __global__ void narrow<__half, __half2>(__half*, __half2*, unsigned*);
template __global__ void narrow<__nv_bfloat16, __nv_bfloat162>(__nv_bfloat16*, __nv_bfloat162*, unsigned*);

__global__ void pairs(__half2* h, __nv_bfloat162* b, __half x, __nv_bfloat16 y, float2 f) {
  h[0] = __floats2half2_rn(1, 2) + __float22half2_rn(f) + __float2half2_rn(3) + __half2half2(x) + __halves2half2(x, x);
  h[1] =
      __low2half2(h[0]) + __high2half2(h[0]) + __lows2half2(h[0], h[1]) + __highs2half2(h[0], h[1]) + make_half2(x, x);
  h[2] = __half2(__low2half(h[0]), __high2half(h[1])) + __half2(__short_as_half(3), __ushort_as_half(4));
  b[0] = __floats2bfloat162_rn(1, 2) + __float22bfloat162_rn(f) + __float2bfloat162_rn(3) + __bfloat162bfloat162(y);
  b[1] = __low2bfloat162(b[0]) + __high2bfloat162(b[0]) + __lows2bfloat162(b[0], b[1]) + __highs2bfloat162(b[0], b[1]);
  b[2] = __halves2bfloat162(y, y) + make_bfloat162(__short_as_bfloat16(2), __ushort_as_bfloat16(3)) +
         __nv_bfloat162(__low2bfloat16(b[0]), __high2bfloat16(b[1]));
  h[3] = __float22half2_rn(__half22float2(h[0])) + __float22half2_rn(__bfloat1622float2(b[0]));
  h[4] = __half2(CUDART_INF_FP16 + CUDART_NAN_FP16, CUDART_MAX_NORMAL_FP16 + CUDART_ONE_FP16);
  b[4] = __nv_bfloat162(CUDART_INF_BF16 + CUDART_NAN_BF16, CUDART_MAX_NORMAL_BF16 + CUDART_ONE_BF16);
  const __nv_fp8x4_e4m3 four(make_float4(1, 2, 3, 4));
  const __nv_fp8x2_e5m2 two(h[0]);
  h[5] = static_cast<__half2>(two) + __float2half2_rn(static_cast<float4>(four).w);
  h[6] = __half2(static_cast<__half>(__nv_fp8_e4m3(y)), static_cast<__half>(__nv_fp8_e5m2(3)));
}

__global__ void control(unsigned* o, const void* p, unsigned mask, int i) {
  __shared__ int s;
  s = i;
  __syncthreads();
  o[0] = __syncthreads_count(i) + __syncthreads_and(i) + __syncthreads_or(i) + s;
  __syncwarp();
  __syncwarp(mask);
  __threadfence();
  __threadfence_block();
  __threadfence_system();
  o[1] =
      __all_sync(mask, i) + __any_sync(mask, i) + __ballot_sync(mask, i) + __activemask() + __match_any_sync(mask, i);
  o[2] = __isGlobal(p) + __isShared(p) + __isConstant(p) + __isLocal(p) + __isGridConstant(p);
  o[3] = static_cast<unsigned>(clock() + clock64());
  __nanosleep(10);
  __prof_trigger(1);
  __builtin_assume(i > 0);
  if (i == 7) __trap();
  if (i == 8) __brkpt();
  if (i == 9) __assume(0);
  if (i == 10) __builtin_unreachable();
  o[4] = *static_cast<int*>(__builtin_assume_aligned(o, 16)) + *static_cast<const int*>(alloca(16));
  o[5] = static_cast<unsigned>(__cvta_generic_to_shared(&s) + __cvta_generic_to_global(o) +
                               __cvta_generic_to_constant(p) + __cvta_generic_to_local(&i));
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800  // the host sees the body too
  o[6] = __reduce_add_sync(mask, mask) + __reduce_min_sync(mask, i) + __reduce_max_sync(mask, i) +
         __reduce_and_sync(mask, mask) + __reduce_or_sync(mask, mask) + __reduce_xor_sync(mask, mask);
#endif
}

__global__ void textures_and_surfaces(float* o, cudaTextureObject_t t, cudaSurfaceObject_t s, int i, float x) {
  const float2 pair = make_float2(x, x);
  const float4 four = make_float4(x, x, x, x);
  o[0] = tex1Dfetch<float>(t, i) + tex2Dgather<float4>(t, x, x, 2).y;
  o[1] = tex1D<float>(t, x) + tex1DLod<float>(t, x, x) + tex1DGrad<float>(t, x, x, x);
  o[2] = tex2D<float>(t, x, x) + tex2DLod<float>(t, x, x, x) + tex2DGrad<float>(t, x, x, pair, pair);
  o[3] = tex3D<float>(t, x, x, x) + tex3DLod<float>(t, x, x, x, x) + tex3DGrad<float>(t, x, x, x, four, four);
  o[4] = tex1DLayered<float>(t, x, i) + tex1DLayeredLod<float>(t, x, i, x) + tex1DLayeredGrad<float>(t, x, i, x, x);
  o[5] = tex2DLayered<float>(t, x, x, i) + tex2DLayeredLod<float>(t, x, x, i, x) + tex2DLayeredGrad<float>(t, x, x, i, pair, pair);
  o[6] = texCubemap<float>(t, x, x, x) + texCubemapLod<float>(t, x, x, x, x) + texCubemapGrad<float>(t, x, x, x, four, four);
  o[7] = texCubemapLayered<float>(t, x, x, x, i) + texCubemapLayeredLod<float>(t, x, x, x, i, x) + texCubemapLayeredGrad<float>(t, x, x, x, i, four, four);
  surf1Dwrite(surf1Dread<float>(s, i), s, i, cudaBoundaryModeZero);
  surf2Dwrite(surf2Dread<float>(s, i, i), s, i, i, cudaBoundaryModeZero);
  surf3Dwrite(surf3Dread<float>(s, i, i, i), s, i, i, i, cudaBoundaryModeZero);
  surf1DLayeredwrite(surf1DLayeredread<float>(s, i, i), s, i, i, cudaBoundaryModeZero);
  surf2DLayeredwrite(surf2DLayeredread<float>(s, i, i, i), s, i, i, i, cudaBoundaryModeZero);
  surfCubemapwrite(surfCubemapread<float>(s, i, i, i), s, i, i, i, cudaBoundaryModeZero);
  surfCubemapLayeredwrite(surfCubemapLayeredread<float>(s, i, i, i), s, i, i, i, cudaBoundaryModeZero);
}

int main() { return 0; }
