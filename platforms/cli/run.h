// SPDX-License-Identifier: Apache-2.0
// `heddle run [options] ./app arguments`: starts a CUDA program on the model. The program replaces this process, so
// that its streams, arguments, environment, folder and exit status are its own; options travel in environment
// variables.
#pragma once

namespace heddle::cli {

/// Returns only when the program could not be started; then the process exit status.
int run(int argc, char** argv);

/// `heddle check [options] ./app arguments`: the same, functionally, four threads at a time, with a report of what
/// races, and of what depends on threads of a warp running in lock step.
int check(int argc, char** argv);

}  // namespace heddle::cli
