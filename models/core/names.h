// SPDX-License-Identifier: Apache-2.0
// Names: patterns, natural order, nearest spelling, parts; functions as in the source.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// In any locale.
constexpr bool is_decimal_digit(char c) { return c >= '0' && c <= '9'; }

/// Shell-like match: `*` any run of characters, `?` one; commas separate alternatives: "sm0.*,mc*.bank*".
bool glob_match(std::string_view patterns, std::string_view name);

/// A function's name as in the source, with parameters; the name itself if it is not a mangled one.
std::string demangled(const std::string& name);

/// A kernel's name as its program launches it, without parameters and result: "expand", "tree::walk<float>".
std::string kernel_title(const std::string& name);

/// Whether the patterns match the kernel's name, mangled, as demangled(), or as kernel_title().
bool kernel_match(std::string_view patterns, const std::string& name);

/// Natural order, which compares digit runs as numbers: sm2 before sm10.
bool natural_less(std::string_view a, std::string_view b);

/// At most `count` candidates nearest in spelling to `word`, best first; empty when all differ in more than a third.
std::vector<std::string> nearest_spellings(std::string_view word, const std::vector<std::string>& candidates,
                                           std::size_t count = 1);
/// "; did you mean 'x'?" with the nearest candidate; empty when none is near.
std::string nearest_hint(std::string_view word, const std::vector<std::string>& candidates);

/// The parts of a text between separators; at least one.
std::vector<std::string_view> split(std::string_view text, char separator);

}  // namespace heddle
