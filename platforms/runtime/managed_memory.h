// SPDX-License-Identifier: Apache-2.0
// Hints for ranges of managed memory.
#pragma once

#include <cstdint>
#include <map>

#include "cuda_runtime_api.h"

namespace heddle::runtime {

/// Maps every address to a number; later ranges overwrite earlier ones.
class RangeValues {
 public:
  /// unset: value of uncovered addresses.
  explicit RangeValues(int unset) : unset_(unset) {}
  void set(std::uint64_t begin, std::uint64_t end, int value);
  /// The common value of [begin, end); `unset` when values differ.
  int common(std::uint64_t begin, std::uint64_t end) const;
  void clear() { ranges_.clear(); }

 private:
  int at(std::uint64_t address) const;

  int unset_;
  std::map<std::uint64_t, int> ranges_;  ///< begin -> value, up to the next begin
};

/// Locations are device 0, cudaCpuDeviceId or cudaInvalidDeviceId.
struct ManagedHints {
  RangeValues read_mostly{0};
  RangeValues preferred{cudaInvalidDeviceId}, accessed_by{cudaInvalidDeviceId}, prefetched{cudaInvalidDeviceId};

  void clear() {
    for (RangeValues* values : {&read_mostly, &preferred, &accessed_by, &prefetched}) values->clear();
  }
};

}  // namespace heddle::runtime
