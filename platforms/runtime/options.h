// SPDX-License-Identifier: Apache-2.0
// Options of a run. `heddle run` passes them to the runtime library in environment variables.
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
  bool check = false;                  ///< check for reliance on lock step and for races; functional
  bool check_global = false;           ///< check for races in global memory too
  std::string output;                  ///< results folder; empty: none
  bool force = false;                  ///< results and recordings may replace existing files
  NumberRanges timing_kernels;         ///< empty: all
  NumberRanges skip_kernels;           ///< run these functionally even if otherwise timed
  std::uint64_t max_instructions = 0;  ///< thread-instructions of the whole run; 0: no limit
  std::uint64_t max_cycles = 0;        ///< 0: no limit
  unsigned threads = 1;                ///< as in gpu::BuildOptions
  unsigned thread_cycles = 16;         ///< as in gpu::BuildOptions
  bool low_memory = false;             ///< device memory in the lowest 2 GiB, for 32-bit addresses
  bool quiet = false;                  ///< no progress, no closing line
  bool live = false;                   ///< live view of the machine while a long kernel runs
  gpu::RecordingRequest recording;     ///< waveform and time series

  /// True when launch number `launch` (from 1) is to be timed.
  bool timed(std::uint64_t launch) const;
};

/// An environment variable that passes an option.
struct OptionVariable {
  std::string name, sentence;
};
/// HEDDLE_MACHINE and the other variables, for `heddle run` and the reference page.
std::vector<OptionVariable> option_variables();
/// The variable that passes the file of a registered gpu::FileRecorder.
std::string variable_of_recorder(const std::string& name);

/// Refuses a run whose results or recordings could not be written, or would replace existing files without `force`.
/// option: how the user allows the latter. Throws Error(kIo) that names the file.
void check_outputs(const Options& options, const std::string& option);

/// Reads the environment. Throws Error(kUsage) that names the variable when a value is malformed.
Options options_from_environment();

}  // namespace heddle::runtime
