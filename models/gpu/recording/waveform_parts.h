// SPDX-License-Identifier: Apache-2.0
// The parts of a machine that sleep as a whole, so that a waveform need not read their signals in every cycle: SMs,
// slices of the L2, memory controllers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/statistics/sampling.h"
#include "core/trace/vcd.h"

namespace heddle::gpu {

struct RecordedMachine;

class WaveformParts {
 public:
  /// Construct before the first observer that reads signals; outlives the recording.
  explicit WaveformParts(const RecordedMachine& machine);

  const std::vector<WaveformPart>& all() const { return parts_; }

 private:
  /// What the clock calls for the signals of a scope.
  struct Part {
    std::string scope;
    std::vector<const Clocked*> modules;
  };
  void add(ClockDomain& domain, const std::vector<Part>& parts);

  std::vector<std::unique_ptr<ModuleActivity>> activities_;
  std::vector<WaveformPart> parts_;
};

}  // namespace heddle::gpu
