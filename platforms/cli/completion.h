// SPDX-License-Identifier: Apache-2.0
// Completion of the command line in bash, zsh and fish, from what the commands declare.
#pragma once

#include <string>
#include <vector>

#include "cli/catalogue.h"
#include "common/command_description.h"

namespace heddle::cli {

/// A subcommand with its arguments.
struct DescribedCommand {
  std::string name, sentence;
  CommandDescription description;
};
/// All subcommands, in the order of `heddle --help`.
std::vector<DescribedCommand> describe_commands();

/// A word that can be typed, and what it is.
struct CompletedWord {
  std::string word, sentence;
};

/// A key for --set.
struct CompletedKey {
  std::string key, sentence;
  std::vector<CompletedWord> values;  ///< if it takes one of a few names, or true and false
};

struct CompletionWords {
  std::vector<DescribedCommand> commands;
  std::vector<CompletedWord> machines;
  std::vector<CompletedKey> keys;
  std::vector<CompletedWord> mechanisms;
};
/// also: further commands, each with the words that may follow it: "test --fast --all".
CompletionWords completion_words(const std::vector<std::string>& also);

/// What the value of an option, or a positional argument, is.
enum class ValueKind { flag, none, file, machine, setting, topic, choice };
ValueKind value_kind(const CommandArgument& argument);
/// The positional argument of a command; null when it takes none.
const CommandArgument* positional(const CommandDescription& description);

/// Scripts for the shells, which define and register the completion of heddle and heddle-cc.
std::string bash_completion(const CompletionWords& words);
std::string zsh_completion(const CompletionWords& words);
std::string fish_completion(const CompletionWords& words);

/// `text` in single quotes for bash and zsh.
std::string shell_quoted(const std::string& text);

}  // namespace heddle::cli
