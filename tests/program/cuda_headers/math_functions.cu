// SPDX-License-Identifier: Apache-2.0
// Every function of the math API in double, float and overloaded form, also through std::, on host and device.
#include <math_functions.h>
#include <algorithm>
#include <cmath>
#include <cstdlib>

#define UNARY_NAMES(X)                                                                                                 \
  X(acos)                                                                                                              \
  X(acosh) X(asin) X(asinh) X(atan) X(atanh) X(cbrt) X(ceil) X(cos) X(cosh) X(cospi) X(cyl_bessel_i0) X(cyl_bessel_i1) \
      X(erf) X(erfc) X(erfcinv) X(erfcx) X(erfinv) X(exp) X(exp10) X(exp2) X(expm1) X(fabs) X(floor) X(j0) X(j1)       \
          X(lgamma) X(log) X(log10) X(log1p) X(log2) X(logb) X(nearbyint) X(normcdf) X(normcdfinv) X(rcbrt) X(rint)    \
              X(round) X(rsqrt) X(sin) X(sinh) X(sinpi) X(sqrt) X(tan) X(tanh) X(tgamma) X(trunc) X(y0) X(y1)

#define BINARY_NAMES(X) \
  X(atan2) X(copysign) X(fdim) X(fmax) X(fmin) X(fmod) X(hypot) X(nextafter) X(pow) X(remainder) X(rhypot)

#define UNARY_KERNEL(name)                             \
  __global__ void kernel_##name(double* d, float* f) { \
    d[0] = name(d[1]);                                 \
    f[0] = name(f[1]);                                 \
    f[2] = name##f(f[3]);                              \
  }                                                    \
  double host_##name(double d, float f) { return name(d) + name(f) + name##f(f); }
UNARY_NAMES(UNARY_KERNEL)

#define BINARY_KERNEL(name)                            \
  __global__ void kernel_##name(double* d, float* f) { \
    d[0] = name(d[1], d[2]);                           \
    f[0] = name(f[1], f[2]);                           \
    f[3] = name##f(f[4], f[5]);                        \
  }
BINARY_NAMES(BINARY_KERNEL)

__global__ void standard_names(double* d, float* f, int* i) {
  f[0] = std::sin(f[1]) + std::cos(f[2]) + std::exp(f[3]) + std::pow(f[4], f[5]) + std::abs(f[6]) + std::sqrt(f[7]);
  d[0] = std::sin(d[1]) + std::cos(d[2]) + std::exp(d[3]) + std::pow(d[4], d[5]) + std::abs(d[6]) + std::sqrt(d[7]);
  d[1] = std::sin(i[0]) + sqrt(i[1]) + std::exp(i[2]) + std::pow(d[4], i[3]) + std::pow(f[4], i[3]) + pow(i[0], 3);
  f[1] = std::fmod(f[1], f[2]) + std::hypot(f[1], f[2]) + std::atan2(f[1], f[2]) + std::fmax(f[1], f[2]);
  f[2] = std::floor(f[1]) + std::ceil(f[2]) + std::round(f[3]) + std::trunc(f[4]) + std::cbrt(f[5]) + std::log2(f[1]);
  i[0] = std::min(i[1], i[2]) + std::max(i[3], i[4]) + min(i[1], 4) + max(i[2], i[3]) + std::abs(i[4]) + abs(i[5]);
  f[3] = min(f[1], f[2]) + max(f[3], 2.0f) + std::min(f[1], f[2]) + fminf(f[3], f[4]) + std::max(f[1], f[3]);
  d[2] = min(d[1], f[2]) + max(d[3], 2.0) + fma(d[1], d[2], d[3]) + fmaf(f[1], f[2], f[3]) + std::fma(f[1], f[2], f[3]);
  i[1] = isnan(f[0]) + isinf(d[0]) + std::isnan(d[1]) + std::isfinite(f[2]) + std::signbit(d[3]) + isfinite(d[4]);
  i[2] = max(3u, static_cast<unsigned>(i[3])) + min(4ull, static_cast<unsigned long long>(i[2])) + max(i[1], 3u);
  i[4] = std::clamp(i[3], 1, 7) + static_cast<int>(std::lround(f[2]) + std::llrint(d[3]) + lrintf(f[1]));
}

