// SPDX-License-Identifier: Apache-2.0
#include "common/machine_description.h"

#include "core/config/parameter_paths.h"
#include "gpu/gpu_parameters.h"
#include "gpu/machine_selection.h"

namespace heddle {

std::string short_path(const std::string& path) { return detail::shorten_path(gpu::parameter_aliases(), path); }

LoadedMachine::LoadedMachine()
    : held_(std::make_unique<MachineParameters>()), parameters(*held_), configuration(parameters) {}
LoadedMachine::~LoadedMachine() = default;

std::unique_ptr<LoadedMachine> load_machine(const MachineChoice& choice) {
  auto loaded = std::make_unique<LoadedMachine>();
  gpu::load_machine(loaded->parameters, loaded->configuration, choice);
  return loaded;
}

std::vector<ParameterEntry> list_machine_parameters() {
  MachineParameters defaults;
  return list_parameters(defaults);
}

std::vector<GroupEntry> list_machine_groups() {
  MachineParameters defaults;
  return list_parameter_groups(GroupReference(defaults));
}

std::string machine_schema() {
  MachineParameters defaults;
  return parameter_schema(GroupReference(defaults), gpu::parameter_aliases());
}

}  // namespace heddle
