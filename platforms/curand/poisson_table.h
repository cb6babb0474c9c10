// SPDX-License-Identifier: Apache-2.0
// The probabilities of Poisson numbers, as curand_discrete() reads them.
#pragma once

#include <vector>

namespace heddle::random {

struct PoissonTable {
  unsigned first = 0;              ///< the smallest number
  std::vector<double> cumulative;  ///< probability of each number and those before it; the last is 1
};

/// All numbers but the tails, which hold less than 2^-53. `lambda`: above 0, at most kMostLambda.
PoissonTable poisson_table(double lambda);

constexpr double kMostLambda = 400000.0;

}  // namespace heddle::random
