// SPDX-License-Identifier: Apache-2.0
// Levels and adders of the prefix-sum network and of the work-efficient scan it was chosen over, 32 lanes, as JSON.
// Source: docs/sources/large-warps-and-database-search.md, 2.12.
#include <fmt/core.h>

#include "isa/prefix_sum.h"

int main() {
  constexpr unsigned kLanes = 32;
  const heddle::isa::PrefixSum prefix(kLanes);
  // Blelloch's scan: a tree of sums up, then the sums of what is before each node down; an adder a node each way.
  unsigned levels = 0, adders = 0;
  for (unsigned nodes = kLanes / 2; nodes != 0; nodes /= 2) {
    levels += 2;
    adders += 2 * nodes;
  }
  fmt::print("{{\"prefix\": {{\"levels\": {}, \"adders\": {}}}, \"work_efficient\": {{\"levels\": {}, \"adders\": {}}}}}\n",
             prefix.levels(), prefix.adders(), levels, adders);
  return 0;
}
