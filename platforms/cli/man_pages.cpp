// SPDX-License-Identifier: Apache-2.0
#include "cli/man_pages.h"

#include <fmt/ranges.h>

#include "cc/report.h"
#include "core/error.h"
#include "core/file.h"
#include "runtime/options.h"

namespace heddle::cli {
namespace {

/// A text of running words: nothing in it is a request or an escape, and hyphens are those that are typed.
std::string roff_escaped(const std::string& text) {
  std::string out;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) out += "\\&";
    line_begins = c == '\n';
    switch (c) {
      case '\\':
        out += "\\e";
        break;
      case '-':
        out += "\\-";
        break;
      case '\'':
        out += "\\(aq";
        break;
      case '`':
        out += "\\(ga";
        break;
      case '^':
        out += "\\(ha";
        break;
      case '~':
        out += "\\(ti";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string upper_case(std::string text) {
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

std::string heading(const std::string& name, const std::string& sentence) {
  return fmt::format(".TH {0} 1 \"\" \"heddle {1}\" \"Heddle\"\n.SH NAME\n{2} \\- {3}\n", upper_case(name),
                     HEDDLE_VERSION, roff_escaped(name), roff_escaped(sentence));
}

std::string item(const std::string& tag, const std::string& text) {
  return fmt::format(".TP\n{}\n{}\n", tag, text.empty() ? "\\&" : roff_escaped(text));
}

/// What stands for the value of an option.
std::string value_name(const CommandArgument& argument) {
  switch (value_kind(argument)) {
    case ValueKind::flag:
      return {};
    case ValueKind::none:
      return "NUMBER";
    case ValueKind::machine:
      return "MACHINE";
    case ValueKind::setting:
      return "KEY=VALUE";
    case ValueKind::choice:
      return fmt::format("{}", fmt::join(argument.choices, "|"));
    case ValueKind::topic:
    case ValueKind::file:
      break;
  }
  return "VALUE";
}

std::string option_item(const CommandArgument& argument) {
  std::string tag;
  for (const std::string& option : argument.options)
    tag += (tag.empty() ? "" : ", ") + fmt::format("\\fB{}\\fR", roff_escaped(option));
  if (const std::string value = value_name(argument); !value.empty())
    tag += fmt::format(" \\fI{}\\fR", roff_escaped(value));
  std::string text = argument.sentence;
  if (!argument.default_value.empty())
    text += fmt::format("{}default: {}", text.empty() ? "" : "; ", argument.default_value);
  return item(tag, text);
}

std::string synopsis(const DescribedCommand& command) {
  std::string text = fmt::format(".SH SYNOPSIS\n.B heddle {}\n[\\fIoption\\fR ...]", command.name);
  for (const CommandArgument& argument : command.description.arguments) {
    if (!argument.options.empty()) continue;
    std::string name = fmt::format("\\fI{}\\fR", roff_escaped(argument.name));
    if (argument.many) name += " ...";
    text += argument.required ? " " + name : " [" + name + "]";
  }
  if (command.description.runs_program) text += " \\fIprogram\\fR [\\fIargument\\fR ...]";
  return text + "\n";
}

std::string command_page(const DescribedCommand& command) {
  std::string text = heading("heddle-" + command.name, command.sentence) + synopsis(command);
  text += ".SH DESCRIPTION\n" + roff_escaped(command.description.sentence) + "\n";
  if (!command.description.footer.empty()) text += ".PP\n" + roff_escaped(command.description.footer) + "\n";
  if (command.name == "cc") text += ".PP\n.nf\n" + roff_escaped(cc::help_text()) + ".fi\n";
  std::string positionals;
  for (const CommandArgument& argument : command.description.arguments) {
    if (argument.options.empty())
      positionals += item(fmt::format("\\fI{}\\fR", roff_escaped(argument.name)), argument.sentence);
  }
  if (!positionals.empty()) text += ".SH ARGUMENTS\n" + positionals;
  std::string group;
  for (const CommandArgument& argument : command.description.arguments) {
    if (argument.options.empty()) continue;
    if (argument.group != group) {
      group = argument.group;
      text += fmt::format(".SH {}\n", roff_escaped(group == "Options" ? "OPTIONS" : upper_case(group)));
    }
    text += option_item(argument);
  }
  return text + ".SH \"SEE ALSO\"\n.BR heddle (1)\n";
}

std::string main_page(const std::vector<DescribedCommand>& commands) {
  std::string text = heading("heddle", "a SystemC model of a SIMT GPU that runs unmodified CUDA programs");
  text += ".SH SYNOPSIS\n.B heddle\n\\fIcommand\\fR [\\fIargument\\fR ...]\n";
  text +=
      ".SH DESCRIPTION\nEach command has a page of its own, \\fBheddle\\-\\fIcommand\\fR(1), and describes itself with "
      "\\fB\\-\\-help\\fR.\n\\fBheddle explain\\fR finds keys of machines by words of the field.\n";
  text += ".SH COMMANDS\n";
  for (const DescribedCommand& command : commands)
    text += item(fmt::format("\\fB{}\\fR", roff_escaped(command.name)), command.sentence);
  text +=
      ".SH \"EXIT STATUS\"\nThat of the program, for commands that run one; 0 where all went well. If the model ends "
      "the run, or a "
      "command fails:\n";
  constexpr ExitCode kCodes[] = {
      ExitCode::usage,       ExitCode::configuration, ExitCode::ptx,        ExitCode::launch,   ExitCode::memory_fault,
      ExitCode::no_progress, ExitCode::limit,         ExitCode::io,         ExitCode::internal, ExitCode::kernel_fault,
      ExitCode::hazard,      ExitCode::difference,    ExitCode::interrupted};
  for (const ExitCode code : kCodes) text += item(fmt::format("\\fB{}\\fR", static_cast<int>(code)), name_of(code));
  text += ".SH ENVIRONMENT\n";
  for (const runtime::OptionVariable& variable : runtime::option_variables())
    text += item(fmt::format("\\fB{}\\fR", roff_escaped(variable.name)), variable.sentence);
  text += ".SH \"SEE ALSO\"\n";
  for (const DescribedCommand& command : commands)
    text += fmt::format(".BR heddle\\-{} (1){}\n", roff_escaped(command.name), &command == &commands.back() ? "" : ",");
  return text;
}

}  // namespace

std::vector<ManPage> man_pages(const std::vector<DescribedCommand>& commands) {
  std::vector<ManPage> pages{{"heddle.1", main_page(commands)}};
  for (const DescribedCommand& command : commands)
    pages.push_back({fmt::format("heddle-{}.1", command.name), command_page(command)});
  return pages;
}

void write_man_pages(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) fail(ExitCode::io, "{}: cannot be created: {}", folder.string(), error.message());
  for (const ManPage& page : man_pages(describe_commands()))
    write_file_atomically((folder / page.file).string(), page.text);
}

}  // namespace heddle::cli
