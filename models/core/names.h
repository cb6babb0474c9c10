// SPDX-License-Identifier: Apache-2.0
// Matching of user-typed names: patterns, natural order, nearest spelling.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// Shell-like match: `*` any run of characters, `?` one; commas separate alternatives: "sm0.*,mc*.bank*".
bool glob_match(std::string_view patterns, std::string_view name);

/// Natural order, which compares digit runs as numbers: sm2 before sm10.
bool natural_less(std::string_view a, std::string_view b);

/// At most `count` candidates nearest in spelling to `word`, best first; empty when all differ in more than a third.
std::vector<std::string> nearest_spellings(std::string_view word, const std::vector<std::string>& candidates,
                                           std::size_t count = 1);
/// "; did you mean 'x'?" with the nearest candidate; empty when none is near.
std::string nearest_hint(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace heddle
