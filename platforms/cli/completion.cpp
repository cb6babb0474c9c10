// SPDX-License-Identifier: Apache-2.0
// heddle completion, and the words that it completes.
#include "cli/completion.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "cc/report.h"
#include "cli/commands.h"
#include "cli/run_command.h"
#include "common/command_line.h"
#include "common/machine_description.h"
#include "core/config/configuration.h"

namespace heddle::cli {
namespace {

/// A key as it can be set: the first SM class, and lists of numbers as a whole.
std::string settable(const std::string& path) {
  std::string key = short_path(path);
  if (key.ends_with(".*")) key.resize(key.size() - 2);
  for (auto star = key.find('*'); star != std::string::npos; star = key.find('*')) key.replace(star, 1, "0");
  return key;
}

/// A further command from its name and the words that may follow it.
DescribedCommand further_command(const std::string& text) {
  DescribedCommand command;
  std::istringstream words(text);
  words >> command.name;
  CommandArgument argument;
  for (std::string word; words >> word;) {
    if (word.starts_with('-')) {
      CommandArgument option;
      option.options = {word};
      command.description.arguments.push_back(std::move(option));
    } else {
      argument.choices.push_back(word);
    }
  }
  argument.name = "WORD";
  argument.type = "TEXT";
  argument.many = true;
  if (!argument.choices.empty()) command.description.arguments.push_back(std::move(argument));
  return command;
}

}  // namespace

std::vector<DescribedCommand> describe_commands() {
  std::vector<DescribedCommand> commands;
  for (const Subcommand& subcommand : subcommands()) {
    DescribedCommand command{std::string(subcommand.name), std::string(subcommand.sentence), {}};
    if (subcommand.name == "cc") {
      command.description = cc::command_description();
    } else {
      command.description = describe_command([&] {
        std::string name(subcommand.name);
        char* arguments[] = {name.data(), nullptr};
        subcommand.run(1, arguments);
      });
    }
    commands.push_back(std::move(command));
  }
  return commands;
}

CompletionWords completion_words(const std::vector<std::string>& also) {
  CompletionWords words;
  words.commands = describe_commands();
  for (const std::string& text : also) words.commands.push_back(further_command(text));
  for (const PresetEntry& preset : list_presets(preset_directories()))
    words.machines.push_back({preset.name, preset.description});
  std::set<std::string> mechanisms;
  for (const ParameterEntry& entry : list_machine_parameters()) {
    CompletedKey key{settable(entry.path), entry.sentence, {}};
    for (const ChoiceEntry& choice : entry.choices) {
      key.values.push_back({choice.name, choice.sentence});
      if (!choice.sentence.empty() && mechanisms.insert(choice.name).second)
        words.mechanisms.push_back({choice.name, choice.sentence});
    }
    if (entry.type == "true or false") key.values = {{"true", ""}, {"false", ""}};
    words.keys.push_back(std::move(key));
  }
  return words;
}

ValueKind value_kind(const CommandArgument& argument) {
  const auto is = [&](const char* name) {
    return std::find(argument.options.begin(), argument.options.end(), name) != argument.options.end();
  };
  if (argument.type.empty()) return ValueKind::flag;
  if (!argument.choices.empty()) return ValueKind::choice;
  // These names mean the same in every command.
  if (is("--machine") || is("--against")) return ValueKind::machine;
  if (is("--set")) return ValueKind::setting;
  if (argument.name == "NAME") return ValueKind::topic;
  return argument.type == "UINT" ? ValueKind::none : ValueKind::file;
}

const CommandArgument* positional(const CommandDescription& description) {
  for (const CommandArgument& argument : description.arguments) {
    if (argument.options.empty()) return &argument;
  }
  return nullptr;
}

std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

int completion(int argc, char** argv) {
  CommandLine app{"Writes the completion of this command line for a shell. Type: source <(heddle completion bash)"};
  std::string shell;
  std::vector<std::string> also;
  app.add_option("SHELL", shell, "bash, zsh or fish").required().one_of({"bash", "zsh", "fish"});
  app.add_option("--also", also, "a further command and the words that may follow it, in one argument; may be repeated")
      .repeated();
  return run_command(app, argc, argv, [&] {
    const CompletionWords words = completion_words(also);
    fmt::print("{}", shell == "bash"  ? bash_completion(words)
                     : shell == "zsh" ? zsh_completion(words)
                                      : fish_completion(words));
  });
}

}  // namespace heddle::cli
