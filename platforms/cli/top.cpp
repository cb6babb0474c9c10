// SPDX-License-Identifier: Apache-2.0
// heddle top: progress of runs, from the status files in their results folders.
#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "cli/commands.h"
#include "cli/run_command.h"
#include "common/command_line.h"
#include "core/error.h"
#include "core/quantity_text.h"
#include "core/statistics/live_status.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;
constexpr std::chrono::seconds kLate{10};

/// Status files of runs in progress in the given folders and below.
std::vector<fs::path> running(const std::vector<std::string>& folders) {
  std::vector<fs::path> found;
  for (const std::string& folder : folders) {
    if (!fs::is_directory(folder)) fail(ExitCode::usage, "{}: there is no such folder", folder);
    std::error_code ignored;
    for (fs::recursive_directory_iterator at(folder, ignored), end; at != end; at.increment(ignored)) {
      if (at->path().filename() == kLiveStatusFile) found.push_back(at->path());
    }
  }
  return found;
}

std::string view(const std::vector<std::string>& folders, unsigned columns, unsigned rows) {
  const std::vector<fs::path> files = running(folders);
  if (files.empty()) return "no run longer than two seconds is in progress here";
  std::string text;
  for (const fs::path& file : files) {
    try {
      // Show a single run in full, several by their first lines.
      std::string one = live_view(read_live_status(file), columns, rows);
      // A killed run leaves its file behind; a stopped or swapped-out run updates it late.
      const auto age = std::chrono::duration<double>(fs::file_time_type::clock::now() - fs::last_write_time(file));
      if (age > kLate) one = fmt::format("no update for {}: ended or stopped\n", duration_text(age.count())) + one;
      if (files.size() > 1) one = file.parent_path().string() + "\n" + one.substr(0, one.find("\nSM "));
      text += (text.empty() ? "" : "\n\n") + one;
    } catch (const Error&) {
      // The run ended in the meantime.
    }
  }
  return text;
}

}  // namespace

int top(int argc, char** argv) {
  CommandLine app{
      "Watches runs in progress: rate, activity of the SMs, estimated time. A run with a results folder (heddle run -o "
      "FOLDER, heddle sweep) reports its status there while a kernel takes longer than two seconds."};
  std::vector<std::string> folders{"."};
  bool once = false;
  app.add_option("FOLDER", folders, "results folders, or folders above them; default: the current one");
  app.add_flag("--once", once, "print the current state and exit, as it does when output is not a terminal");
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
