// SPDX-License-Identifier: Apache-2.0
// A machine loaded from its JSON description, and its selection on a command line.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "core/config/configuration.h"
#include "gpu/timing_machine.h"

namespace heddle {

using gpu::MachineParameters;
/// A machine selection: --machine, then every --set in order.
using MachineChoice = gpu::MachineRequest;

/// A path in its shorthand form, as used in messages and by `heddle explain`.
std::string short_path(const std::string& path);

/// A loaded and locked description. Throws Error(kConfiguration) or Error(kIo).
struct LoadedMachine {
  MachineParameters parameters;
  Configuration configuration{parameters};
};
std::unique_ptr<LoadedMachine> load_machine(const MachineChoice& choice);

}  // namespace heddle
