// SPDX-License-Identifier: Apache-2.0
// Vectors of three floats, as the programs about space and light use them. Every product that is added to something is
// fused by name and no other is, so that host and device round alike.
#pragma once
#include "common.h"

namespace workload {

struct Vector3 {
  float x, y, z;
};

// A product that no compiler fuses with an addition.
__host__ __device__ inline float product(float a, float b) {
#ifdef __CUDA_ARCH__
  return __fmul_rn(a, b);
#else
  return a * b;
#endif
}

__host__ __device__ inline Vector3 operator+(const Vector3& a, const Vector3& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
__host__ __device__ inline Vector3 operator-(const Vector3& a, const Vector3& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
__host__ __device__ inline Vector3 scaled(const Vector3& a, float factor) {
  return {product(a.x, factor), product(a.y, factor), product(a.z, factor)};
}
// a * factor + b, fused.
__host__ __device__ inline Vector3 along(const Vector3& a, float factor, const Vector3& b) {
  return {fmaf(a.x, factor, b.x), fmaf(a.y, factor, b.y), fmaf(a.z, factor, b.z)};
}
__host__ __device__ inline float dot(const Vector3& a, const Vector3& b) {
  return fmaf(a.x, b.x, fmaf(a.y, b.y, product(a.z, b.z)));
}
__host__ __device__ inline Vector3 unit(const Vector3& a) { return scaled(a, 1.0f / sqrtf(dot(a, a))); }

}  // namespace workload
