// SPDX-License-Identifier: Apache-2.0
#include "common/machine_description.h"

#include "core/parameter_paths.h"

namespace heddle {

void MachineDescription::describe(ParameterVisitor& v) {
  v("seed", seed, "the only source of randomness");
  v("gpu", gpu, "the GPU");
}

const std::map<std::string, std::string>& parameter_aliases() {
  static const std::map<std::string, std::string> aliases = {{"sm", "gpu.sm_classes.*.sm"}};
  return aliases;
}

std::string short_path(const std::string& path) { return detail::shorten_path(parameter_aliases(), path); }

std::unique_ptr<LoadedMachine> load_machine(const MachineChoice& choice) {
  auto loaded = std::make_unique<LoadedMachine>();
  Configuration& configuration = loaded->configuration;
  configuration.search(preset_directories());
  for (const auto& [shorthand, target] : parameter_aliases()) configuration.alias(shorthand, target);
  configuration.load_machine(choice.machine.empty() ? kDefaultMachine : choice.machine);
  for (const auto& assignment : choice.overrides) configuration.set(assignment);
  configuration.lock();
  return loaded;
}

}  // namespace heddle
