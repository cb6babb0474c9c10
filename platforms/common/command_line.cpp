// SPDX-License-Identifier: Apache-2.0
#include "common/command_line.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include "core/error.h"
#include "core/quantity_text.h"

namespace heddle {
namespace {

/// CLI11 takes -5 for a large number.
CLI::Validator natural_number() {
  return CLI::Validator(
      [](std::string& text) {
        std::uint64_t value = 0;
        return parse_natural(text, value) ? std::string() : fmt::format("'{}' is not a whole number", text);
      },
      "");
}

}  // namespace

CommandLineOption CommandLineOption::required() {
  option_->required();
  return *this;
}
CommandLineOption CommandLineOption::expected(int least, int most) {
  option_->expected(least, most);
  return *this;
}
CommandLineOption CommandLineOption::repeated() {
  option_->allow_extra_args(false)->take_all()->expected(1);
  return *this;
}
CommandLineOption CommandLineOption::no_extra_values() {
  option_->allow_extra_args(false);
  return *this;
}
CommandLineOption CommandLineOption::group(const std::string& name) {
  option_->group(name);
  return *this;
}
CommandLineOption CommandLineOption::show_default() {
  option_->capture_default_str();
  return *this;
}
CommandLineOption CommandLineOption::one_of(const std::vector<std::string>& values) {
  option_->check(CLI::IsMember(values));
  return *this;
}
CommandLineOption CommandLineOption::in_range(unsigned least, unsigned most) {
  option_->check(CLI::Range(least, most));
  return *this;
}
CommandLineOption CommandLineOption::positive() {
  option_->check(CLI::Validator(
      [](std::string& text) { return text == "0" ? std::string("must be more than 0") : std::string(); }, ""));
  return *this;
}
CommandLineOption CommandLineOption::excludes(CommandLineOption other) {
  option_->excludes(other.option_);
  return *this;
}

bool CommandLineOption::given() const { return option_->count() != 0; }
std::string CommandLineOption::name() const { return option_->get_name(false, false); }

CommandLine::CommandLine(const std::string& sentence, const std::string& name)
    : app_(std::make_unique<CLI::App>(sentence, name)), name_(name) {}
CommandLine::~CommandLine() = default;

CommandLineOption CommandLine::add_option(const std::string& names, std::string& variable,
                                          const std::string& sentence) {
  return CommandLineOption(app_->add_option(names, variable, sentence));
}
CommandLineOption CommandLine::add_option(const std::string& names, std::vector<std::string>& variable,
                                          const std::string& sentence) {
  return CommandLineOption(app_->add_option(names, variable, sentence));
}
CommandLineOption CommandLine::add_option(const std::string& names, unsigned& variable, const std::string& sentence) {
  return CommandLineOption(app_->add_option(names, variable, sentence)->check(natural_number()));
}
CommandLineOption CommandLine::add_option(const std::string& names, std::uint64_t& variable,
                                          const std::string& sentence) {
  return CommandLineOption(app_->add_option(names, variable, sentence)->check(natural_number()));
}
CommandLineOption CommandLine::add_flag(const std::string& names, bool& variable, const std::string& sentence) {
  return CommandLineOption(app_->add_flag(names, variable, sentence));
}
void CommandLine::footer(const std::string& text) { app_->footer(text); }
void CommandLine::prefix_command() { app_->prefix_command(); }

void CommandLine::set_name(const std::string& name) {
  name_ = name;
  app_->name(name);
}

bool CommandLine::parse(int argc, const char* const* argv) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", app_->help());
    return false;
  } catch (const CLI::ParseError& error) {
    fail(ExitCode::usage, "{}", error.what());
  }
  return true;
}

std::vector<std::string> CommandLine::remaining() const { return app_->remaining(); }

}  // namespace heddle
