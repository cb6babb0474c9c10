// SPDX-License-Identifier: Apache-2.0
// --force and --quiet of a command that writes files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/command_line.h"
#include "core/output_files.h"

namespace heddle::cli {

struct OutputOptions {
  bool force = false, quiet = false;

  /// quiet_sentence: what --quiet leaves out.
  void declare(CommandLine& app,
               const std::string& quiet_sentence = "no line on standard error that says what was written");
  /// Once declared.
  CommandLineOption quiet_option() const { return *quiet_option_; }
  /// Call before the work. Throws Error(kIo) like OutputCheck.
  void check(const std::string& file) const { OutputCheck(force).file(file); }
  /// Says on standard error what was written, unless quiet. Call when everything is.
  void say_written(const std::string& command, const std::vector<WrittenFile>& files) const;

 private:
  std::optional<CommandLineOption> quiet_option_;
};

}  // namespace heddle::cli
