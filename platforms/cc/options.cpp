// SPDX-License-Identifier: Apache-2.0
#include "cc/options.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "cc/option_table.h"
#include "core/error.h"
#include "core/excerpt.h"
#include "core/names.h"

namespace heddle::cc {

namespace {

// Host compiler flags that users pass to nvcc without -Xcompiler, or that a build system passes because the command
// also links.
bool is_host_flag(std::string_view argument) {
  constexpr std::array<std::string_view, 13> kPrefixes{"-f",        "-m",        "-W",     "-pthread", "-pipe",
                                                       "-rdynamic", "-static",   "-nostd", "-pie",     "-no-pie",
                                                       "-ansi",     "-pedantic", "-B"};
  return argument == "-s" ||
         std::any_of(kPrefixes.begin(), kPrefixes.end(), [&](std::string_view p) { return argument.starts_with(p); });
}

Language language_of(const std::string& path, const std::string& forced) {
  const std::string extension = path.substr(std::min(path.size(), path.rfind('.')));
  const bool object = extension == ".o" || extension == ".a" || extension == ".so" || extension == ".obj" ||
                      extension == ".lib" || path.find(".so.") != std::string::npos;
  if (object) return Language::linker_input;  // -x never turns an object into a source
  if (forced == "cu") return Language::cuda;
  if (forced == "c++") return Language::cxx;
  if (forced == "c") return Language::c;
  if (extension == ".cu") return Language::cuda;
  if (extension == ".c") return Language::c;
  for (const char* known : {".cpp", ".cc", ".cxx", ".c++", ".C", ".CPP", ".cp", ".ii"}) {
    if (extension == known) return Language::cxx;
  }
  for (const char* known : {".ptx", ".cubin", ".fatbin", ".gpu"}) {
    if (extension == known) {
      fail(ExitCode::usage, "{}: device code cannot be an input; use its CUDA source", path);
    }
  }
  return Language::linker_input;
}

void apply_spec(Reading& reading, const OptionSpec& spec, const std::string& value) {
  if (spec.refused()) fail(ExitCode::usage, "-{} is refused: {}", spec.long_name, spec.why);
  if (spec.arity != Arity::list) return spec.apply(reading, value);
  for (std::size_t start = 0; start <= value.size();) {
    const std::size_t comma = std::min(value.find(',', start), value.size());
    if (comma > start) spec.apply(reading, value.substr(start, comma - start));
    start = comma + 1;
  }
}

// "-DNAME", "-Ifolder", "-lm", "-O2", "-ofile": a one-letter option with its value attached.
bool apply_joined(Reading& reading, const std::string& argument) {
  if (argument.size() < 3 || argument[1] == '-') return false;
  constexpr std::string_view kLetters = "DUILlOoxt";
  if (kLetters.find(argument[1]) == std::string_view::npos) return false;
  const OptionSpec* spec = find_option(std::string_view(argument).substr(1, 1));
  std::string value = argument.substr(2);
  if (value[0] == '=') value.erase(0, 1);
  apply_spec(reading, *spec, value);
  return true;
}

// -g3, -ggdb, -gdwarf-4: the host compiler's spellings of -g.
bool is_debug_flag(std::string_view argument) {
  return argument.size() == 3 ? argument.starts_with("-g") && argument[2] >= '0' && argument[2] <= '3'
                              : argument.starts_with("-ggdb") || argument.starts_with("-gdwarf");
}

[[noreturn]] void unknown_option(const std::string& argument) {
  std::vector<std::string> known;
  for (const OptionSpec& spec : option_specs()) {
    known.push_back("--" + std::string(spec.long_name));
    if (!spec.short_name.empty()) known.push_back("-" + std::string(spec.short_name));
  }
  fail(ExitCode::usage, "Unknown option '{}'{}; pass host compiler options with -Xcompiler", excerpt(argument),
       nearest_hint(excerpt(argument.substr(0, argument.find('='))), known));
}

void apply_unknown(Reading& reading, const std::string& argument) {
  if (argument.starts_with("-Wl,")) {
    reading.options.inputs.push_back({Input::Kind::linker_flag, argument, Language::linker_input});
  } else if (argument.starts_with("-std=") || argument.starts_with("-isystem")) {
    find_option(argument.substr(1, argument[1] == 's' ? 3 : 7))
        ->apply(reading, argument.substr(argument[1] == 's' ? 5 : 8));
  } else if (is_debug_flag(argument)) {
    reading.options.host_debug = argument != "-g0";
  } else {
    reading.unknown.push_back(argument);
  }
}

// Only after reading all options is it known whether unknown ones go to the host compiler.
void settle_unknown(Reading& reading) {
  for (const std::string& argument : reading.unknown) {
    if (reading.forward_unknown || is_host_flag(argument)) {
      reading.options.host_flags.push_back(argument);
    } else {
      unknown_option(argument);
    }
  }
}

// Whether the word after a separate -O is its level.
bool is_level(std::string_view word) {
  return word == "s" || word == "fast" || (word.size() == 1 && word[0] >= '0' && word[0] <= '3');
}

void check(const Options& options) {
  std::size_t sources = 0;
  for (const Input& input : options.inputs) {
    if (input.kind == Input::Kind::file && input.language != Language::linker_input) ++sources;
  }
  const bool one_output_each = options.phase == Phase::compile || options.phase == Phase::ptx;
  if (one_output_each && !options.output.empty() && sources > 1) {
    fail(ExitCode::usage, "-o {}: one output for {} sources; omit -o, or link them", options.output, sources);
  }
}

}  // namespace

std::vector<std::string> split_tool_options(const std::string& value) {
  std::vector<std::string> items;
  std::string item;
  char quote = '\0';
  const auto finish = [&] {
    if (!item.empty()) items.push_back(item);
    item.clear();
  };
  for (std::size_t i = 0; i < value.size(); ++i) {
    const char c = value[i];
    if (c == '\\' && i + 1 < value.size() && (value[i + 1] == ',' || value[i + 1] == '"')) {
      item += value[++i];
    } else if (quote != '\0') {
      if (c == quote)
        quote = '\0';
      else
        item += c;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0 || (c == ',' && !item.starts_with("-Wl"))) {
      finish();
    } else {
      item += c;
    }
  }
  finish();
  return items;
}

std::string stem_of(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  const std::size_t dot = name.rfind('.');
  return dot == std::string::npos || dot == 0 ? name : name.substr(0, dot);
}

Options parse_options(const std::vector<std::string>& arguments) {
  Reading reading;
  std::vector<std::size_t> files;  // inputs whose language depends on the last -x
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument.size() < 2 || argument[0] != '-') {
      files.push_back(reading.options.inputs.size());
      reading.options.inputs.push_back({Input::Kind::file, argument, Language::linker_input});
      continue;
    }
    const std::size_t dashes = argument[1] == '-' ? 2 : 1;
    const std::size_t equal = argument.find('=');
    const OptionSpec* spec =
        find_option(std::string_view(argument).substr(dashes, equal == std::string::npos ? equal : equal - dashes));
    if (spec == nullptr) {
      if (!apply_joined(reading, argument)) apply_unknown(reading, argument);
    } else if (spec->arity == Arity::flag) {
      if (equal == std::string::npos || argument.substr(equal + 1) != "false") apply_spec(reading, *spec, "");
    } else if (argument == "-O" && (i + 1 == arguments.size() || !is_level(arguments[i + 1]))) {
      apply_spec(reading, *spec, "");
    } else if (equal != std::string::npos) {
      apply_spec(reading, *spec, argument.substr(equal + 1));
    } else if (i + 1 < arguments.size()) {
      apply_spec(reading, *spec, arguments[++i]);
    } else {
      fail(ExitCode::usage, "{}: missing value", argument);
    }
  }
  settle_unknown(reading);
  for (std::size_t index : files) {
    Input& input = reading.options.inputs[index];
    input.language = language_of(input.text, reading.forced_language);
  }
  check(reading.options);
  return reading.options;
}

}  // namespace heddle::cc
