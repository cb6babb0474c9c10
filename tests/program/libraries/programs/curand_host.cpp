// SPDX-License-Identifier: Apache-2.0
// cuRAND's host API from plain C++, linked with -lcurand: device and host generators, order, offsets, refusals.
#include <cuda_runtime.h>
#include <curand.h>

#include <cstring>
#include <random>

#include "reference.h"

namespace {

void expect_status(const std::string& what, curandStatus_t got, curandStatus_t expected = CURAND_STATUS_SUCCESS) {
  expect(got == expected, what + ": status " + std::to_string(got));
}

template <class T>
std::vector<T> fetched(const T* device, std::size_t count) {
  std::vector<T> host(count);
  expect(cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost) == cudaSuccess, "cudaMemcpy");
  return host;
}

class Generator {
 public:
  Generator(curandRngType_t type, bool on_device) {
    expect_status("create",
                  on_device ? curandCreateGenerator(&handle_, type) : curandCreateGeneratorHost(&handle_, type));
  }
  ~Generator() { expect_status("destroy", curandDestroyGenerator(handle_)); }
  Generator(const Generator&) = delete;
  Generator& operator=(const Generator&) = delete;
  operator curandGenerator_t() const { return handle_; }

 private:
  curandGenerator_t handle_ = nullptr;
};

std::vector<unsigned> bits(curandRngType_t type, unsigned long long seed, unsigned long long offset,
                           std::size_t count) {
  const Generator generator(type, false);
  expect_status("seed", curandSetPseudoRandomGeneratorSeed(generator, seed));
  if (offset != 0) expect_status("offset", curandSetGeneratorOffset(generator, offset));
  std::vector<unsigned> out(count);
  expect_status("generate", curandGenerate(generator, out.data(), count));
  return out;
}

void published() {
  // Lane 0 of 4096 is the sequence in Marsaglia's paper.
  const std::vector<unsigned> xorwow = bits(CURAND_RNG_PSEUDO_XORWOW, 0, 0, 3 * 4096);
  const unsigned first[3] = {246875399u, 3690007200u, 1264581005u};
  for (int i = 0; i < 3; ++i) expect(xorwow[i * 4096] == first[i], "XORWOW " + std::to_string(i));
  const std::vector<unsigned> philox = bits(CURAND_RNG_PSEUDO_PHILOX4_32_10, 0, 0, 4);
  expect_same("Philox", philox, std::vector<unsigned>{0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u});
  std::mt19937 mersenne(5489);
  std::vector<unsigned> expected(2000);
  for (unsigned& value : expected) value = static_cast<unsigned>(mersenne());
  expect_same("MT19937", bits(CURAND_RNG_PSEUDO_MT19937, 5489, 0, 2000), expected);
}

void sequence(const std::string& name, curandRngType_t type) {
  const std::vector<unsigned> all = bits(type, 42, 0, 20000);
  if (type != CURAND_RNG_PSEUDO_MT19937) {
    for (std::size_t offset : {1, 4095, 4097, 9999}) {
      const std::vector<unsigned> later = bits(type, 42, offset, 100);
      expect_same(name + " from " + std::to_string(offset), later,
                  std::vector<unsigned>(all.begin() + offset, all.begin() + offset + 100));
    }
  }
  expect(bits(type, 43, 0, 100) != std::vector<unsigned>(all.begin(), all.begin() + 100), name + ": another seed");

  // In device memory, in parts and on a stream: the same numbers.
  const Generator generator(type, true);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  expect_status(name, curandSetStream(generator, stream));
  expect_status(name, curandSetPseudoRandomGeneratorSeed(generator, 42));
  unsigned* device = nullptr;
  cudaMalloc(&device, 20000 * sizeof(unsigned));
  for (std::size_t done : {0, 5000, 10000, 15000}) expect_status(name, curandGenerate(generator, device + done, 5000));
  cudaStreamSynchronize(stream);
  expect_same(name + " on the device", fetched(device, 20000), all);
  cudaFree(device);
  cudaStreamDestroy(stream);
}

