// SPDX-License-Identifier: Apache-2.0
// The names of CUDA's math API by signature, each list an X macro: X(name) with name and namef the double and the float
// function. `STD` lists contain names also in namespace std.
#pragma once

// T f(T)
#define HEDDLE_MATH_UNARY_STD(X)                                                                                       \
  X(acos)                                                                                                              \
  X(acosh) X(asin) X(asinh) X(atan) X(atanh) X(cbrt) X(ceil) X(cos) X(cosh) X(erf) X(erfc) X(exp) X(exp2) X(expm1)     \
      X(floor) X(lgamma) X(log) X(log10) X(log1p) X(log2) X(logb) X(nearbyint) X(rint) X(round) X(sin) X(sinh) X(sqrt) \
          X(tan) X(tanh) X(tgamma) X(trunc)
#define HEDDLE_MATH_UNARY_CUDA(X) \
  X(cospi)                        \
  X(cyl_bessel_i0) X(cyl_bessel_i1) X(erfcinv) X(erfcx) X(erfinv) X(normcdf) X(normcdfinv) X(rcbrt) X(rsqrt) X(sinpi)
// Also in the host library, outside namespace std.
#define HEDDLE_MATH_UNARY_LIBC(X) X(exp10) X(j0) X(j1) X(y0) X(y1)
// T f(T, T)
#define HEDDLE_MATH_BINARY_STD(X) \
  X(atan2) X(copysign) X(fdim) X(fmax) X(fmin) X(fmod) X(hypot) X(nextafter) X(pow) X(remainder)
#define HEDDLE_MATH_BINARY_CUDA(X) X(rhypot)
// R f(T)
#define HEDDLE_MATH_TO_INTEGER_STD(X) \
  X(int, ilogb) X(long, lrint) X(long, lround) X(long long, llrint) X(long long, llround)
