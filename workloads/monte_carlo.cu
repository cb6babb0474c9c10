// SPDX-License-Identifier: Apache-2.0
// Monte Carlo prices of European options, a block an option: each thread draws prices at expiry from a generator of its own
// and adds up payoffs, and a tree in shared memory folds the sums. The inverse of the normal distribution has a branch
// for its tails.
//
//   order dependent:   no
//   digest:            stable
//   blocks:            256
//   shared memory:     2048
//   warp instructions: no
//   size:              options
#include "common.h"

constexpr int kBlock = 256;
constexpr int kPaths = 6;  // of a thread

// A point of (0, 1) by its number: a hash with the constants of Murmur's finalizer.
__host__ __device__ inline float uniform(unsigned number) {
  number ^= number >> 16;
  number *= 0x85ebca6bu;
  number ^= number >> 13;
  number *= 0xc2b2ae35u;
  number ^= number >> 16;
  return (static_cast<float>(number >> 9) + 0.5f) * (1.0f / 8388608.0f);
}

// Inverse of the normal distribution by the approximation of Moro ("The full Monte", Risk 8(2), 1995).
__device__ float normal(float probability) {
  const float y = probability - 0.5f;
  if (fabsf(y) < 0.42f) {
    const float z = y * y;
    const float numerator =
        y * fmaf(z, fmaf(z, fmaf(z, -25.44106049637f, 41.39119773534f), -18.61500062529f), 2.50662823884f);
    const float denominator =
        fmaf(z, fmaf(z, fmaf(z, fmaf(z, 3.13082909833f, -21.06224101826f), 23.08336743743f), -8.4735109309f), 1.0f);
    return numerator / denominator;
  }
  const float z = logf(-logf(y > 0.0f ? 1.0f - probability : probability));
  float tail = fmaf(z, 3.960315187e-7f, 2.888167364e-7f);
  tail = fmaf(z, tail, 3.21767881768e-5f);
  tail = fmaf(z, tail, 3.951896511919e-4f);
  tail = fmaf(z, tail, 3.8405729373609e-3f);
  tail = fmaf(z, tail, 2.76438810333863e-2f);
  tail = fmaf(z, tail, 0.1607979714918209f);
  tail = fmaf(z, tail, 0.9761690190917186f);
  tail = fmaf(z, tail, 0.3374754822726147f);
  return y > 0.0f ? tail : -tail;
}

struct Option {
  float price, strike, drift, deviation;  // of the logarithm of the price until expiry
};

__global__ void monte_carlo(const Option* options, float* means, float* square_means) {
  __shared__ float sum[kBlock], square_sum[kBlock];
  const int t = threadIdx.x;
  const Option option = options[blockIdx.x];
  float payoffs = 0.0f, squares = 0.0f;
  for (int path = t; path < kPaths * kBlock; path += kBlock) {
    const float random = normal(uniform(blockIdx.x * kPaths * kBlock + path));
    const float payoff = option.price * expf(fmaf(option.deviation, random, option.drift)) - option.strike;
    if (payoff > 0.0f) {
      payoffs += payoff;
      squares = fmaf(payoff, payoff, squares);
    }
  }
  sum[t] = payoffs;
  square_sum[t] = squares;
  __syncthreads();
  for (int width = kBlock / 2; width > 0; width /= 2) {
    if (t < width) {
      sum[t] += sum[t + width];
      square_sum[t] += square_sum[t + width];
    }
    __syncthreads();
  }
  if (t == 0) {
    means[blockIdx.x] = sum[0] / (kPaths * kBlock);
    square_means[blockIdx.x] = square_sum[0] / (kPaths * kBlock);
  }
}

// The argument at which the normal distribution has the value `probability`, by bisection.
double exact_normal(double probability) {
  double low = -8.0, high = 8.0;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (0.5 * std::erfc(-middle / std::sqrt(2.0)) < probability ? low : high) = middle;
  }
  return low;
}

int main(int argc, char** argv) {
  const int count = static_cast<int>(workload::parse_size(argc, argv, {5, 40, 1000, 1, 1 << 16}));
  workload::Random random(89);
  std::vector<Option> options(count);
  std::vector<float> means(count), square_means(count);
  for (int i = 0; i < count; ++i) {
    Option& option = options[i];
    const float years = random.between(1.0f, 5.0f), volatility = 0.1f, rate = 0.06f;
    option.price = random.between(5.0f, 50.0f);
    option.strike = random.between(10.0f, 25.0f);
    option.drift = (rate - 0.5f * volatility * volatility) * years;
    option.deviation = volatility * std::sqrt(years);
    double sum = 0.0, squares = 0.0;
    for (int path = 0; path < kPaths * kBlock; ++path) {
      const double normal = exact_normal(uniform(static_cast<unsigned>(i * kPaths * kBlock + path)));
      const double payoff = option.price * std::exp(option.deviation * normal + option.drift) - option.strike;
      if (payoff <= 0.0) continue;
      sum += payoff;
      squares += payoff * payoff;
    }
    means[i] = static_cast<float>(sum / (kPaths * kBlock));
    square_means[i] = static_cast<float>(squares / (kPaths * kBlock));
  }
  workload::DeviceArray<Option> device_options(options);
  workload::DeviceArray<float> device_means(count), device_squares(count);
  monte_carlo<<<count, kBlock>>>(device_options.get(), device_means.get(), device_squares.get());
  CHECK_LAUNCH();
  workload::Report report("monte_carlo");
  report.expect_near("mean payoff", device_means.download(), means, 2e-5, 2e-5);
  report.expect_near("mean square of payoffs", device_squares.download(), square_means, 5e-5, 1e-4);
  return report.finish();
}
