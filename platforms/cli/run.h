// SPDX-License-Identifier: Apache-2.0
// `heddle run [options] ./app arguments`: starts a CUDA program on the model. The program replaces this process, so its
// streams, arguments, environment, directory and exit status are unaffected; options are passed in environment
// variables.
#pragma once

#include <string>
#include <vector>

namespace heddle::cli {

/// Returns only if the program could not be started, with the process exit status.
int run(int argc, char** argv);

/// `heddle check [options] ./app arguments`: the same, functionally, four threads at a time, with a report of races and
/// of reliance on lock-step execution of warps.
int check(int argc, char** argv);

/// A command that runs a program to record one file.
struct RecordedRun {
  std::string name, sentence, footer;  ///< of the command, for its help
  std::string recorder;                ///< gpu::FileRecorder by its registered name
  std::string option, what, file;      ///< of its file: option, what it is, default
  std::vector<std::string> settings;   ///< of the machine, unless the user sets others
};
/// The same as run() with this recorder and few options.
int run_recorded(const RecordedRun& recorded, int argc, char** argv);

}  // namespace heddle::cli