/// Mean and variance within 4.5 standard errors.
template <class T>
void expect_moments(const std::string& what, const std::vector<T>& sample, double mean, double variance,
                    double kurtosis) {
  double sum = 0, squares = 0;
  for (T value : sample) sum += static_cast<double>(value);
  for (T value : sample) squares += (static_cast<double>(value) - mean) * (static_cast<double>(value) - mean);
  const auto count = static_cast<double>(sample.size());
  expect(std::fabs(sum / count - mean) < 4.5 * std::sqrt(variance / count), what + ": mean");
  expect(std::fabs(squares / count - variance) < 4.5 * variance * std::sqrt((kurtosis - 1) / count),
         what + ": variance");
}

void distributions(const std::string& name, curandRngType_t type) {
  constexpr std::size_t n = 20000;
  const Generator generator(type, true);
  float* floats = nullptr;
  double* doubles = nullptr;
  unsigned* counts = nullptr;
  cudaMalloc(&floats, n * sizeof(float));
  cudaMalloc(&doubles, n * sizeof(double));
  cudaMalloc(&counts, n * sizeof(unsigned));
  expect_status(name, curandGenerateUniform(generator, floats, n));
  for (float value : fetched(floats, n)) expect(value > 0.0f && value <= 1.0f, name + ": uniform out of range");
  expect_moments(name + " uniform", fetched(floats, n), 0.5, 1.0 / 12, 1.8);
  expect_status(name, curandGenerateUniformDouble(generator, doubles, n));
  expect_moments(name + " uniform double", fetched(doubles, n), 0.5, 1.0 / 12, 1.8);
  expect_status(name, curandGenerateNormal(generator, floats, n, -2.0f, 3.0f));
  expect_moments(name + " normal", fetched(floats, n), -2.0, 9.0, 3.0);
  expect_status(name, curandGenerateLogNormalDouble(generator, doubles, n, 0.5, 0.25));
  std::vector<double> logarithms = fetched(doubles, n);
  for (double& value : logarithms) value = std::log(value);
  expect_moments(name + " log normal", logarithms, 0.5, 0.0625, 3.0);
  for (double lambda : {0.3, 9.0, 77.0, 5000.0}) {
    expect_status(name, curandGeneratePoisson(generator, counts, n, lambda));
    expect_moments(name + " Poisson of " + std::to_string(lambda), fetched(counts, n), lambda, lambda,
                   3.0 + 1.0 / lambda);
  }
  cudaFree(floats);
  cudaFree(doubles);
  cudaFree(counts);
}

void refusals() {
  curandGenerator_t none = nullptr;
  expect_status("Sobol", curandCreateGenerator(&none, CURAND_RNG_QUASI_SOBOL32), CURAND_STATUS_TYPE_ERROR);
  expect_status("no generator", curandGenerate(nullptr, nullptr, 1), CURAND_STATUS_NOT_INITIALIZED);
  const Generator generator(CURAND_RNG_PSEUDO_DEFAULT, false);
  float three[3];
  unsigned counts[2];
  expect_status("odd", curandGenerateNormal(generator, three, 3, 0, 1), CURAND_STATUS_LENGTH_NOT_MULTIPLE);
  expect_status("lambda", curandGeneratePoisson(generator, counts, 2, -1.0), CURAND_STATUS_OUT_OF_RANGE);
  expect_status("nothing", curandGenerateUniform(generator, three, 0));
  int version = 0;
  expect_status("version", curandGetVersion(&version));
  expect(version == CURAND_VERSION, "version");
}

}  // namespace

int main() {
  published();
  for (const auto& [name, type] : {std::pair<const char*, curandRngType_t>{"XORWOW", CURAND_RNG_PSEUDO_XORWOW},
                                   {"MRG32k3a", CURAND_RNG_PSEUDO_MRG32K3A},
                                   {"Philox", CURAND_RNG_PSEUDO_PHILOX4_32_10},
                                   {"MT19937", CURAND_RNG_PSEUDO_MT19937}}) {
    sequence(name, type);
    distributions(name, type);
  }
  refusals();
  return finish();
}
