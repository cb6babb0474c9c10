// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/gpu.h"

namespace heddle::random {

/// A variation of a published machine: `heddle run --machine MACHINE --set SETTING ...` runs programs on it.
struct GeneratedMachine {
  std::string label;  ///< its kind: machines of one label are counted together
  std::string machine;
  std::vector<std::string> settings;
  gpu::BuildOptions options;
};

/// A seed always gives the same machine. Some are illegal; those refused by the configuration do not count.
GeneratedMachine generate_machine(std::uint64_t seed);
/// Every preset of the folder as published, and a random machine for every registered grouping in every pipeline shape.
/// Shapes that a grouping does not support are refused.
std::vector<GeneratedMachine> every_machine(std::uint64_t seed);

}  // namespace heddle::random
