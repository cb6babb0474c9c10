// SPDX-License-Identifier: Apache-2.0
// Black-Scholes prices of European options: logarithms, exponentials, square roots and divisions, no communication.
//
//   order dependent:   no
//   digest:            stable
//   blocks:            128
//   shared memory:     0
//   warp instructions: no
//   size:              options
#include "common.h"

constexpr float kRate = 0.02f;
constexpr float kVolatility = 0.30f;

// The standard normal distribution function by the rational approximation 26.2.17 of Abramowitz and Stegun
// (absolute error below 7.5e-8).
__device__ float normal_distribution(float x) {
  const float t = 1.0f / (1.0f + 0.2316419f * fabsf(x));
  const float polynomial =
      t * (0.319381530f + t * (-0.356563782f + t * (1.781477937f + t * (-1.821255978f + t * 1.330274429f))));
  const float tail = 0.39894228f * expf(-0.5f * x * x) * polynomial;
  return x > 0.0f ? 1.0f - tail : tail;
}

__global__ void black_scholes(const float* price, const float* strike, const float* years, float* call, float* put,
                              int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float deviation = kVolatility * sqrtf(years[i]);
  const float d1 = (logf(price[i] / strike[i]) + (kRate + 0.5f * kVolatility * kVolatility) * years[i]) / deviation;
  const float first = normal_distribution(d1), second = normal_distribution(d1 - deviation);
  const float discounted = strike[i] * expf(-kRate * years[i]);
  call[i] = price[i] * first - discounted * second;
  put[i] = discounted * (1.0f - second) - price[i] * (1.0f - first);
}

int main(int argc, char** argv) {
  const int count = static_cast<int>(workload::parse_size(argc, argv, {400, 10000, 200000, 1, 1 << 24}));
  workload::Random random(9);
  std::vector<float> price(count), strike(count), years(count), call(count), put(count);
  for (int i = 0; i < count; ++i) {
    price[i] = random.between(5.0f, 30.0f);
    strike[i] = random.between(1.0f, 100.0f);
    years[i] = random.between(0.25f, 10.0f);
    // The reference uses the error function, in double precision.
    const double deviation = kVolatility * std::sqrt(years[i]);
    const double d1 =
        (std::log(double(price[i]) / strike[i]) + (kRate + 0.5 * kVolatility * kVolatility) * years[i]) / deviation;
    const double first = 0.5 * std::erfc(-d1 / std::sqrt(2.0)),
                 second = 0.5 * std::erfc(-(d1 - deviation) / std::sqrt(2.0));
    const double discounted = strike[i] * std::exp(-double(kRate) * years[i]);
    call[i] = static_cast<float>(price[i] * first - discounted * second);
    put[i] = static_cast<float>(discounted * (1.0 - second) - price[i] * (1.0 - first));
  }
  workload::DeviceArray<float> device_price(price), device_strike(strike), device_years(years);
  workload::DeviceArray<float> device_call(count), device_put(count);
  black_scholes<<<workload::blocks_for(count, 128), 128>>>(device_price.get(), device_strike.get(), device_years.get(),
                                                           device_call.get(), device_put.get(), count);
  CHECK_LAUNCH();
  workload::Report report("black_scholes");
  // Prices are differences of amounts up to 100: rounding of those bounds the error.
  report.expect_near("call", device_call.download(), call, 1e-5, 1e-4);
  report.expect_near("put", device_put.download(), put, 1e-5, 1e-4);
  return report.finish();
}
