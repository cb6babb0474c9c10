// SPDX-License-Identifier: Apache-2.0
// The parts of a machine that sleep as a whole, so that a waveform need not read their signals in every cycle: SMs,
// their stages and caches, slices of the L2, memory controllers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/statistics/sampling.h"
#include "core/trace/vcd.h"

namespace heddle::sm {
class Sm;
}

namespace heddle::gpu {

struct RecordedMachine;

class WaveformParts {
 public:
  /// Construct before the first observer that reads signals; outlives the recording.
  explicit WaveformParts(const RecordedMachine& machine);

  const std::vector<WaveformPart>& all() const { return parts_; }

 private:
  void add_sms(ClockDomain& domain, const std::vector<sm::Sm*>& sms);
  /// The modules of the memory side that are called by this clock and show something.
  void add_memory(ClockDomain& domain, const RecordedMachine& machine);

  std::vector<std::unique_ptr<StageActivity>> of_sms_;
  std::vector<std::unique_ptr<ModuleActivity>> of_memory_;
  std::vector<WaveformPart> parts_;
};

}  // namespace heddle::gpu
