// SPDX-License-Identifier: Apache-2.0
// What every module of a machine reports to: its statistics, its declared structures, its probes. One object a machine,
// handed to constructors beside the parameters.
#pragma once

#include <string>

#include "core/probe.h"
#include "core/statistics.h"
#include "core/structure.h"

namespace heddle {

struct Services {
  Statistics statistics;
  Structures structures;
  Probes probes;
  /// Where modules put files of their own (the waveform of a difference); empty: the current folder.
  std::string results_folder;
};

}  // namespace heddle
