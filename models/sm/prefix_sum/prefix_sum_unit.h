// SPDX-License-Identifier: Apache-2.0
// What sums predicates over lanes: the interface behind which the model and RTL stand. The key sm.blocks.prefix_sum
// names one.
#pragma once

#include <cstdint>

#include "isa/prefix_sum.h"

namespace heddle::sm {

struct BlockSite;

class PrefixSumUnit {
 public:
  /// lanes: a power of two, 2 .. 64.
  using MakeArguments = void(unsigned lanes, const BlockSite& site);
  virtual ~PrefixSumUnit() = default;
  /// predicates: bit i is lane i; bits beyond the lanes do not count.
  virtual isa::PrefixSums sum(std::uint64_t predicates) = 0;
};

}  // namespace heddle::sm
