// SPDX-License-Identifier: Apache-2.0
// cuRAND's host API over the generators.
#include <cuda_runtime_api.h>
#include <curand.h>
#include <curand_kernel.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <new>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "curand/generator.h"
#include "curand/poisson_table.h"

using heddle::random::Generator;
using heddle::random::SequenceOptions;

struct curandGenerator_st {
  std::unique_ptr<Generator> numbers;
  SequenceOptions options;
  bool started = false;
  bool on_device = true;
  cudaStream_t stream = nullptr;
};

namespace {

constexpr std::size_t kMostAtOnce = std::size_t{1} << 20;  // numbers generated per copy

/// Prints each message once.
void say_error(const std::string& message) {
  static std::set<std::string> said;
  if (said.insert(message).second) fmt::print(stderr, "heddle: error: {}\n", message);
}

template <class Body>
curandStatus_t api(Body&& body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return CURAND_STATUS_ALLOCATION_FAILED;
  } catch (const std::exception& error) {
    say_error(fmt::format("cuRAND: {}", error.what()));
    return CURAND_STATUS_INTERNAL_ERROR;
  }
}

std::string name_of(curandRngType_t type) {
  switch (type) {
    case CURAND_RNG_PSEUDO_MTGP32:
      return "MTGP32";
    case CURAND_RNG_QUASI_DEFAULT:
    case CURAND_RNG_QUASI_SOBOL32:
    case CURAND_RNG_QUASI_SOBOL64:
      return "Sobol";
    case CURAND_RNG_QUASI_SCRAMBLED_SOBOL32:
    case CURAND_RNG_QUASI_SCRAMBLED_SOBOL64:
      return "scrambled Sobol";
    default:
      return fmt::format("number {}", static_cast<int>(type));
  }
}

curandStatus_t create(curandGenerator_t* generator, curandRngType_t type, bool on_device) {
  return api([&] {
    if (generator == nullptr) return CURAND_STATUS_OUT_OF_RANGE;
    auto made = std::make_unique<curandGenerator_st>();
    made->numbers = heddle::random::make_generator(type);
    made->on_device = on_device;
    if (made->numbers == nullptr) {
      say_error(fmt::format(
          "curandCreateGenerator: the {} generator is not available; there are XORWOW, MRG32k3a, MT19937 and "
          "Philox4_32_10",
          name_of(type)));
      return CURAND_STATUS_TYPE_ERROR;
    }
    *generator = made.release();
    return CURAND_STATUS_SUCCESS;
  });
}

void start(curandGenerator_st& generator) {
  if (!generator.started) generator.numbers->start(generator.options);
  generator.started = true;
}

curandStatus_t send(const curandGenerator_st& generator, void* to, const void* from, std::size_t bytes) {
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  if (cudaStreamIsCapturing(generator.stream, &capture) == cudaSuccess && capture != cudaStreamCaptureStatusNone) {
    say_error("cuRAND: numbers are generated on the host, so generation cannot be part of a graph");
    return CURAND_STATUS_LAUNCH_FAILURE;
  }
  const cudaError_t error = cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, generator.stream);
  if (error == cudaSuccess) return CURAND_STATUS_SUCCESS;
  say_error(
      fmt::format("cuRAND: {} bytes of numbers cannot be written to {}: {}", bytes, to, cudaGetErrorString(error)));
  return CURAND_STATUS_LAUNCH_FAILURE;
}

/// `make(numbers, part)` generates the output part by part.
template <class T, class Make>
curandStatus_t generate(curandGenerator_st* generator, T* out, std::size_t count, Make&& make) {
  return api([&] {
    if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
    start(*generator);
    if (count == 0) return CURAND_STATUS_SUCCESS;
    if (out == nullptr) return CURAND_STATUS_OUT_OF_RANGE;
    if (!generator->on_device) {
      make(*generator->numbers, std::span<T>(out, count));
      return CURAND_STATUS_SUCCESS;
    }
    std::vector<T> part(std::min(count, kMostAtOnce));
    for (std::size_t done = 0; done < count; done += part.size()) {
      part.resize(std::min(part.size(), count - done));
      make(*generator->numbers, std::span<T>(part));
      const curandStatus_t status = send(*generator, out + done, part.data(), part.size() * sizeof(T));
      if (status != CURAND_STATUS_SUCCESS) return status;
    }
    return CURAND_STATUS_SUCCESS;
  });
}

