// SPDX-License-Identifier: Apache-2.0
// Rows of text whose columns are as wide as what they hold.
#pragma once

#include <string>
#include <vector>

namespace heddle::cli {

/// One line a row, indented by two blanks. A column that is empty in every row takes no room. Behind a cell that is far
/// too long for its column, the row goes on in the next line.
std::string in_columns(const std::vector<std::vector<std::string>>& rows);

}  // namespace heddle::cli
