// SPDX-License-Identifier: Apache-2.0
// CUDA's built-in vector types, with the alignments of the CUDA C++ Programming Guide (table of alignment
// requirements), and dim3. C and C++.
#ifndef HEDDLE_VECTOR_TYPES_H
#define HEDDLE_VECTOR_TYPES_H
#define __VECTOR_TYPES_H__

#include "host_defines.h"

#define HEDDLE_VECTOR1(name, type) \
  struct name##1 {                 \
    type x;                        \
  };
#define HEDDLE_VECTOR3(name, type) \
  struct name##3 {                 \
    type x, y, z;                  \
  };
#define HEDDLE_VECTOR2(name, type, bytes) \
  struct __align__(bytes) name##2 {       \
    type x, y;                            \
  };
#define HEDDLE_VECTOR4(name, type, bytes) \
  struct __align__(bytes) name##4 {       \
    type x, y, z, w;                      \
  };
#define HEDDLE_VECTORS(name, type, align2, align4) \
  HEDDLE_VECTOR1(name, type)                       \
  HEDDLE_VECTOR2(name, type, align2)               \
  HEDDLE_VECTOR3(name, type)                       \
  HEDDLE_VECTOR4(name, type, align4)               \
  typedef struct name##1 name##1;                  \
  typedef struct name##2 name##2;                  \
  typedef struct name##3 name##3;                  \
  typedef struct name##4 name##4;

HEDDLE_VECTORS(char, signed char, 2, 4)
HEDDLE_VECTORS(uchar, unsigned char, 2, 4)
HEDDLE_VECTORS(short, short, 4, 8)
HEDDLE_VECTORS(ushort, unsigned short, 4, 8)
HEDDLE_VECTORS(int, int, 8, 16)
HEDDLE_VECTORS(uint, unsigned int, 8, 16)
HEDDLE_VECTORS(long, long int, 16, 16)
HEDDLE_VECTORS(ulong, unsigned long int, 16, 16)
HEDDLE_VECTORS(longlong, long long int, 16, 16)
HEDDLE_VECTORS(ulonglong, unsigned long long int, 16, 16)
HEDDLE_VECTORS(float, float, 8, 16)
HEDDLE_VECTORS(double, double, 16, 16)

#undef HEDDLE_VECTORS
#undef HEDDLE_VECTOR4
#undef HEDDLE_VECTOR2
#undef HEDDLE_VECTOR3
#undef HEDDLE_VECTOR1

struct dim3 {
  unsigned int x, y, z;
#if defined(__cplusplus)
#if __cplusplus >= 201103L
  __host__ __device__ constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
      : x(vx), y(vy), z(vz) {}
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
#else
  __host__ __device__ dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1) : x(vx), y(vy), z(vz) {}
  __host__ __device__ dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ operator uint3() const {
    uint3 v = {x, y, z};
    return v;
  }
#endif
#endif
};
typedef struct dim3 dim3;

#endif
