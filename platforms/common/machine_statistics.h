// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/machine_description.h"
#include "core/statistics.h"
#include "core/structure.h"

namespace heddle {

/// What a machine keeps, as storage and logic.
struct MachineStructures {
  const Structures& structures;
  std::vector<std::string> class_of_sm;  ///< by number of the SM: a name that no other class has
};

/// Of a machine that is built, not run. Once a process, as below; the result owns the machine.
std::shared_ptr<const MachineStructures> machine_structures(const MachineChoice& choice);

/// What a machine would count: it is built, not run. Once a process, for SystemC elaborates once. The result owns the
/// machine.
std::shared_ptr<const Statistics> machine_statistics(const MachineChoice& choice);

}  // namespace heddle
