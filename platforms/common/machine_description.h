// SPDX-License-Identifier: Apache-2.0
// A machine as its JSON describes it: the root of all parameter groups, and how a command line chooses one.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/configuration.h"
#include "gpu/gpu_parameters.h"

namespace heddle {

struct MachineDescription {
  std::uint64_t seed = 1;
  gpu::GpuParameters gpu;

  void describe(ParameterVisitor& v);
};

/// Shorthands of parameter paths: `sm` is the SM of every class.
const std::map<std::string, std::string>& parameter_aliases();
/// A path with its shorthand, as messages and `heddle explain` write it.
std::string short_path(const std::string& path);

/// What chose a machine and changed it: --machine, then every --set in order.
struct MachineChoice {
  std::string machine;  ///< preset or file; empty: the default machine
  std::vector<std::string> overrides;
};
inline constexpr const char* kDefaultMachine = "gtx480";

/// A loaded and locked description. Throws Error(kConfiguration) or Error(kIo).
struct LoadedMachine {
  MachineDescription description;
  Configuration configuration{description};
};
std::unique_ptr<LoadedMachine> load_machine(const MachineChoice& choice);

}  // namespace heddle
