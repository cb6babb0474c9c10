// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "common/command_line.h"

namespace heddle::cli {

/// Parses a subcommand's arguments (argv[0] is its name) and runs it. Reports usage errors and heddle::Error as one
/// message on standard error; returns the process exit status.
int run_command(CommandLine& app, int argc, char** argv, const std::function<void()>& action);

}  // namespace heddle::cli
