// SPDX-License-Identifier: Apache-2.0
// What readers of files that people give share: how deep they go, and how they speak of what they found.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace heddle {

/// Levels of objects and lists that a JSON text may have: far above what any file of ours needs, and a bound on what a
/// damaged one costs.
inline constexpr std::size_t kDeepestJson = 100;

/// The beginning of a text for a message: at most `most` characters, what cannot be printed as '?', "..." where it goes
/// on.
std::string excerpt(std::string_view text, std::size_t most = 60);

/// What the parser said of a malformed JSON text: its sentence without identifier and position, as an excerpt.
std::string json_reason(std::string_view what);

}  // namespace heddle
