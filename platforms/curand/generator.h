// SPDX-License-Identifier: Apache-2.0
// A generator of the host API: fills host memory with numbers of one kind, continuing after the last call.
#pragma once

#include <curand.h>

#include <cstdint>
#include <memory>
#include <span>

namespace heddle::random {

/// Options that determine a sequence. Changing one restarts it.
struct SequenceOptions {
  unsigned long long seed = 0;
  unsigned long long offset = 0;  ///< numbers to skip at the start
  curandOrdering_t ordering = CURAND_ORDERING_PSEUDO_DEFAULT;
};

class Generator {
 public:
  virtual ~Generator() = default;

  virtual bool takes_offset() const { return true; }
  /// Sets the state to the start of a sequence.
  virtual void start(const SequenceOptions& options) = 0;

  virtual void bits(std::span<unsigned> out) = 0;
  virtual void uniform(std::span<float> out) = 0;
  virtual void uniform(std::span<double> out) = 0;
  /// Requires an even count, as normal numbers come in pairs.
  virtual void normal(std::span<float> out, float mean, float deviation) = 0;
  virtual void normal(std::span<double> out, double mean, double deviation) = 0;
  virtual void poisson(std::span<unsigned> out, double lambda) = 0;
};

/// Null for an unsupported type.
std::unique_ptr<Generator> make_generator(curandRngType_t type);

}  // namespace heddle::random
