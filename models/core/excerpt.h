// SPDX-License-Identifier: Apache-2.0
// Helpers for reading user-supplied files: a nesting limit and excerpts for messages.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace heddle {

/// Maximum nesting of JSON objects and lists: far above what our files need, and a bound on the cost of a damaged one.
inline constexpr std::size_t kDeepestJson = 100;

/// The start of a text for a message: at most `most` characters, unprintable ones as '?', with "..." if truncated.
std::string excerpt(std::string_view text, std::size_t most = 60);

/// "3:17: malformed JSON: ...": line and column of an error of the JSON parser, and an excerpt of its message. read:
/// the characters read by then, including the one that is wrong.
std::string json_error(std::string_view text, std::size_t read, std::string_view what);

}  // namespace heddle
