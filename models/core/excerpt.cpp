// SPDX-License-Identifier: Apache-2.0
#include "core/excerpt.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/names.h"

namespace heddle {
namespace {

/// Whether the number that ends at `at` follows a digit and a comma.
bool is_decimal_comma(std::string_view text, std::size_t at) {
  if (at >= text.size() || !is_decimal_digit(text[at])) return false;
  while (at > 0 && is_decimal_digit(text[at])) --at;
  return at > 0 && text[at] == ',' && is_decimal_digit(text[at - 1]);
}

}  // namespace

std::string excerpt(std::string_view text, std::size_t most) {
  std::string beginning(text.substr(0, most));
  for (char& c : beginning) {
    if (c < ' ' || c > '~') c = '?';
  }
  return beginning.size() < text.size() ? beginning + "..." : beginning;
}

std::string json_error(std::string_view text, std::size_t read, std::string_view what) {
  constexpr std::size_t kMost = 200;
  const std::string_view before = text.substr(0, std::min(read == 0 ? 0 : read - 1, text.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t column = before.size() - (before.rfind('\n') + 1) + 1;
  // The library's message is "[id] parse error at line l, column c: reason", and the reason quotes the last token,
  // which may be half the file.
  if (const auto at = what.find(": "); at != std::string_view::npos) what.remove_prefix(at + 2);
  const bool key_expected = what.find("expected string literal") != std::string_view::npos;
  return fmt::format(
      "{}:{}: malformed JSON: {}{}", line, column, excerpt(what, kMost),
      key_expected && is_decimal_comma(text, before.size()) ? "; a decimal has a point: 0.7, not 0,7" : "");
}

}  // namespace heddle
