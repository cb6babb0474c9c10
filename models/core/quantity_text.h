// SPDX-License-Identifier: Apache-2.0
// Formatting and parsing of human-readable quantities.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace heddle {

/// 1234567 as "1.23 M".
std::string engineering(double value);
/// "2.3 ms", "12 s", "3 min 20 s", "2 h 5 min".
std::string duration_text(double seconds);
/// Parses all of `text` as a decimal number. False when it is not a number or too large.
bool parse_natural(std::string_view text, std::uint64_t& value);

/// Parses a size with its unit, "48KB", "1.5 MiB" or "64 bytes", into bytes. Binary: KB and KiB are both 1024 bytes.
/// Letters may be of either case. Empty without a unit, or when it is no whole number of bytes.
std::optional<std::uint64_t> parse_size(std::string_view text);
/// 49152 as "48 KB"; in bytes where quarters of a larger unit do not express it.
std::string size_text(std::uint64_t bytes);

}  // namespace heddle
