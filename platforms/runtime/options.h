// SPDX-License-Identifier: Apache-2.0
// What a run was asked for. `heddle run` passes it to the runtime library in environment variables.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/number_ranges.h"
#include "gpu/recording/recording_request.h"

namespace heddle::runtime {

struct Options {
  std::string machine;                 ///< preset or file; empty: the default machine
  std::vector<std::string> settings;   ///< "path=value" in order
  std::vector<std::string> plugins;    ///< shared libraries with mechanisms
  bool functional = false;             ///< no kernel is timed
  bool check = false;                  ///< look for what depends on lock step, and for races; functional
  bool check_global = false;           ///< for races in global memory too
  std::string output;                  ///< folder of results; empty: none are written
  NumberRanges timing_kernels;         ///< empty: all
  NumberRanges skip_kernels;           ///< run functionally although timed otherwise
  std::uint64_t max_instructions = 0;  ///< thread-instructions of the whole run; 0 is no limit
  std::uint64_t max_cycles = 0;        ///< 0 is no limit
  bool low_memory = false;             ///< device memory in the lowest 2 GiB, for addresses of 32 bits
  bool quiet = false;                  ///< no progress, no closing line
  bool live = false;                   ///< a view of the machine while a long kernel runs
  gpu::RecordingRequest recording;     ///< waveform and time series

  /// True when launch number `launch` (from 1) is to be timed.
  bool timed(std::uint64_t launch) const;
};

/// One environment variable a run is told by.
struct OptionVariable {
  const char* name;
  const char* sentence;
};
/// HEDDLE_MACHINE and its kin, for `heddle run` and the reference page.
const std::vector<OptionVariable>& option_variables();

/// Reads the environment. Throws Error(kUsage) that names the variable when a value is malformed.
Options options_from_environment();

}  // namespace heddle::runtime
