// SPDX-License-Identifier: Apache-2.0
#include "core/quantity_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace heddle {

std::string engineering(double value) {
  const char* const prefixes[] = {"", " k", " M", " G", " T"};
  unsigned i = 0;
  for (; value >= 1000 && i < 4; ++i) value /= 1000;
  return i == 0 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}{}", value, prefixes[i]);
}

std::string duration_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.3g} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.3g} ms", seconds * 1e3);
  const auto whole = static_cast<std::uint64_t>(seconds + 0.5);
  if (whole < 60) return fmt::format("{:.3g} s", seconds);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

bool parse_natural(std::string_view text, std::uint64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
  double number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number, std::chars_format::fixed);
  if (error != std::errc()) return std::nullopt;
  std::string unit;
  for (const char* at = end; at != last; ++at) {
    if (*at != ' ') unit += static_cast<char>(*at >= 'A' && *at <= 'Z' ? *at - 'A' + 'a' : *at);
  }
  if (unit == "byte" || unit == "bytes") unit = "b";
  const std::string_view prefixes = "kmgt";
  const std::size_t power = unit.empty() ? std::string_view::npos : prefixes.find(unit.front());
  double scale = 1;
  if (power != std::string_view::npos) {
    const std::string_view rest = std::string_view(unit).substr(1);
    if (!rest.empty() && rest != "b" && rest != "ib") return std::nullopt;
    scale = std::exp2(10.0 * static_cast<double>(power + 1));
  } else if (unit != "b") {
    return std::nullopt;
  }
  const double bytes = number * scale;
  // Beyond 2^53 a double no longer holds every whole number.
  if (bytes < 0 || bytes > 0x1p53 || bytes != std::floor(bytes)) return std::nullopt;
  return static_cast<std::uint64_t>(bytes);
}

std::string size_text(std::uint64_t bytes) {
  const char* const units[] = {"TB", "GB", "MB", "KB"};
  for (unsigned i = 0; i < 4; ++i) {
    const std::uint64_t unit = std::uint64_t{1} << (10 * (4 - i));
    if (bytes >= unit && bytes % (unit / 4) == 0)
      return fmt::format("{} {}", static_cast<double>(bytes) / static_cast<double>(unit), units[i]);
  }
  return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s");
}

}  // namespace heddle
