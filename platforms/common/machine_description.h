// SPDX-License-Identifier: Apache-2.0
// A machine as its JSON describes it, and how a command line chooses one.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "core/configuration.h"
#include "gpu/timing_machine.h"

namespace heddle {

using gpu::MachineParameters;
/// What chose a machine and changed it: --machine, then every --set in order.
using MachineChoice = gpu::MachineRequest;

/// A path with its shorthand, as messages and `heddle explain` write it.
std::string short_path(const std::string& path);

/// A loaded and locked description. Throws Error(kConfiguration) or Error(kIo).
struct LoadedMachine {
  MachineParameters parameters;
  Configuration configuration{parameters};
};
std::unique_ptr<LoadedMachine> load_machine(const MachineChoice& choice);

}  // namespace heddle
