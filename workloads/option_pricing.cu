// SPDX-License-Identifier: Apache-2.0
// Black-Scholes prices by persistent threads and the accurate functions of the device: five streams of memory with
// arithmetic between them, no communication.
//
//   order dependent:   no
//   digest:            stable
//   blocks:            256
//   shared memory:     0
//   warp instructions: no
//   size:              options
//
// Option: --threads 256|512|1024, threads of a block, 1024 in all.
// Source: docs/sources/large-warps-and-database-search.md, 5.1 (blackscholes).
#include "persistent.h"

constexpr float kRate = 0.02f;
constexpr float kVolatility = 0.30f;

// The standard normal distribution function by the rational approximation 26.2.17 of Abramowitz and Stegun
// (absolute error below 7.5e-8).
__device__ float normal_distribution(float x) {
  const float t = 1.0f / fmaf(0.2316419f, fabsf(x), 1.0f);
  float polynomial = fmaf(t, 1.330274429f, -1.821255978f);
  polynomial = fmaf(t, polynomial, 1.781477937f);
  polynomial = fmaf(t, polynomial, -0.356563782f);
  polynomial = fmaf(t, polynomial, 0.319381530f);
  const float tail = 0.39894228f * expf(-0.5f * x * x) * polynomial * t;
  return x > 0.0f ? 1.0f - tail : tail;
}

__global__ void option_pricing(const float* prices, const float* strikes, const float* times, float* calls, float* puts,
                               unsigned count) {
  for (unsigned i = workload::first_item(); i < count; i += workload::kPersistentThreads) {
    const float price = prices[i], strike = strikes[i], years = times[i];
    const float deviation = kVolatility * sqrtf(years);
    const float d1 = fmaf(kRate + 0.5f * kVolatility * kVolatility, years, logf(price / strike)) / deviation;
    const float first = normal_distribution(d1), second = normal_distribution(d1 - deviation);
    const float discounted = strike * expf(-kRate * years);
    const float call = fmaf(price, first, -discounted * second);
    calls[i] = call;
    puts[i] = call + discounted - price;  // put-call parity
  }
}

int main(int argc, char** argv) {
  const unsigned threads = workload::take_threads(argc, argv);
  const auto count = static_cast<unsigned>(workload::parse_size(argc, argv, {1500, 40000, 524288, 1, 1 << 24}));
  workload::Random random(68);
  std::vector<float> price(count), strike(count), years(count), call(count), put(count);
  for (unsigned i = 0; i < count; ++i) {
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
  option_pricing<<<workload::persistent_blocks(threads, count), threads>>>(
      device_price.get(), device_strike.get(), device_years.get(), device_call.get(), device_put.get(), count);
  CHECK_LAUNCH();
  workload::Report report("option_pricing");
  // Prices are differences of amounts up to 100: rounding of those bounds the error.
  report.expect_near("call", device_call.download(), call, 1e-5, 2e-4);
  report.expect_near("put", device_put.download(), put, 1e-5, 2e-4);
  return report.finish();
}
