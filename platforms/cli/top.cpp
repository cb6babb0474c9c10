// SPDX-License-Identifier: Apache-2.0
// heddle top: how far runs are, by what they leave in their folders of results.
#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "cli/commands.h"
#include "cli/run_command.h"
#include "core/error.h"
#include "core/live_status.h"
#include "core/quantity_text.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;
constexpr std::chrono::seconds kLate{10};

/// The folders that hold a run under way: those that are named, and those below them.
std::vector<fs::path> running(const std::vector<std::string>& folders) {
  std::vector<fs::path> found;
  for (const std::string& folder : folders) {
    if (!fs::is_directory(folder)) fail(ExitCode::kUsage, "{}: there is no such folder", folder);
    std::error_code ignored;
    for (fs::recursive_directory_iterator at(folder, ignored), end; at != end; at.increment(ignored)) {
      if (at->path().filename() == kLiveStatusFile) found.push_back(at->path());
    }
  }
  return found;
}

std::string view(const std::vector<std::string>& folders, unsigned columns, unsigned rows) {
  const std::vector<fs::path> files = running(folders);
  if (files.empty()) return "no run of more than two seconds is under way here";
  std::string text;
  for (const fs::path& file : files) {
    try {
      // One in full, several by their heads.
      std::string one = live_view(read_live_status(file), columns, rows);
      // A run that was killed leaves its file; one that is stopped or swapped out is late.
      const auto age = std::chrono::duration<double>(fs::file_time_type::clock::now() - fs::last_write_time(file));
      if (age > kLate) one = fmt::format("no news for {}: ended, or stopped\n", duration_text(age.count())) + one;
      if (files.size() > 1) one = file.parent_path().string() + "\n" + one.substr(0, one.find("\nSM "));
      text += (text.empty() ? "" : "\n\n") + one;
    } catch (const Error&) {
      // It ended while we looked.
    }
  }
  return text;
}

}  // namespace

int top(int argc, char** argv) {
  CLI::App app{
      "Watches runs that are under way: rate, activity of the SMs, estimated time. A run tells of itself in its folder "
      "of "
      "results (heddle run -o FOLDER, heddle sweep) from its third second on."};
  std::vector<std::string> folders{"."};
  bool once = false;
  app.add_option("FOLDER", folders, "folders of results, or folders above them; this one when absent");
  app.add_flag("--once", once, "print the present state and end; so it does when it writes to no terminal");
  return run_command(app, argc, argv, [&] {
    winsize size{};
    const bool terminal = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row != 0;
    if (once || !terminal) {
      fmt::print("{}\n", view(folders, 100, 0));
      return;
    }
    while (true) {
      fmt::print("\033[H\033[J{}\n", view(folders, std::max(41u, unsigned{size.ws_col}) - 1, size.ws_row));
      std::fflush(stdout);
      std::this_thread::sleep_for(std::chrono::seconds(1));
      ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
    }
  });
}

}  // namespace heddle::cli
