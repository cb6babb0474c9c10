// SPDX-License-Identifier: Apache-2.0
// Launches whose brackets are written apart, `kernel<< <grid, block>> >(arguments)`, as an old clang-format left them.
// nvcc takes them; clang wants each bracket in one piece.
#pragma once

#include <string>

namespace heddle::cc {

/// The text with launch brackets in one piece, of the same length and lines; nothing else is changed, in particular no
/// shift, no `operator<< <T>` and no end of template arguments. Empty when there is nothing to do.
std::string with_joined_brackets(const std::string& text);

}  // namespace heddle::cc
