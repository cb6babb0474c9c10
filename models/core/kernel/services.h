// SPDX-License-Identifier: Apache-2.0
// Machine-wide services that modules report to: statistics, declared structures, probes. One object per machine, passed
// to constructors along with the parameters.
#pragma once

#include <string>

#include "core/statistics/statistics.h"
#include "core/trace/probe.h"
#include "core/trace/structure.h"

namespace heddle {

struct Services {
  Statistics statistics;
  Structures structures;
  Probes probes;
  /// Folder for files written by modules (the waveform of a difference); empty: the current folder.
  std::string results_folder;
};

}  // namespace heddle
