// SPDX-License-Identifier: Apache-2.0
#include "core/trace/text_buffer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/json.h"

namespace heddle {

void TextBuffer::add(double number) {
  // Times and values are whole numbers, with few exceptions.
  constexpr double kWhole = 1e15;
  if (number == std::floor(number) && number < kWhole && !std::signbit(number)) {
    add(static_cast<std::uint64_t>(number));
    return;
  }
  char* const place = place_for(kNumber);
  size_ += static_cast<std::size_t>(fmt::format_to(place, "{}", number) - place);
}

void TextBuffer::add(Quoted quoted) {
  if (!json_plain(quoted.text)) {
    add(std::string_view(json_quote(quoted.text)));
    return;
  }
  add('"');
  add(quoted.text);
  add('"');
}

void TextBuffer::grow(std::size_t bytes) {
  room_ = std::max(size_ + bytes, 2 * room_);
  auto larger = std::make_unique_for_overwrite<char[]>(room_);
  std::memcpy(larger.get(), text_.get(), size_);
  text_ = std::move(larger);
}

}  // namespace heddle