template <class T>
curandStatus_t generate_normal(curandGenerator_st* generator, T* out, std::size_t count, T mean, T deviation,
                               bool logarithm) {
  if (count % 2 != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  return generate(generator, out, count, [=](Generator& numbers, std::span<T> part) {
    numbers.normal(part, mean, deviation);
    if (!logarithm) return;
    for (T& value : part) value = std::exp(value);
  });
}

/// Sets `member`, restarting the sequence.
template <class T>
curandStatus_t change(curandGenerator_st* generator, T SequenceOptions::*member, T value) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  generator->options.*member = value;
  generator->started = false;
  return CURAND_STATUS_SUCCESS;
}

template <class T>
T* sent_to_device(const T* values, std::size_t count) {
  void* memory = nullptr;
  if (cudaMalloc(&memory, count * sizeof(T)) != cudaSuccess) return nullptr;
  if (cudaMemcpy(memory, values, count * sizeof(T), cudaMemcpyHostToDevice) == cudaSuccess) {
    return static_cast<T*>(memory);
  }
  cudaFree(memory);
  return nullptr;
}

curandStatus_t no_direction_vectors() {
  say_error("cuRAND: there are no direction vectors, because there are no Sobol generators");
  return CURAND_STATUS_TYPE_ERROR;
}

}  // namespace

// -- generators

curandStatus_t curandCreateGenerator(curandGenerator_t* generator, curandRngType_t type) {
  return create(generator, type, true);
}

curandStatus_t curandCreateGeneratorHost(curandGenerator_t* generator, curandRngType_t type) {
  return create(generator, type, false);
}

curandStatus_t curandDestroyGenerator(curandGenerator_t generator) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  delete generator;
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGetVersion(int* version) {
  if (version == nullptr) return CURAND_STATUS_OUT_OF_RANGE;
  *version = CURAND_VERSION;
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGetProperty(libraryPropertyType type, int* value) {
  if (value == nullptr || type < MAJOR_VERSION || type > PATCH_LEVEL) return CURAND_STATUS_OUT_OF_RANGE;
  const int parts[] = {CURAND_VER_MAJOR, CURAND_VER_MINOR, CURAND_VER_PATCH};
  *value = parts[type];
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  generator->stream = stream;
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator, unsigned long long seed) {
  return change(generator, &SequenceOptions::seed, seed);
}

curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset) {
  if (generator != nullptr && !generator->numbers->takes_offset()) return CURAND_STATUS_TYPE_ERROR;
  return change(generator, &SequenceOptions::offset, offset);
}

curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t order) {
  if (order < CURAND_ORDERING_PSEUDO_BEST || order > CURAND_ORDERING_PSEUDO_DYNAMIC) return CURAND_STATUS_OUT_OF_RANGE;
  return change(generator, &SequenceOptions::ordering, order);
}

curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t generator, unsigned) {
  return generator == nullptr ? CURAND_STATUS_NOT_INITIALIZED : CURAND_STATUS_TYPE_ERROR;
}

curandStatus_t curandGenerateSeeds(curandGenerator_t generator) {
  return api([&] {
    if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
    start(*generator);
    return CURAND_STATUS_SUCCESS;
  });
}

// -- numbers

curandStatus_t curandGenerate(curandGenerator_t generator, unsigned* out, std::size_t count) {
  return generate(generator, out, count, [](Generator& numbers, std::span<unsigned> part) { numbers.bits(part); });
}