__global__ void parts(double* d, float* f, int* i) {
  f[0] = frexpf(f[1], i) + modff(f[2], f + 3) + ldexpf(f[4], i[1]) + scalbnf(f[5], 3) + remquof(f[1], f[2], i + 3);
  d[0] = frexp(d[1], i) + modf(d[2], d + 3) + ldexp(d[4], i[1]) + scalbn(d[5], 3) + remquo(d[1], d[2], i + 3);
  f[1] = frexp(f[1], i) + modf(f[2], f + 3) + ldexp(f[4], i[1]) + scalbln(f[5], 3l) + nanf("");
  i[0] = ilogb(d[1]) + ilogbf(f[1]) + static_cast<int>(lrint(d[1]) + lround(d[2]) + llrint(d[3]) + llround(d[4]));
  d[8] = jn(3, d[1]) + yn(2, d[2]);
  f[8] = jnf(3, f[1]) + ynf(2, f[2]) + jn(i[1], f[3]);
  sincos(d[1], d + 2, d + 3);
  sincosf(f[1], f + 2, f + 3);
  sincospi(d[1], d + 4, d + 5);
  sincospif(f[1], f + 4, f + 5);
  d[6] = norm3d(d[1], d[2], d[3]) + rnorm3d(d[1], d[2], d[3]) + norm4d(d[1], d[2], d[3], d[4]) + norm(i[0], d);
  d[7] = rnorm4d(d[1], d[2], d[3], d[4]) + rnorm(i[0], d) + nan("");
  f[6] = norm3df(f[1], f[2], f[3]) + rnorm3df(f[1], f[2], f[3]) + norm4df(f[1], f[2], f[3], f[4]) + normf(i[0], f);
  f[7] = rnorm4df(f[1], f[2], f[3], f[4]) + rnormf(i[0], f) + fdividef(f[1], f[2]);
}

__global__ void words(unsigned* u) {
  u[0] = __vadd4(u[1], u[2]) + __vsub4(u[1], u[2]) + __vabsdiffu4(u[1], u[2]) + __vcmpeq4(u[1], u[2]);
  u[1] = __vcmpgtu4(u[1], u[2]) + __vsetles2(u[1], u[2]) + __vmaxs2(u[1], u[2]) + __vminu4(u[1], u[2]);
  u[2] = __vavgu4(u[1], u[2]) + __vhaddu4(u[1], u[2]) + __vaddss4(u[1], u[2]) + __vsubus2(u[1], u[2]) + __vneg4(u[3]);
  u[3] = __vsadu4(u[1], u[2]) + __vsads2(u[1], u[2]) + __vabs2(u[1]) + __vnegss2(u[2]) + __vabsdiffs2(u[1], u[2]);
}

__global__ void intrinsics(double* d, float* f, int* i, long long* l) {
  f[0] = __sinf(f[1]) + __cosf(f[1]) + __tanf(f[1]) + __expf(f[1]) + __exp10f(f[1]) + __logf(f[1]) + __log2f(f[1]);
  f[1] = __log10f(f[2]) + __powf(f[1], f[2]) + __fdividef(f[1], f[2]) + __saturatef(f[3]) + __frsqrt_rn(f[4]);
  __sincosf(f[1], f + 2, f + 3);
  f[2] = __fadd_rn(f[1], f[2]) + __fsub_rz(f[1], f[2]) + __fmul_ru(f[1], f[2]) + __fdiv_rd(f[1], f[2]);
  f[3] = __frcp_rn(f[1]) + __fsqrt_rz(f[2]) + __fmaf_ru(f[1], f[2], f[3]) + __fmaf_ieee_rn(f[1], f[2], f[3]);
  d[2] = __dadd_rn(d[1], d[2]) + __dsub_rz(d[1], d[2]) + __dmul_ru(d[1], d[2]) + __ddiv_rd(d[1], d[2]);
  d[3] = __drcp_rn(d[1]) + __dsqrt_rz(d[2]) + __fma_ru(d[1], d[2], d[3]);
  i[0] = __float2int_rn(f[1]) + __float2int_rz(f[2]) + __double2int_ru(d[1]) + __float_as_int(f[3]);
  i[1] = static_cast<int>(__float2uint_rd(f[1]) + __double2uint_rn(d[2])) + __double2hiint(d[1]) + __double2loint(d[2]);
  l[0] = __float2ll_rn(f[1]) + __double2ll_rz(d[1]) + __double_as_longlong(d[2]);
  l[1] = static_cast<long long>(__float2ull_ru(f[1]) + __double2ull_rd(d[1]));
  f[4] =
      __int2float_rn(i[1]) + __uint2float_rz(i[2]) + __ll2float_ru(l[1]) + __ull2float_rd(l[2]) + __int_as_float(i[3]);
  d[4] = __int2double_rn(i[1]) + __uint2double_rn(i[2]) + __ll2double_rz(l[1]) + __longlong_as_double(l[2]);
  f[5] = __double2float_rn(d[1]) + __double2float_rz(d[2]) + __uint_as_float(7u);
  d[5] = __hiloint2double(i[1], i[2]);
}

template <class T>
__host__ __device__ T shared_function(T x) {
  return std::sqrt(x) + std::exp(x) + rsqrt(x) + fabs(x) + max(x, T(1)) + std::min(x, T(2)) + std::pow(x, T(2));
}
__global__ void shared_kernel(double* d, float* f) {
  d[0] = shared_function(d[1]);
  f[0] = shared_function(f[1]);
}

int main() {
  double s, c;
  sincospi(0.25, &s, &c);
  return shared_function(2.0) + shared_function(2.0f) + max(3, 4) + norm3d(s, c, 1.0) > 0 ? 0 : 1;
}
