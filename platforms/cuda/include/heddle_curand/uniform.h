// SPDX-License-Identifier: Apache-2.0
// Uniform numbers in (0, 1].
#pragma once

#include "../vector_functions.h"
#include "mrg32k3a.h"
#include "philox.h"
#include "xorwow.h"

namespace heddle_curand {
constexpr double kMrgUnit = 2.328306549295727688e-10;  // 1 / (m1 + 1)
}

template <class State>
HEDDLE_CURAND float curand_uniform(State* state) {
  return static_cast<float>(curand(state)) * 0x1p-32f + 0x1p-33f;
}
/// 53 random bits of two numbers.
template <class State>
HEDDLE_CURAND double curand_uniform_double(State* state) {
  const unsigned long long low = curand(state);
  const unsigned long long high = curand(state);
  return static_cast<double>(high << 21 | low >> 11) * 0x1p-53 + 0x1p-54;
}
HEDDLE_CURAND float curand_uniform(curandStateMRG32k3a_t* state) {
  return static_cast<float>(heddle_curand::mrg_next(state) * heddle_curand::kMrgUnit);
}
/// One number of the generator with its author's scaling: fewer than 32 random bits.
HEDDLE_CURAND double curand_uniform_double(curandStateMRG32k3a_t* state) {
  return heddle_curand::mrg_next(state) * heddle_curand::kMrgUnit;
}

HEDDLE_CURAND float4 curand_uniform4(curandStatePhilox4_32_10_t* state) {
  const float x = curand_uniform(state), y = curand_uniform(state), z = curand_uniform(state);
  return make_float4(x, y, z, curand_uniform(state));
}
HEDDLE_CURAND double2 curand_uniform2_double(curandStatePhilox4_32_10_t* state) {
  const double x = curand_uniform_double(state);
  return make_double2(x, curand_uniform_double(state));
}
HEDDLE_CURAND double4 curand_uniform4_double(curandStatePhilox4_32_10_t* state) {
  const double2 a = curand_uniform2_double(state), b = curand_uniform2_double(state);
  return make_double4(a.x, a.y, b.x, b.y);
}
