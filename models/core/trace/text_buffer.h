// SPDX-License-Identifier: Apache-2.0
// Text under construction: traces consist of millions of short lines, which are mostly numbers, so every part is
// appended without a formatting call or an allocation.
#pragma once

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

/// The same for a text of printable characters without quotes and backslashes.
struct Plain {
  std::string_view text;
};

class TextBuffer {
 public:
  /// bytes: room at first; it grows.
  explicit TextBuffer(std::size_t bytes) : text_(std::make_unique_for_overwrite<char[]>(bytes)), room_(bytes) {}

  std::size_t size() const { return size_; }
  std::string_view text() const { return {text_.get(), size_}; }
  void clear() { size_ = 0; }

  /// Appends texts, characters, unsigned numbers and the types above; a double as the shortest text that reads back as
  /// the same number.
  template <typename... Parts>
  void add(const Parts&... parts) {
    add_at_most((most(parts) + ... + 0), [&](char* to) {
      ((to = print(to, parts)), ...);
      return to;
    });
  }
  /// Appends what print(place) puts at a place with room for `most` bytes; it returns its end.
  template <typename Print>
  void add_at_most(std::size_t most, Print&& print) {
    size_ = static_cast<std::size_t>(print(place_for(most)) - text_.get());
  }

 private:
  /// Longest text of a number.
  static constexpr std::size_t kNumber = 32;

  // Room for a part, and the part at `to`; returns its end.
  static constexpr std::size_t most(char) { return 1; }
  static constexpr std::size_t most(std::string_view text) { return text.size(); }
  template <std::size_t kSize>
  static constexpr std::size_t most(const char (&)[kSize]) {
    return kSize;
  }
  template <typename T>
  requires(std::is_arithmetic_v<T>) static constexpr std::size_t most(T) { return kNumber; }
  static constexpr std::size_t most(Hexadecimal) { return kNumber; }
  /// A character may take six.
  static constexpr std::size_t most(Quoted quoted) { return 6 * quoted.text.size() + 2; }
  static constexpr std::size_t most(Plain plain) { return plain.text.size() + 2; }

  static char* print(char* to, char c) {
    *to = c;
    return to + 1;
  }
  static char* print(char* to, std::string_view text) {
    std::memcpy(to, text.data(), text.size());
    return to + text.size();
  }
  /// A literal, whose length is known to the compiler.
  template <std::size_t kSize>
  static char* print(char* to, const char (&literal)[kSize]) {
    std::memcpy(to, literal, kSize - 1);
    return to + kSize - 1;
  }
  template <std::unsigned_integral T>
  requires(!std::is_same_v<T, bool>) static char* print(char* to, T number) {
    if (number >= 10) return print_decimal(to, number);
    *to = static_cast<char>('0' + number);
    return to + 1;
  }
  static char* print(char* to, Plain plain) {
    *to++ = '"';
    to = print(to, plain.text);
    *to++ = '"';
    return to;
  }
  static char* print(char* to, Hexadecimal number);
  static char* print(char* to, Quoted quoted);
  static char* print(char* to, double number);
  static char* print_decimal(char* to, std::uint64_t number);

  char* place_for(std::size_t bytes) {
    if (room_ - size_ < bytes) grow(bytes);
    return text_.get() + size_;
  }
  void grow(std::size_t bytes);

  std::unique_ptr<char[]> text_;
  std::size_t room_, size_ = 0;
};

}  // namespace heddle
