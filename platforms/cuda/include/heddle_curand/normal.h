// SPDX-License-Identifier: Apache-2.0
// Normal and log-normal numbers, two at a time. Source: Box and Muller (1958).
#pragma once

#include <math.h>

#include "uniform.h"

namespace heddle_curand {

#if defined(__CUDA_ARCH__)
HEDDLE_CURAND void turn(float turns, float* sine, float* cosine) { sincospif(2.0f * turns, sine, cosine); }
HEDDLE_CURAND void turn(double turns, double* sine, double* cosine) { sincospi(2.0 * turns, sine, cosine); }
#else
template <class T>
HEDDLE_CURAND void turn(T turns, T* sine, T* cosine) {
  const double angle = 6.283185307179586476925 * static_cast<double>(turns);
  *sine = static_cast<T>(::sin(angle));
  *cosine = static_cast<T>(::cos(angle));
}
#endif

template <class State>
HEDDLE_CURAND float2 normal_pair(State* state) {
  const float radius = ::sqrtf(-2.0f * ::logf(curand_uniform(state)));
  float sine, cosine;
  turn(curand_uniform(state), &sine, &cosine);
  return make_float2(radius * sine, radius * cosine);
}
template <class State>
HEDDLE_CURAND double2 normal_pair_double(State* state) {
  const double radius = ::sqrt(-2.0 * ::log(curand_uniform_double(state)));
  double sine, cosine;
  turn(curand_uniform_double(state), &sine, &cosine);
  return make_double2(radius * sine, radius * cosine);
}

}  // namespace heddle_curand

template <class State>
HEDDLE_CURAND float2 curand_normal2(State* state) {
  return heddle_curand::normal_pair(state);
}
template <class State>
HEDDLE_CURAND double2 curand_normal2_double(State* state) {
  return heddle_curand::normal_pair_double(state);
}

template <class State>
HEDDLE_CURAND float curand_normal(State* state) {
  state->normal.has_float = !state->normal.has_float;
  if (!state->normal.has_float) return state->normal.next_float;
  const float2 pair = heddle_curand::normal_pair(state);
  state->normal.next_float = pair.y;
  return pair.x;
}
template <class State>
HEDDLE_CURAND double curand_normal_double(State* state) {
  state->normal.has_double = !state->normal.has_double;
  if (!state->normal.has_double) return state->normal.next_double;
  const double2 pair = heddle_curand::normal_pair_double(state);
  state->normal.next_double = pair.y;
  return pair.x;
}

template <class State>
HEDDLE_CURAND float curand_log_normal(State* state, float mean, float stddev) {
  return ::expf(mean + stddev * curand_normal(state));
}
template <class State>
HEDDLE_CURAND double curand_log_normal_double(State* state, double mean, double stddev) {
  return ::exp(mean + stddev * curand_normal_double(state));
}
template <class State>
HEDDLE_CURAND float2 curand_log_normal2(State* state, float mean, float stddev) {
  const float2 pair = heddle_curand::normal_pair(state);
  return make_float2(::expf(mean + stddev * pair.x), ::expf(mean + stddev * pair.y));
}
template <class State>
HEDDLE_CURAND double2 curand_log_normal2_double(State* state, double mean, double stddev) {
  const double2 pair = heddle_curand::normal_pair_double(state);
  return make_double2(::exp(mean + stddev * pair.x), ::exp(mean + stddev * pair.y));
}

HEDDLE_CURAND float4 curand_normal4(curandStatePhilox4_32_10_t* state) {
  const float2 a = curand_normal2(state), b = curand_normal2(state);
  return make_float4(a.x, a.y, b.x, b.y);
}
HEDDLE_CURAND double4 curand_normal4_double(curandStatePhilox4_32_10_t* state) {
  const double2 a = curand_normal2_double(state), b = curand_normal2_double(state);
  return make_double4(a.x, a.y, b.x, b.y);
}
HEDDLE_CURAND float4 curand_log_normal4(curandStatePhilox4_32_10_t* state, float mean, float stddev) {
  const float2 a = curand_log_normal2(state, mean, stddev), b = curand_log_normal2(state, mean, stddev);
  return make_float4(a.x, a.y, b.x, b.y);
}
HEDDLE_CURAND double4 curand_log_normal4_double(curandStatePhilox4_32_10_t* state, double mean, double stddev) {
  const double2 a = curand_log_normal2_double(state, mean, stddev), b = curand_log_normal2_double(state, mean, stddev);
  return make_double4(a.x, a.y, b.x, b.y);
}
