// SPDX-License-Identifier: Apache-2.0
// Complex numbers as CUDA's samples use them, on host and device. C and C++.
#ifndef HEDDLE_CU_COMPLEX_H
#define HEDDLE_CU_COMPLEX_H
#define CU_COMPLEX_H_

#include <math.h>

#include "host_defines.h"
#include "vector_types.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define HEDDLE_COMPLEX __host__ __device__ static inline

// One set of functions per precision: type, component, letter in the function names, fabs and sqrt.
#define HEDDLE_COMPLEX_FUNCTIONS(complex, real, make, suffix, absolute, root)                        \
  HEDDLE_COMPLEX complex make(real r, real i) {                                                      \
    complex z;                                                                                       \
    z.x = r;                                                                                         \
    z.y = i;                                                                                         \
    return z;                                                                                        \
  }                                                                                                  \
  HEDDLE_COMPLEX real cuCreal##suffix(complex z) { return z.x; }                                     \
  HEDDLE_COMPLEX real cuCimag##suffix(complex z) { return z.y; }                                     \
  HEDDLE_COMPLEX complex cuConj##suffix(complex z) { return make(z.x, -z.y); }                       \
  HEDDLE_COMPLEX complex cuCadd##suffix(complex a, complex b) { return make(a.x + b.x, a.y + b.y); } \
  HEDDLE_COMPLEX complex cuCsub##suffix(complex a, complex b) { return make(a.x - b.x, a.y - b.y); } \
  HEDDLE_COMPLEX complex cuCmul##suffix(complex a, complex b) {                                      \
    return make(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                                       \
  }                                                                                                  \
  /* Scaled by the divisor's size, so that its square neither overflows nor vanishes. */             \
  HEDDLE_COMPLEX complex cuCdiv##suffix(complex a, complex b) {                                      \
    const real scale = 1 / (absolute(b.x) + absolute(b.y));                                          \
    const real ax = a.x * scale, ay = a.y * scale, bx = b.x * scale, by = b.y * scale;               \
    const real inverse = 1 / (bx * bx + by * by);                                                    \
    return make((ax * bx + ay * by) * inverse, (ay * bx - ax * by) * inverse);                       \
  }                                                                                                  \
  HEDDLE_COMPLEX real cuCabs##suffix(complex z) {                                                    \
    const real a = absolute(z.x), b = absolute(z.y);                                                 \
    const real large = a > b ? a : b, small = a > b ? b : a;                                         \
    if (large == 0 || !(large - large == 0)) return large + small;                                   \
    const real ratio = small / large;                                                                \
    return large * root(1 + ratio * ratio);                                                          \
  }
HEDDLE_COMPLEX_FUNCTIONS(cuFloatComplex, float, make_cuFloatComplex, f, fabsf, sqrtf)
HEDDLE_COMPLEX_FUNCTIONS(cuDoubleComplex, double, make_cuDoubleComplex, , fabs, sqrt)
#undef HEDDLE_COMPLEX_FUNCTIONS

HEDDLE_COMPLEX cuComplex make_cuComplex(float r, float i) { return make_cuFloatComplex(r, i); }
HEDDLE_COMPLEX cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) { return make_cuDoubleComplex(z.x, z.y); }
HEDDLE_COMPLEX cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) {
  return make_cuFloatComplex((float)z.x, (float)z.y);
}
HEDDLE_COMPLEX cuFloatComplex cuCfmaf(cuFloatComplex a, cuFloatComplex b, cuFloatComplex c) {
  return make_cuFloatComplex(a.x * b.x + c.x - a.y * b.y, a.x * b.y + c.y + a.y * b.x);
}
HEDDLE_COMPLEX cuDoubleComplex cuCfma(cuDoubleComplex a, cuDoubleComplex b, cuDoubleComplex c) {
  return make_cuDoubleComplex(a.x * b.x + c.x - a.y * b.y, a.x * b.y + c.y + a.y * b.x);
}
#undef HEDDLE_COMPLEX

#endif
