// SPDX-License-Identifier: Apache-2.0
// Smooth noise in space by arithmetic alone, as shaders and simulations use it.
#pragma once
#include "vector3.h"

namespace workload {

// A number of -1 to 1 for a corner of a grid.
__host__ __device__ __forceinline__ float noise_at(int x, int y, int z) {
  unsigned hash = static_cast<unsigned>(x) * 0x8da6b343u ^ static_cast<unsigned>(y) * 0xd8163841u ^
                  static_cast<unsigned>(z) * 0xcb1ab31fu;
  hash = (hash ^ hash >> 13) * 0x5bd1e995u;
  return fmaf(static_cast<float>(hash >> 8), 1.0f / 8388608.0f, -1.0f);
}

__host__ __device__ __forceinline__ float mixed(float a, float b, float share) { return fmaf(share, b - a, a); }

// Between the eight corners around a place. All coordinates are above 0.
__host__ __device__ __forceinline__ float noise(const Vector3& place) {
  const int x = static_cast<int>(place.x), y = static_cast<int>(place.y), z = static_cast<int>(place.z);
  const float a = place.x - static_cast<float>(x), b = place.y - static_cast<float>(y),
              c = place.z - static_cast<float>(z);
  const float near = mixed(mixed(noise_at(x, y, z), noise_at(x + 1, y, z), a),
                           mixed(noise_at(x, y + 1, z), noise_at(x + 1, y + 1, z), a), b);
  const float far = mixed(mixed(noise_at(x, y, z + 1), noise_at(x + 1, y, z + 1), a),
                          mixed(noise_at(x, y + 1, z + 1), noise_at(x + 1, y + 1, z + 1), a), b);
  return mixed(near, far, c);
}

}  // namespace workload
