// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/gpu.h"

namespace heddle::random {

/// A machine near a published one: `heddle run --machine MACHINE --set SETTING ...` runs programs on it.
struct GeneratedMachine {
  std::string label;  ///< its kind: machines of one label are counted together
  std::string machine;
  std::vector<std::string> settings;
  gpu::BuildOptions options;
};

/// The same seed gives the same machine. Not every one is legal: what the configuration refuses does not count.
GeneratedMachine generate_machine(std::uint64_t seed);
/// Every preset of the folder as published, and a random machine of every registered grouping in every shape of the
/// pipeline. Shapes that a grouping does not run in are refused.
std::vector<GeneratedMachine> every_machine(std::uint64_t seed);

}  // namespace heddle::random
