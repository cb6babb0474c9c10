// SPDX-License-Identifier: Apache-2.0
// A machine loaded from its JSON description, and its selection on a command line.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/config/configuration.h"
#include "gpu/device.h"

namespace heddle {

namespace gpu {
struct MachineParameters;
}
using gpu::MachineParameters;
/// A machine selection: --machine, then every --set in order.
using MachineChoice = gpu::MachineRequest;

/// A path in its shorthand form, as used in messages and by `heddle explain`.
std::string short_path(const std::string& path);

/// A loaded and locked description. Who looks into the parameters includes gpu/gpu_parameters.h.
class LoadedMachine {
 public:
  LoadedMachine();
  ~LoadedMachine();

 private:
  const std::unique_ptr<MachineParameters> held_;

 public:
  MachineParameters& parameters;
  Configuration configuration;
};
/// Throws Error(kConfiguration) or Error(kIo).
std::unique_ptr<LoadedMachine> load_machine(const MachineChoice& choice);

/// Every parameter of a machine, with its default.
std::vector<ParameterEntry> list_machine_parameters();
/// The groups they are in.
std::vector<GroupEntry> list_machine_groups();
/// The JSON Schema of machine descriptions.
std::string machine_schema();

}  // namespace heddle
