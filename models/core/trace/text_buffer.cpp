// SPDX-License-Identifier: Apache-2.0
#include "core/trace/text_buffer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "core/json.h"

namespace heddle {
namespace {

constexpr std::uint64_t kFour = 10'000;

/// The numbers of four digits, with leading zeros.
constexpr auto kDigits = [] {
  std::array<char, 4 * kFour> digits{};
  for (std::size_t number = 0; number < kFour; ++number) {
    std::size_t rest = number;
    for (std::size_t i = 4; i-- > 0; rest /= 10) digits[4 * number + i] = static_cast<char>('0' + rest % 10);
  }
  return digits;
}();

/// Of fewer than five digits.
inline char* print_short(char* to, std::uint64_t number) {
  // As many characters as there are, as the length is known then; those behind the digits are overwritten.
  const std::size_t zeros = (number < 1000 ? 1 : 0) + (number < 100 ? 1 : 0) + (number < 10 ? 1 : 0);
  std::memcpy(to, &kDigits[4 * number + zeros], 4);
  return to + 4 - zeros;
}

}  // namespace

char* TextBuffer::print_decimal(char* to, std::uint64_t number) {
  if (number < kFour) return print_short(to, number);
  const std::uint64_t before = number / kFour;
  to = before < kFour ? print_short(to, before) : print_decimal(to, before);
  std::memcpy(to, &kDigits[4 * (number - kFour * before)], 4);
  return to + 4;
}

char* TextBuffer::print(char* to, Hexadecimal number) { return std::to_chars(to, to + kNumber, number.value, 16).ptr; }

char* TextBuffer::print(char* to, double number) {
  // Times and values are whole numbers, with few exceptions.
  constexpr double kWhole = 1e15;
  if (number < kWhole && !std::signbit(number)) {
    const auto whole = static_cast<std::uint64_t>(number);
    if (static_cast<double>(whole) == number) return print(to, whole);
  }
  return fmt::format_to(to, "{}", number);
}

char* TextBuffer::print(char* to, Quoted quoted) {
  if (!json_plain(quoted.text)) return print(to, std::string_view(json_quote(quoted.text)));
  return print(to, Plain{quoted.text});
}

void TextBuffer::grow(std::size_t bytes) {
  room_ = std::max(size_ + bytes, 2 * room_);
  auto larger = std::make_unique_for_overwrite<char[]>(room_);
  std::memcpy(larger.get(), text_.get(), size_);
  text_ = std::move(larger);
}

}  // namespace heddle
