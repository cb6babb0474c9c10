// SPDX-License-Identifier: Apache-2.0
#include "curand/poisson_table.h"

#include <algorithm>
#include <cmath>

namespace heddle::random {

PoissonTable poisson_table(double lambda) {
  const double reach = 9.0 * std::sqrt(lambda) + 40.0;  // P(|k - lambda| > reach) < 2^-53
  PoissonTable table;
  table.first = static_cast<unsigned>(std::max(0.0, std::floor(lambda - reach)));
  const auto last = static_cast<unsigned>(std::ceil(lambda + reach));
  double sum = 0;
  for (unsigned k = table.first; k <= last; ++k) {
    sum += std::exp(k * std::log(lambda) - lambda - std::lgamma(k + 1.0));
    table.cumulative.push_back(sum);
  }
  for (double& probability : table.cumulative) probability = std::min(1.0, probability / sum);
  table.cumulative.back() = 1.0;
  return table;
}

}  // namespace heddle::random
