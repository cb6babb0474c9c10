// SPDX-License-Identifier: Apache-2.0
// The script for bash: tables, and a function that does not depend on those of the package bash-completion.
#include <fmt/ranges.h>

#include <iterator>

#include "cli/completion.h"

namespace heddle::cli {
namespace {

constexpr const char* kBashFunctions = R"sh(
# Keys, level by level as folders are; $1: beginning, $2: what follows a whole key.
_heddle_keys_from() {
  local key rest
  local -A seen=()
  for key in "${_heddle_keys[@]}"; do
    [[ $key == "$1"* ]] || continue
    rest=${key#"$1"}
    if [[ $rest == *.* ]]; then key=$1${rest%%.*}.; else key+=$2; fi
    [[ ${seen[$key]:-} ]] || COMPREPLY+=("$key")
    seen[$key]=1
  done
}

# $1: what is to be completed, as in the tables; $2: its beginning.
_heddle_complete() {
  local REPLY=
  case $1 in
    machine) mapfile -t COMPREPLY < <(compgen -W "$_heddle_machines" -- "$2") ;;
    'choice '*) mapfile -t COMPREPLY < <(compgen -W "${1#choice }" -- "$2") ;;
    setting)
      if [[ $2 == *=* ]]; then
        _heddle_values_of "${2%%=*}"
        mapfile -t COMPREPLY < <(compgen -P "${2%%=*}=" -W "$REPLY" -- "${2#*=}")
      else
        _heddle_keys_from "$2" =
      fi ;;
    topic)
      _heddle_keys_from "$2" ''
      [[ $2 == *.* ]] || mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W "$_heddle_mechanisms" -- "$2") ;;
    none) compopt +o default ;;
  esac
}

_heddle() {
  local at word glue= words=() command wants= arguments=0 REPLY= typed i
  COMPREPLY=()
  # Bash splits words at '=', if COMP_WORDBREAKS says so; here they are whole.
  for ((at = 0; at <= COMP_CWORD; ++at)); do
    word=${COMP_WORDS[at]}
    if ((at > 1)) && [[ $word == = || $glue ]]; then
      words[-1]+=$word
      glue=
      [[ $word != = ]] || glue=1
    else
      words+=("$word")
    fi
  done
  typed=${words[-1]}
  at=2
  if [[ ${words[0]##*/} == *heddle-cc* ]]; then
    command=cc at=1
  elif ((${#words[@]} <= 2)); then
    mapfile -t COMPREPLY < <(compgen -W "$_heddle_commands --help --version" -- "$typed")
    return
  else
    command=${words[1]}
  fi
  for ((; at < ${#words[@]} - 1; ++at)); do
    word=${words[at]}
    if [[ $wants ]]; then
      wants=
    elif [[ $word == -* && $word != *=* ]]; then
      _heddle_value_of "$command" "$word"
      [[ $REPLY == flag ]] || wants=$REPLY
    elif [[ $word != -* ]]; then
      ((++arguments))
    fi
  done
  _heddle_argument_of "$command"
  if [[ $wants ]]; then
    _heddle_complete "$wants" "$typed"
  elif [[ $REPLY == program ]] && ((arguments)); then
    return  # the program's own arguments
  elif [[ $typed == -*=* ]]; then
    _heddle_value_of "$command" "${typed%%=*}"
    _heddle_complete "$REPLY" "${typed#*=}"
    COMPREPLY=("${COMPREPLY[@]/#/${typed%%=*}=}")
  elif [[ $typed == -* || ( $REPLY == none && -z $typed ) ]]; then
    _heddle_options_of "$command"
    mapfile -t COMPREPLY < <(compgen -W "$REPLY" -- "$typed")
  else
    _heddle_complete "$REPLY" "$typed"
  fi
  # The shell completes only what follows the last '=' of the words that it has split.
  if [[ $typed == *=* && $COMP_WORDBREAKS == *=* ]]; then
    word=${typed%"${typed##*=}"}
    for i in "${!COMPREPLY[@]}"; do COMPREPLY[i]=${COMPREPLY[i]#"$word"}; done
  fi
  [[ ${#COMPREPLY[@]} != 1 || ${COMPREPLY[0]} != *[.=] ]] || compopt -o nospace
}

complete -o default -F _heddle heddle heddle-cc
)sh";

std::string kind_text(const CommandArgument& argument) {
  switch (value_kind(argument)) {
    case ValueKind::flag:
      return "flag";
    case ValueKind::none:
      return "none";
    case ValueKind::file:
      return "file";
    case ValueKind::machine:
      return "machine";
    case ValueKind::setting:
      return "setting";
    case ValueKind::topic:
      return "topic";
    case ValueKind::choice:
      return fmt::format("choice {}", fmt::join(argument.choices, " "));
  }
  return "file";
}

std::string joined(const std::vector<CompletedWord>& words) {
  std::string text;
  for (const CompletedWord& word : words) text += (text.empty() ? "" : " ") + word.word;
  return text;
}

/// A function that sets REPLY by a case statement.
class Table {
 public:
  Table(const std::string& name, const std::string& subject)
      : text_(fmt::format("{}() {{\n  case {} in\n", name, subject)) {}
  void row(const std::string& patterns, const std::string& reply) {
    fmt::format_to(std::back_inserter(text_), "    {}) REPLY={} ;;\n", patterns, shell_quoted(reply));
  }
  std::string finish(const std::string& otherwise) {
    row("*", otherwise);
    return text_ + "  esac\n}\n";
  }

 private:
  std::string text_;
};

}  // namespace

std::string bash_completion(const CompletionWords& words) {
  std::string commands, keys;
  Table options("_heddle_options_of", "$1"), values("_heddle_value_of", "\"$1 $2\""),
      arguments("_heddle_argument_of", "$1"), key_values("_heddle_values_of", "$1");
  for (const DescribedCommand& command : words.commands) {
    commands += (commands.empty() ? "" : " ") + command.name;
    std::string names;
    for (const CommandArgument& argument : command.description.arguments) {
      std::string patterns;
      for (const std::string& option : argument.options) {
        names += (names.empty() ? "" : " ") + option;
        patterns += (patterns.empty() ? "" : "|") + shell_quoted(command.name + " " + option);
      }
      if (!patterns.empty() && value_kind(argument) != ValueKind::flag) values.row(patterns, kind_text(argument));
    }
    options.row(command.name, names);
    const CommandArgument* const argument = positional(command.description);
    const std::string kind = command.description.runs_program ? "program"
                             : argument != nullptr            ? kind_text(*argument)
                                                              : "none";
    if (kind != "none") arguments.row(command.name, kind);
  }
  for (const CompletedKey& key : words.keys) {
    keys += "  " + shell_quoted(key.key) + "\n";
    if (!key.values.empty()) key_values.row(shell_quoted(key.key), joined(key.values));
  }
  return fmt::format(
      "# Completion of heddle in bash; written by `heddle completion bash`.\n\n"
      "_heddle_commands={}\n_heddle_machines={}\n_heddle_mechanisms={}\n_heddle_keys=(\n{})\n\n{}{}{}{}{}",
      shell_quoted(commands), shell_quoted(joined(words.machines)), shell_quoted(joined(words.mechanisms)), keys,
      options.finish(""), values.finish("flag"), arguments.finish("none"), key_values.finish(""), kBashFunctions);
}

}  // namespace heddle::cli
