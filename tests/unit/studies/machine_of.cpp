// SPDX-License-Identifier: Apache-2.0
#include "machine_of.h"

#include "core/config/configuration.h"
#include "gpu/device.h"
#include "gpu/machine_selection.h"

namespace heddle::studies {

gpu::MachineParameters machine_of(const std::string& preset, const std::vector<std::string>& settings) {
  gpu::MachineParameters machine;
  Configuration configuration(machine);
  gpu::load_machine(machine, configuration, {preset, settings});
  return machine;
}

sm::SmParameters sm_of(const std::string& preset, const std::vector<std::string>& settings) {
  return machine_of(preset, settings).gpu.sm_classes.front().sm;
}

}  // namespace heddle::studies
