// SPDX-License-Identifier: Apache-2.0
#include "core/quantity_text.h"

#include <fmt/format.h>

#include <charconv>

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

}  // namespace heddle
