// SPDX-License-Identifier: Apache-2.0
#include "common/machine_description.h"

#include "core/config/parameter_paths.h"

namespace heddle {

std::string short_path(const std::string& path) { return detail::shorten_path(gpu::parameter_aliases(), path); }

std::unique_ptr<LoadedMachine> load_machine(const MachineChoice& choice) {
  auto loaded = std::make_unique<LoadedMachine>();
  gpu::load_machine(loaded->parameters, loaded->configuration, choice);
  return loaded;
}

}  // namespace heddle
