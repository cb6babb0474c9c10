// SPDX-License-Identifier: Apache-2.0
// make_<vector>() for every built-in vector type, on host and device.
#ifndef HEDDLE_VECTOR_FUNCTIONS_H
#define HEDDLE_VECTOR_FUNCTIONS_H
#define __VECTOR_FUNCTIONS_H__

#include "vector_types.h"

#if defined(__cplusplus)
#define HEDDLE_MAKE static inline __host__ __device__
#define HEDDLE_MAKE_VECTORS(name, type)                                \
  HEDDLE_MAKE name##1 make_##name##1(type x) {                         \
    name##1 v = {x};                                                   \
    return v;                                                          \
  }                                                                    \
  HEDDLE_MAKE name##2 make_##name##2(type x, type y) {                 \
    name##2 v = {x, y};                                                \
    return v;                                                          \
  }                                                                    \
  HEDDLE_MAKE name##3 make_##name##3(type x, type y, type z) {         \
    name##3 v = {x, y, z};                                             \
    return v;                                                          \
  }                                                                    \
  HEDDLE_MAKE name##4 make_##name##4(type x, type y, type z, type w) { \
    name##4 v = {x, y, z, w};                                          \
    return v;                                                          \
  }

HEDDLE_MAKE_VECTORS(char, signed char)
HEDDLE_MAKE_VECTORS(uchar, unsigned char)
HEDDLE_MAKE_VECTORS(short, short)
HEDDLE_MAKE_VECTORS(ushort, unsigned short)
HEDDLE_MAKE_VECTORS(int, int)
HEDDLE_MAKE_VECTORS(uint, unsigned int)
HEDDLE_MAKE_VECTORS(long, long int)
HEDDLE_MAKE_VECTORS(ulong, unsigned long int)
HEDDLE_MAKE_VECTORS(longlong, long long int)
HEDDLE_MAKE_VECTORS(ulonglong, unsigned long long int)
HEDDLE_MAKE_VECTORS(float, float)
HEDDLE_MAKE_VECTORS(double, double)

#undef HEDDLE_MAKE_VECTORS
#undef HEDDLE_MAKE
#endif

#endif
