// SPDX-License-Identifier: Apache-2.0
// Interface of the unit that sums predicates over lanes, implemented by the model or RTL as chosen by the key
// sm.blocks.prefix_sum.
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
  /// predicates: bit i is lane i; bits beyond the lanes are ignored.
  virtual isa::PrefixSums sum(std::uint64_t predicates) = 0;
};

}  // namespace heddle::sm
