// SPDX-License-Identifier: Apache-2.0
// Runs commands, shows them (-v, --dryrun), and keeps the folder of intermediate files.
#pragma once

#include <filesystem>
#include <string>

#include "cc/commands.h"

namespace heddle::cc {

class Runner {
 public:
  /// verbose: every command is printed to standard error before it runs, after "#$ " as nvcc does; dry_run: printed
  /// and not run.
  Runner(bool verbose, bool dry_run) : verbose_(verbose || dry_run), dry_run_(dry_run) {}

  /// Runs a command with our standard streams. Returns its exit status, 128 + n when signal n ended it, zero in a dry
  /// run. Fails (kConfiguration) when the program cannot be started. An interrupt from the terminal ends the command,
  /// not this process, so that intermediate files are removed.
  int run(const Command& command) const { return run(command, command); }

  /// The same; `shown` is what is printed.
  int run(const Command& command, const Command& shown) const;

  bool dry_run() const { return dry_run_; }

 private:
  bool verbose_;
  bool dry_run_;
};

/// A folder for intermediate files. Unless it is to be kept, it is a fresh one that goes away with the object.
class WorkFolder {
 public:
  /// `kept`: folder to use and to leave behind, created when missing; empty for a temporary one in TMPDIR.
  /// Fails (kIo) when it cannot be created.
  explicit WorkFolder(const std::string& kept);
  ~WorkFolder();
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  bool temporary_;
};

}  // namespace heddle::cc
