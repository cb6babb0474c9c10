// SPDX-License-Identifier: Apache-2.0
// Poisson numbers, and numbers from a tabulated distribution.
#pragma once

#include <math.h>

#include "uniform.h"

/// The object behind curandDiscreteDistribution_t, in device memory.
struct curandDiscreteDistribution_st {
  unsigned int first;        // the smallest number
  unsigned int count;        // number of possible values
  const double* cumulative;  // cumulative probability of each; the last is 1
};
typedef struct curandDiscreteDistribution_st* curandDiscreteDistribution_t;

namespace heddle_curand {

// Multiplies uniform numbers until the product is below e^-lambda (Knuth, The Art of Computer Programming, 3.4.1).
template <class State>
HEDDLE_CURAND unsigned int poisson_by_product(State* state, double lambda) {
  const double limit = ::exp(-lambda);
  double product = curand_uniform_double(state);
  unsigned int count = 0;
  while (product > limit) {
    product *= curand_uniform_double(state);
    ++count;
  }
  return count;
}

// Transformed rejection (Hörmann 1993, algorithm PTRS), for lambda of 10 and more.
template <class State>
HEDDLE_CURAND unsigned int poisson_by_rejection(State* state, double lambda) {
  const double log_lambda = ::log(lambda);
  const double b = 0.931 + 2.53 * ::sqrt(lambda), a = -0.059 + 0.02483 * b;
  const double log_inverse_alpha = ::log(1.1239 + 1.1328 / (b - 3.4));
  const double sure = 0.9277 - 3.6224 / (b - 2.0);
  for (;;) {
    const double u = curand_uniform_double(state) - 0.5;
    const double v = curand_uniform_double(state);
    const double edge = 0.5 - ::fabs(u);
    const double k = ::floor((2.0 * a / edge + b) * u + lambda + 0.43);
    if (edge >= 0.07 && v <= sure) return static_cast<unsigned int>(k);
    if (k < 0.0 || (edge < 0.013 && v > edge)) continue;
    if (::log(v) + log_inverse_alpha - ::log(a / (edge * edge) + b) <= k * log_lambda - lambda - ::lgamma(k + 1.0)) {
      return static_cast<unsigned int>(k);
    }
  }
}

}  // namespace heddle_curand

template <class State>
HEDDLE_CURAND unsigned int curand_poisson(State* state, double lambda) {
  if (!(lambda > 0.0)) return 0;
  return lambda < 10.0 ? heddle_curand::poisson_by_product(state, lambda)
                       : heddle_curand::poisson_by_rejection(state, lambda);
}
HEDDLE_CURAND uint4 curand_poisson4(curandStatePhilox4_32_10_t* state, double lambda) {
  const unsigned int x = curand_poisson(state, lambda), y = curand_poisson(state, lambda);
  const unsigned int z = curand_poisson(state, lambda);
  return make_uint4(x, y, z, curand_poisson(state, lambda));
}

/// The first number whose cumulative probability reaches a uniform number.
template <class State>
HEDDLE_CURAND unsigned int curand_discrete(State* state, curandDiscreteDistribution_t distribution) {
  const double u = curand_uniform_double(state);
  unsigned int low = 0, high = distribution->count - 1;
  while (low < high) {
    const unsigned int middle = (low + high) / 2;
    if (distribution->cumulative[middle] < u) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return distribution->first + low;
}
HEDDLE_CURAND uint4 curand_discrete4(curandStatePhilox4_32_10_t* state, curandDiscreteDistribution_t distribution) {
  const unsigned int x = curand_discrete(state, distribution), y = curand_discrete(state, distribution);
  const unsigned int z = curand_discrete(state, distribution);
  return make_uint4(x, y, z, curand_discrete(state, distribution));
}
