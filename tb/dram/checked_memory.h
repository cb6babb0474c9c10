// SPDX-License-Identifier: Apache-2.0
// The channel description given to the command checker: parameter names and values only, nothing of the model.
#pragma once

#include <string>

#include "core/config/configuration.h"
#include "memory/dram/dram_parameters.h"
#include "tb/dram/command_checker.h"

namespace heddle::tb {

inline CheckedMemory checked_memory(memory::DramParameters parameters) {
  Configuration configuration(parameters);
  CheckedMemory memory;
  memory.standard = parameters.standard.name();
  memory.ranks = parameters.geometry.ranks;
  memory.bank_groups = parameters.geometry.bank_groups;
  memory.banks_per_group = parameters.geometry.banks_per_group;
  memory.refresh = parameters.refresh.name();
  const std::string prefix = memory.standard + ".";
  for (const auto& [path, value] : configuration.values()) {
    if (path == memory.refresh + ".postpone") memory.postpone = std::stoll(value);
    if (path == memory.refresh + ".pull_in") memory.pull_in = std::stoll(value);
    if (path.rfind(prefix, 0) != 0) continue;
    const std::string name = path.substr(prefix.size());
    if (name == "activate_to_refresh") {
      memory.refresh_as_activate = value == "\"tRRD\"";  // JSON text
    } else {
      memory.timings[name] = std::stoll(value);
    }
  }
  return memory;
}

}  // namespace heddle::tb
