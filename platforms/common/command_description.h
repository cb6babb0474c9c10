// SPDX-License-Identifier: Apache-2.0
// What a command declares about its arguments, as data: for completion and the manual pages.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace heddle {

/// An option, or a positional argument.
struct CommandArgument {
  std::vector<std::string> options;  ///< "-m", "--machine"; empty: positional
  std::string name;                  ///< of a positional argument
  std::string sentence, group, default_value;
  std::string type;                  ///< of its value: TEXT, UINT; empty: a flag
  std::vector<std::string> choices;  ///< legal values; empty: any
  bool required = false, many = false;
};

struct CommandDescription {
  std::string sentence, footer;
  std::vector<CommandArgument> arguments;
  bool runs_program = false;  ///< what follows the options is a program and its arguments
};

/// What the command that `call` starts declares: within, CommandLine::parse describes the arguments instead of reading
/// them, as it prints them for --help. Empty for a command without a CommandLine.
CommandDescription describe_command(const std::function<void()>& call);

}  // namespace heddle
