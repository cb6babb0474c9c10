// SPDX-License-Identifier: Apache-2.0
// A generator of the host API: fills host memory with numbers of one kind, going on where the last call ended.
#pragma once

#include <curand.h>

#include <cstdint>
#include <memory>
#include <span>

namespace heddle::random {

/// What decides a sequence. A change starts it again.
struct SequenceOptions {
  unsigned long long seed = 0;
  unsigned long long offset = 0;  ///< numbers to leave out at the start
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
  /// An even count: normal numbers come in pairs.
  virtual void normal(std::span<float> out, float mean, float deviation) = 0;
  virtual void normal(std::span<double> out, double mean, double deviation) = 0;
  virtual void poisson(std::span<unsigned> out, double lambda) = 0;
};

/// Null when there is no generator of the type.
std::unique_ptr<Generator> make_generator(curandRngType_t type);

}  // namespace heddle::random
