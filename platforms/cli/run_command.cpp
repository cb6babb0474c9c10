// SPDX-License-Identifier: Apache-2.0
#include "cli/run_command.h"

#include <fmt/core.h>

#include "core/error.h"

namespace heddle::cli {

int run_command(CommandLine& app, int argc, char** argv, const std::function<void()>& action) {
  app.set_name(fmt::format("heddle {}", argv[0]));
  try {
    if (!app.parse(argc, argv)) return 0;
  } catch (const Error& error) {
    fmt::print(stderr, "{}: error: {}. See {} --help\n", app.name(), error.what(), app.name());
    return static_cast<int>(error.code());
  }
  try {
    action();
  } catch (const Error& error) {
    fmt::print(stderr, "{}: error: {}\n", app.name(), error.what());
    return static_cast<int>(error.code());
  }
  return 0;
}

}  // namespace heddle::cli
