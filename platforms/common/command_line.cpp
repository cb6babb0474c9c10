// SPDX-License-Identifier: Apache-2.0
#include "common/command_line.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include <CLI/CLI.hpp>

#include "core/error.h"
#include "core/names.h"
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

/// Where parse() leaves the description of the command, instead of reading arguments; null otherwise.
CommandDescription* wanted_description = nullptr;

/// " (did you mean 'x'?)", as what follows the message is a sentence of its own; or nothing.
std::string nearest_in_brackets(const std::string& word, const std::vector<std::string>& known) {
  const auto near = nearest_spellings(word, known);
  return near.empty() ? std::string() : fmt::format(" (did you mean '{}'?)", near.front());
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
  (*choices_)[option_] = values;
  const auto refusal = [values](const std::string& value) -> std::string {
    if (std::find(values.begin(), values.end(), value) != values.end()) return {};
    return fmt::format("'{}' is not one of {}{}", value, fmt::join(values, ", "), nearest_in_brackets(value, values));
  };
  option_->check(refusal, fmt::format("{{{}}}", fmt::join(values, ",")));
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
  return {app_->add_option(names, variable, sentence), choices_};
}
CommandLineOption CommandLine::add_option(const std::string& names, std::vector<std::string>& variable,
                                          const std::string& sentence) {
  return {app_->add_option(names, variable, sentence), choices_};
}
CommandLineOption CommandLine::add_option(const std::string& names, unsigned& variable, const std::string& sentence) {
  return {app_->add_option(names, variable, sentence)->check(natural_number()), choices_};
}
CommandLineOption CommandLine::add_option(const std::string& names, std::uint64_t& variable,
                                          const std::string& sentence) {
  return {app_->add_option(names, variable, sentence)->check(natural_number()), choices_};
}
CommandLineOption CommandLine::add_flag(const std::string& names, bool& variable, const std::string& sentence) {
  return {app_->add_flag(names, variable, sentence), choices_};
}
void CommandLine::footer(const std::string& text) { app_->footer(text); }
void CommandLine::prefix_command() { app_->prefix_command(); }

void CommandLine::set_name(const std::string& name) {
  name_ = name;
  app_->name(name);
}

CommandDescription CommandLine::description() const {
  CommandDescription result{app_->get_description(), app_->get_footer(), {}, app_->get_prefix_command()};
  const CLI::App& app = *app_;
  for (const CLI::Option* option : app.get_options()) {
    CommandArgument argument;
    for (const std::string& name : option->get_snames()) argument.options.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) argument.options.push_back("--" + name);
    if (argument.options.empty()) argument.name = option->get_name();
    argument.sentence = option->get_description();
    argument.group = option->get_group();
    argument.default_value = option->get_default_str();
    // The rest of a type's name is the values of one_of().
    if (option->get_type_size() != 0)
      argument.type = option->get_type_name().substr(0, option->get_type_name().find(':'));
    if (const auto found = choices_.find(option); found != choices_.end()) argument.choices = found->second;
    argument.required = option->get_required();
    argument.many = option->get_items_expected_max() >= CLI::detail::expected_max_vector_size ||
                    option->get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
    result.arguments.push_back(std::move(argument));
  }
  return result;
}

std::string CommandLine::unknown(const std::string& word) const {
  if (word.rfind('-', 0) != 0) return fmt::format("'{}' is one argument too many", word);
  std::vector<std::string> known;
  for (const CommandArgument& argument : description().arguments)
    known.insert(known.end(), argument.options.begin(), argument.options.end());
  return fmt::format("unknown option '{}'{}", word, nearest_in_brackets(word.substr(0, word.find('=')), known));
}

bool CommandLine::parse(int argc, const char* const* argv) {
  if (wanted_description != nullptr) {
    *wanted_description = description();
    return false;
  }
  try {
    app_->parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", app_->help());
    return false;
  } catch (const CLI::ExtrasError&) {
    fail(ExitCode::usage, "{}", unknown(app_->remaining().front()));
  } catch (const CLI::ParseError& error) {
    fail(ExitCode::usage, "{}", error.what());
  }
  // A program is never named like this; an argument of a PTX kernel may begin with one dash.
  if (app_->get_prefix_command()) {
    const auto rest = app_->remaining();
    if (!rest.empty() && rest.front().size() > 2 && rest.front().rfind("--", 0) == 0)
      fail(ExitCode::usage, "{}. See {} --help", unknown(rest.front()), name_);
  }
  return true;
}

std::vector<std::string> CommandLine::remaining() const { return app_->remaining(); }

CommandDescription describe_command(const std::function<void()>& call) {
  CommandDescription description;
  wanted_description = &description;
  try {
    call();
  } catch (...) {
    wanted_description = nullptr;
    throw;
  }
  wanted_description = nullptr;
  return description;
}

}  // namespace heddle
