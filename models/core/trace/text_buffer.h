// SPDX-License-Identifier: Apache-2.0
// Text under construction: traces consist of millions of short lines, which are mostly numbers, so every part is
// appended without a formatting call or an allocation.
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <type_traits>

namespace heddle {

/// A number to be written in hexadecimal digits.
struct Hexadecimal {
  std::uint64_t value;
};

/// A text to be written as a JSON string, with its quotes.
struct Quoted {
  std::string_view text;
};

class TextBuffer {
 public:
  /// bytes: room at first; it grows.
  explicit TextBuffer(std::size_t bytes) : text_(std::make_unique_for_overwrite<char[]>(bytes)), room_(bytes) {}

  std::size_t size() const { return size_; }
  std::string_view text() const { return {text_.get(), size_}; }
  void clear() { size_ = 0; }

  void add(std::string_view text) {
    std::memcpy(place_for(text.size()), text.data(), text.size());
    size_ += text.size();
  }
  void add(char c) {
    *place_for(1) = c;
    ++size_;
  }
  template <std::unsigned_integral T>
  requires(!std::is_same_v<T, bool>) void add(T number) { digits(number, 10); }
  void add(Hexadecimal number) { digits(number.value, 16); }
  void add(Quoted quoted);
  /// As the shortest text that reads back as the same number.
  void add(double number);

 private:
  /// Longest text of a number.
  static constexpr std::size_t kNumber = 32;

  char* place_for(std::size_t bytes) {
    if (room_ - size_ < bytes) grow(bytes);
    return text_.get() + size_;
  }
  void digits(std::uint64_t number, int base) {
    char* const place = place_for(kNumber);
    size_ += static_cast<std::size_t>(std::to_chars(place, place + kNumber, number, base).ptr - place);
  }
  void grow(std::size_t bytes);

  std::unique_ptr<char[]> text_;
  std::size_t room_, size_ = 0;
};

}  // namespace heddle
