// SPDX-License-Identifier: Apache-2.0
// Runs commands, shows them (-v, --dryrun), and keeps the folder of intermediate files.
#pragma once

#include <filesystem>
#include <string>

#include "cc/commands.h"

namespace heddle::cc {

class Runner {
 public:
  /// verbose: print every command to standard error before running it, prefixed by "#$ " as nvcc does; dry_run: print
  /// only.
  Runner(bool verbose, bool dry_run) : verbose_(verbose || dry_run), dry_run_(dry_run) {}

  /// Runs a command with our standard streams. Returns its exit status, 128 + n when signal n ended it, zero in a dry
  /// run. Fails (kConfiguration) when the program cannot be started. A terminal interrupt ends the command but not this
  /// process, so that intermediate files are removed.
  int run(const Command& command) const { return run(command, command); }

  /// The same; `shown` is what is printed.
  int run(const Command& command, const Command& shown) const;

  bool dry_run() const { return dry_run_; }

 private:
  bool verbose_;
  bool dry_run_;
};

/// A folder for intermediate files. Unless kept, it is temporary and removed with the object.
class WorkFolder {
 public:
  /// `kept`: folder to use and keep, created if missing; empty for a temporary one in TMPDIR. Fails (kIo) when it
  /// cannot be created.
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