/// Only 64-bit Sobol generators support this.
curandStatus_t curandGenerateLongLong(curandGenerator_t generator, unsigned long long*, std::size_t) {
  return generator == nullptr ? CURAND_STATUS_NOT_INITIALIZED : CURAND_STATUS_TYPE_ERROR;
}

curandStatus_t curandGenerateUniform(curandGenerator_t generator, float* out, std::size_t count) {
  return generate(generator, out, count, [](Generator& numbers, std::span<float> part) { numbers.uniform(part); });
}

curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double* out, std::size_t count) {
  return generate(generator, out, count, [](Generator& numbers, std::span<double> part) { numbers.uniform(part); });
}

curandStatus_t curandGenerateNormal(curandGenerator_t generator, float* out, std::size_t count, float mean,
                                    float deviation) {
  return generate_normal(generator, out, count, mean, deviation, false);
}

curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double* out, std::size_t count, double mean,
                                          double deviation) {
  return generate_normal(generator, out, count, mean, deviation, false);
}

curandStatus_t curandGenerateLogNormal(curandGenerator_t generator, float* out, std::size_t count, float mean,
                                       float deviation) {
  return generate_normal(generator, out, count, mean, deviation, true);
}

curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t generator, double* out, std::size_t count, double mean,
                                             double deviation) {
  return generate_normal(generator, out, count, mean, deviation, true);
}

curandStatus_t curandGeneratePoisson(curandGenerator_t generator, unsigned* out, std::size_t count, double lambda) {
  if (!(lambda > 0) || lambda > heddle::random::kMostLambda) return CURAND_STATUS_OUT_OF_RANGE;
  return generate(generator, out, count,
                  [lambda](Generator& numbers, std::span<unsigned> part) { numbers.poisson(part, lambda); });
}

// -- distributions for kernels

curandStatus_t curandCreatePoissonDistribution(double lambda, curandDiscreteDistribution_t* distribution) {
  return api([&] {
    if (distribution == nullptr || !(lambda > 0) || lambda > heddle::random::kMostLambda) {
      return CURAND_STATUS_OUT_OF_RANGE;
    }
    const heddle::random::PoissonTable table = heddle::random::poisson_table(lambda);
    curandDiscreteDistribution_st header{};
    header.first = table.first;
    header.count = static_cast<unsigned>(table.cumulative.size());
    header.cumulative = sent_to_device(table.cumulative.data(), table.cumulative.size());
    if (header.cumulative == nullptr) return CURAND_STATUS_ALLOCATION_FAILED;
    *distribution = sent_to_device(&header, 1);
    if (*distribution != nullptr) return CURAND_STATUS_SUCCESS;
    cudaFree(const_cast<double*>(header.cumulative));
    return CURAND_STATUS_ALLOCATION_FAILED;
  });
}

curandStatus_t curandDestroyDistribution(curandDiscreteDistribution_t distribution) {
  curandDiscreteDistribution_st header{};
  if (distribution == nullptr ||
      cudaMemcpy(&header, distribution, sizeof header, cudaMemcpyDeviceToHost) != cudaSuccess) {
    return CURAND_STATUS_NOT_INITIALIZED;
  }
  cudaFree(const_cast<double*>(header.cumulative));
  cudaFree(distribution);
  return CURAND_STATUS_SUCCESS;
}

// -- Sobol sequences

curandStatus_t curandGetDirectionVectors32(curandDirectionVectors32_t*[], curandDirectionVectorSet_t) {
  return no_direction_vectors();
}
curandStatus_t curandGetDirectionVectors64(curandDirectionVectors64_t*[], curandDirectionVectorSet_t) {
  return no_direction_vectors();
}
curandStatus_t curandGetScrambleConstants32(unsigned**) { return no_direction_vectors(); }
curandStatus_t curandGetScrambleConstants64(unsigned long long**) { return no_direction_vectors(); }
