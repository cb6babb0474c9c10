// SPDX-License-Identifier: Apache-2.0
#include "cli/columns.h"

#include <algorithm>
#include <utility>

namespace heddle::cli {
namespace {

/// A column is not wider than this; a longer cell has the rest of its row on the next line.
constexpr std::size_t kWidest = 56;

}  // namespace

std::string in_columns(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (row[i].size() <= kWidest) widths[i] = std::max(widths[i], row[i].size());
    }
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    std::size_t begin = 2;  // of the column
    bool over = false;      // the last cell reaches into the next column
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (widths[i] == 0 && row[i].empty()) continue;
      if (over) text += std::exchange(line, {}) + "\n";
      line.resize(begin, ' ');
      line += row[i];
      over = row[i].size() > widths[i];
      begin += widths[i] + 2;
    }
    text += line.erase(line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

}  // namespace heddle::cli
