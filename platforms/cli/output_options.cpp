// SPDX-License-Identifier: Apache-2.0
#include "cli/output_options.h"

#include <fmt/core.h>

#include <cstdio>

namespace heddle::cli {

void OutputOptions::declare(CommandLine& app, const std::string& quiet_sentence) {
  app.add_flag("-f,--force", force, "replace files that exist");
  quiet_option_ = app.add_flag("-q,--quiet", quiet, quiet_sentence);
}

void OutputOptions::say_written(const std::string& command, const std::vector<WrittenFile>& files) const {
  if (quiet || files.empty()) return;
  std::fflush(stdout);
  fmt::print(stderr, "heddle {}: {}\n", command, written_text(files));
}

}  // namespace heddle::cli
