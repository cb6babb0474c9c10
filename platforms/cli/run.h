// SPDX-License-Identifier: Apache-2.0
// `heddle run [options] ./app arguments`: starts a CUDA program on the model. The program replaces this process, so its
// streams, arguments, environment, directory and exit status are unaffected; options are passed in environment
// variables.
#pragma once

namespace heddle::cli {

/// Returns only if the program could not be started, with the process exit status.
int run(int argc, char** argv);

/// `heddle check [options] ./app arguments`: the same, functionally, four threads at a time, with a report of races and
/// of reliance on lock-step execution of warps.
int check(int argc, char** argv);

/// `heddle profile-loops [options] ./app arguments`: runs a program and writes a profile of its kernels' loops.
int profile_loops(int argc, char** argv);

}  // namespace heddle::cli
