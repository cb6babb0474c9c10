// SPDX-License-Identifier: Apache-2.0
// Replacement policies. A policy is one self-registering file under replacement/.
#pragma once

#include <cstdint>

#include "core/config/mechanism.h"

namespace heddle::memory {

/// Shape of the cache a policy serves. ways: 1 .. 64.
struct ReplacementGeometry {
  unsigned sets = 1, ways = 1;
  std::uint64_t seed = 0;  ///< for random policies
};

class Replacement {
 public:
  using MakeArguments = void(const ReplacementGeometry&);
  virtual ~Replacement() = default;
  /// A line was hit.
  virtual void touched(unsigned set, unsigned way) = 0;
  /// A line was allocated.
  virtual void filled(unsigned set, unsigned way) = 0;
  /// Selects the victim way. candidates: bit per evictable way, not zero. Changes no state, as the eviction may not
  /// happen.
  virtual unsigned victim(unsigned set, std::uint64_t candidates) const = 0;
};

}  // namespace heddle::memory
