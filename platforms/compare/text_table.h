// SPDX-License-Identifier: Apache-2.0
// Rows of cells for the terminal: columns as wide as their contents, the first left-aligned, the others right-aligned.
#pragma once

#include <string>
#include <vector>

namespace heddle::compare {

class TextTable {
 public:
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace heddle::compare
