// SPDX-License-Identifier: Apache-2.0
// Which line of a set makes room. A policy is one file under replacement/, registered there.
#pragma once

#include <cstdint>

#include "core/config/mechanism.h"

namespace heddle::memory {

/// Shape of the cache a policy serves. ways: 1 .. 64.
struct ReplacementGeometry {
  unsigned sets = 1, ways = 1;
  std::uint64_t seed = 0;  ///< for policies that draw lots
};

class Replacement {
 public:
  using MakeArguments = void(const ReplacementGeometry&);
  virtual ~Replacement() = default;
  /// A line was hit.
  virtual void touched(unsigned set, unsigned way) = 0;
  /// A line was allocated.
  virtual void filled(unsigned set, unsigned way) = 0;
  /// The way that makes room. candidates: bit per way that may go, not zero. Changes no state: the line may yet stay.
  virtual unsigned victim(unsigned set, std::uint64_t candidates) const = 0;
};

}  // namespace heddle::memory
