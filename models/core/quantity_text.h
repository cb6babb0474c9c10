// SPDX-License-Identifier: Apache-2.0
// Formatting and parsing of human-readable quantities.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace heddle {

/// 1234567 as "1.23 M".
std::string engineering(double value);
/// "2.3 ms", "12 s", "3 min 20 s", "2 h 5 min".
std::string duration_text(double seconds);
/// Parses all of `text` as a decimal number. False when it is not a number or too large.
bool parse_natural(std::string_view text, std::uint64_t& value);

}  // namespace heddle
