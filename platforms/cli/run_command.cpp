// SPDX-License-Identifier: Apache-2.0
#include "cli/run_command.h"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "core/error.h"

namespace heddle::cli {

int run_command(CLI::App& app, int argc, char** argv, const std::function<void()>& action) {
  app.name(fmt::format("heddle {}", argv[0]));
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", app.help());
    return 0;
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "{}: error: {}. See {} --help\n", app.get_name(), error.what(), app.get_name());
    return static_cast<int>(ExitCode::usage);
  }
  try {
    action();
  } catch (const Error& error) {
    fmt::print(stderr, "{}: error: {}\n", app.get_name(), error.what());
    return static_cast<int>(error.code());
  }
  return 0;
}

}  // namespace heddle::cli
