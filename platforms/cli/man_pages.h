// SPDX-License-Identifier: Apache-2.0
// Manual pages, from what the commands declare.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/completion.h"

namespace heddle::cli {

struct ManPage {
  std::string file;  ///< "heddle-run.1"
  std::string text;  ///< man(7)
};
/// heddle.1, and a page for every command.
std::vector<ManPage> man_pages(const std::vector<DescribedCommand>& commands);

/// Writes all pages into a folder, which is created. Throws Error(kIo).
void write_man_pages(const std::filesystem::path& folder);

}  // namespace heddle::cli
