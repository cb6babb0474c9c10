// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/gpu.h"

namespace heddle::random {

/// A machine near a published one: `heddle run --machine MACHINE --set SETTING ...` runs programs on it.
struct GeneratedMachine {
  std::string machine;
  std::vector<std::string> settings;
  gpu::BuildOptions options;
};

/// The same seed gives the same machine. Not every one is legal: what the configuration refuses does not count.
GeneratedMachine generate_machine(std::uint64_t seed);

}  // namespace heddle::random
