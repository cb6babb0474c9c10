// SPDX-License-Identifier: Apache-2.0
// The script for zsh: works in a folder of $fpath and when it is sourced.
#include <fmt/ranges.h>

#include "cli/completion.h"

namespace heddle::cli {
namespace {

constexpr const char* kZshFunctions = R"sh(
# Keys, level by level as folders are; $1: what follows a whole key.
_heddle_keys_from() {
  local key rest beginning=$PREFIX
  local -aU groups
  local -a whole
  for key in ${(k)_heddle_keys}; do
    [[ $key == ${(b)beginning}* ]] || continue
    rest=${key#${(b)beginning}}
    if [[ $rest == *.* ]]; then
      groups+=($beginning${rest%%.*}.)
    else
      whole+=("${key//:/\\:}:${_heddle_keys[$key]}")
    fi
  done
  (( $#groups )) && compadd -S '' -- $groups
  (( $#whole )) && _describe -t keys key whole -S "$1"
}

_heddle_settings() {
  if [[ $PREFIX == *=* ]]; then
    local values=$_heddle_values[${PREFIX%%=*}]
    compset -P 1 '*='
    compadd -- ${=values}
  else
    _heddle_keys_from =
  fi
}

_heddle_topics() {
  _heddle_keys_from ' '
  [[ $PREFIX == *.* ]] || compadd -- $_heddle_mechanisms
}

_heddle_machines() {
  _describe -t machines machine _heddle_presets
  _files -g '*.json'
}

_heddle() {
  local curcontext=$curcontext state
  local -a line
  typeset -A opt_args
  if [[ $service == heddle-cc ]]; then
    _heddle_arguments_of_cc
    return
  fi
  _arguments -C '(- *)'{-h,--help}'[list the commands]' '(- *)--version[print the version]' \
    '1:command:->command' '*::argument:->argument'
  case $state in
    command) _describe -t commands command _heddle_commands ;;
    argument) (( $+functions[_heddle_arguments_of_$words[1]] )) && _heddle_arguments_of_$words[1] ;;
  esac
}

if [[ $funcstack[1] == _heddle ]]; then
  _heddle "$@"
else
  compdef _heddle heddle heddle-cc
fi
)sh";

/// A text within a specification of _arguments.
std::string zsh_escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

/// "message:action" for a value.
std::string action(const CommandArgument& argument) {
  switch (value_kind(argument)) {
    case ValueKind::machine:
      return "machine:_heddle_machines";
    case ValueKind::setting:
      return "setting:_heddle_settings";
    case ValueKind::topic:
      return "topic:_heddle_topics";
    case ValueKind::choice:
      return fmt::format("value:({})", fmt::join(argument.choices, " "));
    case ValueKind::none:
      return "number: ";
    case ValueKind::flag:
    case ValueKind::file:
      break;
  }
  return "file:_files";
}

/// The specifications of an option, one for each of its names.
std::string option_specifications(const CommandArgument& argument) {
  std::string text;
  const bool flag = value_kind(argument) == ValueKind::flag;
  for (const std::string& option : argument.options) {
    const std::string others = argument.many ? "*" : fmt::format("({})", fmt::join(argument.options, " "));
    // "=": the value follows in the same word, or in the next.
    std::string spec = others + option + (!flag && option.size() > 2 ? "=" : "");
    spec += "[" + zsh_escaped(argument.sentence) + "]";
    if (!flag) spec += ":" + action(argument);
    text += " \\\n    " + shell_quoted(spec);
  }
  return text;
}

std::string entry(const CompletedWord& word) {
  return "  " + shell_quoted(zsh_escaped(word.word) + ":" + word.sentence) + "\n";
}

}  // namespace

std::string zsh_completion(const CompletionWords& words) {
  std::string commands, machines, mechanisms, keys, values, functions;
  for (const DescribedCommand& command : words.commands) {
    commands += entry({command.name, command.sentence});
    functions += fmt::format("\n_heddle_arguments_of_{}() {{\n  _arguments{}", command.name,
                             command.description.runs_program ? " -A '-*'" : "");
    for (const CommandArgument& argument : command.description.arguments) functions += option_specifications(argument);
    const CommandArgument* const argument = positional(command.description);
    if (command.description.runs_program) {
      functions += " \\\n    '1:program:_files' '*:argument:_files'";
    } else if (argument != nullptr) {
      functions += fmt::format(" \\\n    {}", shell_quoted((argument->many ? "*:" : "1:") + action(*argument)));
    }
    functions += "\n}\n";
  }
  for (const CompletedWord& machine : words.machines) machines += entry(machine);
  for (const CompletedWord& mechanism : words.mechanisms) mechanisms += " " + mechanism.word;
  for (const CompletedKey& key : words.keys) {
    keys += fmt::format("  {} {}\n", shell_quoted(key.key), shell_quoted(key.sentence));
    if (key.values.empty()) continue;
    std::string names;
    for (const CompletedWord& value : key.values) names += (names.empty() ? "" : " ") + value.word;
    values += fmt::format("  {} {}\n", shell_quoted(key.key), shell_quoted(names));
  }
  return fmt::format(
      "#compdef heddle heddle-cc\n# Completion of heddle in zsh; written by `heddle completion zsh`.\n\n"
      "typeset -ga _heddle_commands=(\n{})\ntypeset -ga _heddle_presets=(\n{})\n"
      "typeset -ga _heddle_mechanisms=({})\ntypeset -gA _heddle_keys=(\n{})\ntypeset -gA _heddle_values=(\n{})\n{}{}",
      commands, machines, mechanisms, keys, values, functions, kZshFunctions);
}

}  // namespace heddle::cli
