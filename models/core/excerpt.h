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

/// An excerpt of the JSON parser's error message, without identifier and position.
std::string json_reason(std::string_view what);

}  // namespace heddle
