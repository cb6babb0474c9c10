// SPDX-License-Identifier: Apache-2.0
// Prices of European options by binomial trees, a block an option: the tree is folded from its leaves in pieces that fit
// shared memory, several steps each, with two barriers a pair of steps.
//
//   order dependent:   no
//   digest:            stable
//   blocks:            128
//   shared memory:     1024
//   warp instructions: no
//   size:              options, with trees of 48 steps for fewer than eight, else of 256
#include <algorithm>

#include "common.h"

constexpr int kBlock = 128;
constexpr int kFold = 16;               // steps of a piece, an even number
constexpr int kPiece = kBlock - kFold;  // nodes that a piece leaves

struct Option {
  float price, strike, up, discounted_up, discounted_down;  // `up`: logarithm of a step's factor
};

__device__ float payoff_of(const Option& option, int steps, int node) {
  return fmaxf(option.price * expf(option.up * static_cast<float>(2 * node - steps)) - option.strike, 0.0f);
}

// `nodes` has steps + kBlock places for each option; `steps` is a multiple of kFold.
__global__ void price(const Option* options, float* nodes, float* prices, int steps) {
  __shared__ float calls[kBlock], folded[kBlock];
  const int t = threadIdx.x;
  const Option option = options[blockIdx.x];
  float* node = nodes + blockIdx.x * (steps + kBlock);
  for (int i = t; i <= steps; i += kBlock) node[i] = payoff_of(option, steps, i);
  for (int last = steps; last > 0; last -= kFold) {  // nodes 0 to `last` are valid
    for (int start = 0; start <= last - kFold; start += kPiece) {
      int end = min(kBlock - 1, last - start);  // of the nodes in the piece
      const int rest = end - kFold;
      __syncthreads();
      if (t <= end) calls[t] = node[start + t];
      while (end > rest) {
        __syncthreads();
        if (t < end) folded[t] = fmaf(option.discounted_up, calls[t + 1], option.discounted_down * calls[t]);
        --end;
        __syncthreads();
        if (t < end) calls[t] = fmaf(option.discounted_up, folded[t + 1], option.discounted_down * folded[t]);
        --end;
      }
      __syncthreads();
      if (t <= rest) node[start + t] = calls[t];
    }
  }
  if (t == 0) prices[blockIdx.x] = calls[0];
}

int main(int argc, char** argv) {
  const int count = static_cast<int>(workload::parse_size(argc, argv, {5, 16, 400, 1, 1 << 16}));
  const int steps = count < 8 ? 48 : 256;
  workload::Random random(90);
  std::vector<Option> options(count);
  std::vector<float> reference(count);
  for (int i = 0; i < count; ++i) {
    Option& option = options[i];
    const double years = random.between(1.0f, 5.0f), volatility = 0.1, rate = 0.06;
    const double step = years / steps, up = volatility * std::sqrt(step), discount = std::exp(-rate * step);
    const double likely = (std::exp(rate * step) - std::exp(-up)) / (std::exp(up) - std::exp(-up));
    option = {random.between(5.0f, 30.0f), random.between(1.0f, 40.0f), static_cast<float>(up),
              static_cast<float>(discount * likely), static_cast<float>(discount * (1.0 - likely))};
    std::vector<double> node(steps + 1);
    for (int leaf = 0; leaf <= steps; ++leaf)
      node[leaf] = std::max(option.price * std::exp(up * (2 * leaf - steps)) - option.strike, 0.0);
    for (int last = steps; last > 0; --last)
      for (int k = 0; k < last; ++k) node[k] = discount * (likely * node[k + 1] + (1.0 - likely) * node[k]);
    reference[i] = static_cast<float>(node[0]);
  }
  workload::DeviceArray<Option> device_options(options);
  workload::DeviceArray<float> nodes(static_cast<std::size_t>(count) * (steps + kBlock)), prices(count);
  price<<<count, kBlock>>>(device_options.get(), nodes.get(), prices.get(), steps);
  CHECK_LAUNCH();
  workload::Report report("binomial_options");
  report.expect_near("price", prices.download(), reference, 1e-4, 1e-4);
  return report.finish();
}
