// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/machine_description.h"
#include "core/statistics/statistics.h"
#include "core/trace/structure.h"

namespace heddle {

/// The storage and logic structures of a machine.
struct MachineStructures {
  const Structures& structures;
  std::vector<std::string> class_of_sm;  ///< by SM number: a unique class name
};

/// Structures of a machine that is built but not run. Only once per process, as below; the result owns the machine.
std::shared_ptr<const MachineStructures> machine_structures(const MachineChoice& choice);

/// Statistics of a machine that is built but not run. Only once per process, as SystemC elaborates once. The result
/// owns the machine.
std::shared_ptr<const Statistics> machine_statistics(const MachineChoice& choice);

}  // namespace heddle
