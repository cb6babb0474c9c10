// SPDX-License-Identifier: Apache-2.0
// The script for fish.
#include <fmt/ranges.h>

#include <iterator>

#include "cli/completion.h"

namespace heddle::cli {
namespace {

constexpr const char* kFishFunctions = R"sh(
# Whether the command is $argv[1], and what is typed is not yet an argument of a program that it runs. Without an
# argument: whether there is no command yet. $argv[2..]: options with a value, where a program follows.
function __heddle_in
    set -l words (commandline -opc)
    set -e words[1]
    if not set -q argv[1]
        not set -q words[1]
        return
    end
    test "$words[1]" = "$argv[1]"; or return 1
    set -q argv[2]; or return 0
    set -e words[1]
    set -l wants 0
    for word in $words
        if test $wants = 1
            set wants 0
        else if string match -q -- '-*' $word
            contains -- $word $argv[2..]; and set wants 1
        else
            return 1
        end
    end
    return 0
end

# Keys, or the values of the key that is typed.
function __heddle_settings
    set -l typed (string replace -r '^--set=' '' -- (commandline -ct))
    set -l key (string split -m 1 = -- $typed)[1]
    if string match -q '*=*' -- $typed
        __heddle_values | string match -e -- "$key=" | string match -- "$key=*"
    else
        __heddle_keys | string replace \t =\t
    end
end
)sh";

/// `text` in single quotes for fish.
std::string fish_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

/// A function that prints words with their descriptions.
std::string list_function(const std::string& name, const std::vector<CompletedWord>& words) {
  std::string text = fmt::format("\nfunction {}\n    printf '%s\\t%s\\n'", name);
  for (const CompletedWord& word : words)
    fmt::format_to(std::back_inserter(text), " \\\n        {} {}", fish_quoted(word.word), fish_quoted(word.sentence));
  return text + "\nend\n";
}

/// What `complete` needs to know about a value: "-x -a ..." or "-r".
std::string value_options(const CommandArgument& argument) {
  switch (value_kind(argument)) {
    case ValueKind::flag:
      return {};
    case ValueKind::none:
      return " -x";
    case ValueKind::machine:
      return " -r -a '(__heddle_machines)'";
    case ValueKind::setting:
      return " -x -a '(__heddle_settings)'";
    case ValueKind::topic:
      return " -x -a '(__heddle_keys; __heddle_mechanisms)'";
    case ValueKind::choice:
      return fmt::format(" -x -a {}", fish_quoted(fmt::format("{}", fmt::join(argument.choices, " "))));
    case ValueKind::file:
      return " -r";
  }
  return {};
}

/// "-s m -l machine" for "-m", "--machine"; "-o arch" for "-arch".
std::string names_of(const CommandArgument& argument) {
  std::string text;
  for (const std::string& option : argument.options) {
    if (option.starts_with("--")) {
      text += " -l " + option.substr(2);
    } else {
      text += (option.size() == 2 ? " -s " : " -o ") + option.substr(1);
    }
  }
  return text;
}

std::string command_completions(const DescribedCommand& command) {
  std::string text =
      fmt::format("\ncomplete -c heddle -n __heddle_in -f -a {} -d {}\n", command.name, fish_quoted(command.sentence));
  std::string condition = "__heddle_in " + command.name;
  if (command.description.runs_program) {
    for (const CommandArgument& argument : command.description.arguments) {
      if (!argument.type.empty()) condition += fmt::format(" {}", fmt::join(argument.options, " "));
    }
  }
  const std::string start = fmt::format("complete -c heddle -n {}", fish_quoted(condition));
  for (const CommandArgument& argument : command.description.arguments) {
    if (argument.options.empty()) continue;
    text += start + names_of(argument) + value_options(argument);
    if (!argument.sentence.empty()) text += " -d " + fish_quoted(argument.sentence);
    text += "\n";
  }
  const CommandArgument* const argument = positional(command.description);
  if (argument == nullptr && !command.description.runs_program) {
    text += start + " -f\n";
  } else if (argument != nullptr && value_kind(*argument) != ValueKind::file) {
    // Without "-r", which is for options: files are not wanted.
    text += start + " -f" + value_options(*argument).substr(3) + "\n";
  }
  return text;
}

}  // namespace

std::string fish_completion(const CompletionWords& words) {
  std::vector<CompletedWord> keys, values;
  for (const CompletedKey& key : words.keys) {
    keys.push_back({key.key, key.sentence});
    for (const CompletedWord& value : key.values) values.push_back({key.key + "=" + value.word, value.sentence});
  }
  std::string text = "# Completion of heddle in fish; written by `heddle completion fish`.\n";
  text += kFishFunctions;
  text += list_function("__heddle_machines", words.machines) + list_function("__heddle_mechanisms", words.mechanisms) +
          list_function("__heddle_keys", keys) + list_function("__heddle_values", values);
  text +=
      "\ncomplete -c heddle -n __heddle_in -f -l help -d 'list the commands'\n"
      "complete -c heddle -n __heddle_in -f -l version -d 'print the version'\n";
  for (const DescribedCommand& command : words.commands) text += command_completions(command);
  return text + "\ncomplete -c heddle-cc -w 'heddle cc'\n";
}

}  // namespace heddle::cli
