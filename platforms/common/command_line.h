// SPDX-License-Identifier: Apache-2.0
// The arguments of a command. CLI11 parses them; its header, which takes seconds to compile, is included in one file
// only.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/command_description.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace heddle {

/// The values of options that take one of a few.
using OptionChoices = std::map<const CLI::Option*, std::vector<std::string>>;

/// An option or positional argument that was added to a CommandLine, whose lifetime it shares.
class CommandLineOption {
 public:
  CommandLineOption(CLI::Option* option, OptionChoices& choices) : option_(option), choices_(&choices) {}

  CommandLineOption required();
  /// Number of values; most < 0: no limit.
  CommandLineOption expected(int least, int most);
  /// May be repeated, one value each time.
  CommandLineOption repeated();
  /// Takes one value at a time, so that what follows it is not taken for another.
  CommandLineOption no_extra_values();
  CommandLineOption group(const std::string& name);
  /// Help shows the present value of the variable.
  CommandLineOption show_default();
  CommandLineOption one_of(const std::vector<std::string>& values);
  CommandLineOption in_range(unsigned least, unsigned most);
  /// Refuses 0.
  CommandLineOption positive();
  CommandLineOption excludes(CommandLineOption other);

  /// After parsing: whether the command line has it.
  bool given() const;
  /// Its long form, "--output".
  std::string name() const;

 private:
  CLI::Option* option_;
  OptionChoices* choices_;
};

class CommandLine {
 public:
  explicit CommandLine(const std::string& sentence, const std::string& name = {});
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  /// names: "-o,--output", or one word for a positional argument. The variable keeps its value where the argument is
  /// not given.
  CommandLineOption add_option(const std::string& names, std::string& variable, const std::string& sentence);
  CommandLineOption add_option(const std::string& names, std::vector<std::string>& variable,
                               const std::string& sentence);
  CommandLineOption add_option(const std::string& names, unsigned& variable, const std::string& sentence);
  CommandLineOption add_option(const std::string& names, std::uint64_t& variable, const std::string& sentence);
  CommandLineOption add_flag(const std::string& names, bool& variable, const std::string& sentence);
  void footer(const std::string& text);
  /// What follows the first argument that is no option is left to remaining().
  void prefix_command();

  const std::string& name() const { return name_; }
  void set_name(const std::string& name);
  /// False if help was asked for, and printed. Throws Error(kUsage), with the nearest option for an unknown one.
  bool parse(int argc, const char* const* argv);
  std::vector<std::string> remaining() const;

 private:
  CommandDescription description() const;
  /// Message about a word that no option or argument takes.
  std::string unknown(const std::string& word) const;

  std::unique_ptr<CLI::App> app_;
  std::string name_;
  OptionChoices choices_;
};

}  // namespace heddle
