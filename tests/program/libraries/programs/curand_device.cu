// SPDX-License-Identifier: Apache-2.0
// cuRAND in kernels: the published numbers of each generator, skipping against stepping, and properties of
// distributions.
#include <curand_kernel.h>

#include "reference.h"

namespace {

constexpr int kThreads = 64, kEach = 32, kAll = kThreads * kEach;

template <class T>
T* managed(std::size_t count) {
  T* memory = nullptr;
  if (cudaMallocManaged(&memory, count * sizeof(T)) != cudaSuccess) std::abort();
  return memory;
}

void finished(const char* what) {
  const cudaError_t error = cudaDeviceSynchronize();
  expect(error == cudaSuccess, std::string(what) + ": " + cudaGetErrorString(error));
}

// --- published numbers
__global__ void philox_answers(unsigned* out) {
  // The vectors of Random123: counter, key, then ten rounds of Philox 4x32.
  const unsigned counters[3][4] = {
      {0, 0, 0, 0}, {~0u, ~0u, ~0u, ~0u}, {0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u}};
  const unsigned keys[3][2] = {{0, 0}, {~0u, ~0u}, {0xa4093822u, 0x299f31d0u}};
  const int i = static_cast<int>(threadIdx.x);
  if (i >= 3) return;
  curandStatePhilox4_32_10_t state;
  // The counter's lower half counts blocks of four numbers.
  const unsigned long long blocks = static_cast<unsigned long long>(counters[i][1]) << 32 | counters[i][0];
  curand_init(static_cast<unsigned long long>(keys[i][1]) << 32 | keys[i][0],
              static_cast<unsigned long long>(counters[i][3]) << 32 | counters[i][2], 0, &state);
  for (int quarter = 0; quarter < 4; ++quarter) skipahead(blocks, &state);
  const uint4 four = curand4(&state);
  out[4 * i] = four.x;
  out[4 * i + 1] = four.y;
  out[4 * i + 2] = four.z;
  out[4 * i + 3] = four.w;
}

__global__ void mrg_answers(double* out) {
  // RngStreams of L'Ecuyer, Simard, Chen and Kelton: its first stream, its third, and the fourth substream of that.
  curandStateMRG32k3a_t state;
  curand_init(0, 0, 0, &state);
  if (threadIdx.x == 1) skipahead_sequence(2, &state);
  if (threadIdx.x == 2) {
    skipahead_sequence(2, &state);
    skipahead_subsequence(4, &state);
  }
  if (threadIdx.x == 3) skipahead(35, &state);
  for (int i = 0; i < 5; ++i) out[threadIdx.x * 5 + i] = curand_uniform_double(&state);
}

__global__ void xorwow_numbers(unsigned long long seed, unsigned* out) {
  curandState state;
  curand_init(seed, 0, 0, &state);
  for (int i = 0; i < 100; ++i) out[i] = curand(&state);
}

void check_published() {
  unsigned* words = managed<unsigned>(100);
  philox_answers<<<1, 32>>>(words);
  finished("Philox");
  const unsigned philox[12] = {0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u, 0x408f276du, 0x41c83b0eu,
                               0xa20bc7c6u, 0x6d5451fdu, 0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u};
  for (int i = 0; i < 12; ++i) expect(words[i] == philox[i], "Philox number " + std::to_string(i));

  double* uniform = managed<double>(20);
  mrg_answers<<<1, 4>>>(uniform);
  finished("MRG32k3a");
  const double published[20] = {
      0.1270111220466, 0.3185275653968,  0.3091860155833, 0.8258468629271, 0.2216299157820,  // first stream
      0.7285097861965, 0.9655872822837,  0.9961841304801, 0.1149884161813, 0.9731454191297,  // third
      0.1734545396358, 0.03286351608942, 0.2643169129682, 0.3059403602117, 0.5476303035177,  // its fourth substream
      0.07941673614985};  // the first after 35 numbers
  for (int i = 0; i < 16; ++i) expect(is_near(uniform[i], published[i], 2e-12), "MRG32k3a number " + std::to_string(i));

  xorwow_numbers<<<1, 1>>>(0, words);
  finished("XORWOW");
  unsigned x = 123456789, y = 362436069, z = 521288629, w = 88675123, v = 5783321, d = 6615241;
  for (int i = 0; i < 100; ++i) {  // as the paper writes it
    const unsigned t = x ^ (x >> 2);
    x = y;
    y = z;
    z = w;
    w = v;
    v = (v ^ (v << 4)) ^ (t ^ (t << 1));
    d += 362437;
    expect(words[i] == d + v, "XORWOW number " + std::to_string(i));
  }
  cudaFree(words);
  cudaFree(uniform);
}

// --- skipping
template <class State>
__global__ void skip(unsigned* out) {
  const int i = static_cast<int>(threadIdx.x);
  const unsigned long long far = 1000ull * static_cast<unsigned long long>(i) / 31;
  State stepped, skipped, started, apart;
  curand_init(77, 5, 0, &stepped);
  skipped = stepped;
  for (unsigned long long n = 0; n < far; ++n) curand(&stepped);
  skipahead(far, &skipped);
  curand_init(77, 5, far, &started);
  curand_init(77, 6, far, &apart);
  const unsigned expected = curand(&stepped);
  out[i] = (curand(&skipped) == expected) + 2 * (curand(&started) == expected) + 4 * (curand(&apart) != expected);
}

template <class State>
void check_skipping(const char* name) {
  unsigned* out = managed<unsigned>(32);
  skip<State><<<1, 32>>>(out);
  finished(name);
  for (int i = 0; i < 32; ++i) expect(out[i] == 7, std::string(name) + ": skipping, thread " + std::to_string(i));
  cudaFree(out);
}

// --- distributions
template <class State>
__global__ void draw(float* uniform, double* normal, float* log_normal, unsigned* few, unsigned* many, unsigned* table,
                     curandDiscreteDistribution_t distribution) {
  const int thread = static_cast<int>(threadIdx.x);
  State state;
  curand_init(2024, thread, 0, &state);
  for (int i = 0; i < kEach; ++i) {
    const int at = thread * kEach + i;
    uniform[at] = curand_uniform(&state);
    normal[at] = i % 2 == 0 ? curand_normal(&state) : curand_normal_double(&state);
    log_normal[at] = curand_log_normal(&state, 1.0f, 0.5f);
    few[at] = curand_poisson(&state, 3.5);
    many[at] = curand_poisson(&state, 250.0);
    table[at] = curand_discrete(&state, distribution);
  }
}

/// Mean and variance, each within 4.5 standard errors of the expected value.
template <class T>
void expect_moments(const std::string& what, const T* sample, double mean, double variance, double kurtosis) {
  double sum = 0, squares = 0;
  for (int i = 0; i < kAll; ++i) sum += static_cast<double>(sample[i]);
  const double found = sum / kAll;
  for (int i = 0; i < kAll; ++i)
    squares += (static_cast<double>(sample[i]) - mean) * (static_cast<double>(sample[i]) - mean);
  expect(std::fabs(found - mean) < 4.5 * std::sqrt(variance / kAll), what + ": mean " + std::to_string(found));
  const double spread = squares / kAll;
  expect(std::fabs(spread - variance) < 4.5 * variance * std::sqrt((kurtosis - 1) / kAll),
         what + ": variance " + std::to_string(spread));
}

template <class State>
void check_distributions(const std::string& name) {
  float *uniform = managed<float>(kAll), *log_normal = managed<float>(kAll);
  double* normal = managed<double>(kAll);
  unsigned* counts = managed<unsigned>(3 * kAll);
  curandDiscreteDistribution_t distribution;
  expect(curandCreatePoissonDistribution(20.0, &distribution) == CURAND_STATUS_SUCCESS,
         "curandCreatePoissonDistribution");
  draw<State><<<1, kThreads>>>(uniform, normal, log_normal, counts, counts + kAll, counts + 2 * kAll, distribution);
  finished("distributions");
  expect(curandDestroyDistribution(distribution) == CURAND_STATUS_SUCCESS, "curandDestroyDistribution");
  int bins[16] = {};
  for (int i = 0; i < kAll; ++i) {
    expect(uniform[i] > 0.0f && uniform[i] <= 1.0f, name + ": uniform out of range");
    ++bins[static_cast<int>(uniform[i] * 15.9999f)];
    log_normal[i] = std::log(log_normal[i]);
  }
  double chi = 0;
  for (int bin : bins) chi += (bin - kAll / 16.0) * (bin - kAll / 16.0) / (kAll / 16.0);
  expect(chi < 45.0, name + ": uniform in 16 parts, chi square " + std::to_string(chi));  // 15 degrees, p = 1e-4
  expect_moments(name + " uniform", uniform, 0.5, 1.0 / 12, 1.8);
  expect_moments(name + " normal", normal, 0.0, 1.0, 3.0);
  expect_moments(name + " log normal", log_normal, 1.0, 0.25, 3.0);
  expect_moments(name + " Poisson of 3.5", counts, 3.5, 3.5, 3.0 + 1 / 3.5);
  expect_moments(name + " Poisson of 250", counts + kAll, 250.0, 250.0, 3.0);
  expect_moments(name + " table of Poisson of 20", counts + 2 * kAll, 20.0, 20.0, 3.05);
  cudaFree(uniform);
  cudaFree(log_normal);
  cudaFree(normal);
  cudaFree(counts);
}

}  // namespace

int main() {
  check_published();
  check_skipping<curandStateXORWOW_t>("XORWOW");
  check_skipping<curandStateMRG32k3a_t>("MRG32k3a");
  check_skipping<curandStatePhilox4_32_10_t>("Philox");
  check_distributions<curandStateXORWOW_t>("XORWOW");
  check_distributions<curandStateMRG32k3a_t>("MRG32k3a");
  check_distributions<curandStatePhilox4_32_10_t>("Philox");
  return finish();
}
