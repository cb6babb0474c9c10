// SPDX-License-Identifier: Apache-2.0
// Launches with split brackets, `kernel<< <grid, block>> >(arguments)`, as written by old clang-format versions.
// nvcc accepts them; clang does not.
#pragma once

#include <string>

namespace heddle::cc {

/// The text with launch brackets joined, of the same length and number of lines. Does not change anything else, in
/// particular shifts, `operator<< <T>` and ends of template arguments. Empty when there is nothing to do.
std::string with_joined_brackets(const std::string& text);

}  // namespace heddle::cc
