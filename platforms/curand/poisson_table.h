// SPDX-License-Identifier: Apache-2.0
// Probabilities of Poisson numbers in the form curand_discrete() uses.
#pragma once

#include <vector>

namespace heddle::random {

struct PoissonTable {
  unsigned first = 0;              ///< the smallest number
  std::vector<double> cumulative;  ///< cumulative probability of each number; the last is 1
};

/// Covers all numbers except the tails, whose probability is below 2^-53. `lambda`: above 0, at most kMostLambda.
PoissonTable poisson_table(double lambda);

constexpr double kMostLambda = 400000.0;

}  // namespace heddle::random
