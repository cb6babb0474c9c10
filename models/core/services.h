// SPDX-License-Identifier: Apache-2.0
// What every module of a machine reports to: its statistics, its declared structures, its probes. One object a machine,
// handed to constructors beside the parameters.
#pragma once

#include "core/probe.h"
#include "core/statistics.h"
#include "core/structure.h"

namespace heddle {

struct Services {
  Statistics statistics;
  Structures structures;
  Probes probes;
};

}  // namespace heddle
