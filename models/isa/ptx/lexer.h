// SPDX-License-Identifier: Apache-2.0
// PTX text to tokens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::isa {

enum class TokenKind : std::uint8_t {
  end,          ///< after the last character
  identifier,   ///< add, %r1, $L__BB0_2, _, foo
  dotted,       ///< .global, .v4, .shared::cta, .1d: the text includes the dot
  integer,      ///< decimal, octal, 0x, 0b, with or without a U suffix
  float_hex32,  ///< 0f3F800000
  float_hex64,  ///< 0d3FF0000000000000
  float_text,   ///< 1.5, 2e-3
  string,       ///< text without the quotes
  symbol,       ///< one of  ( ) [ ] { } < > , ; : + - * / % ! ~ & | ^ = ? @
  error,        ///< a stray character or an unterminated string or comment
};

struct Token {
  std::string_view text;
  std::uint32_t line = 1, column = 1;  ///< of the first character, from 1
  TokenKind kind = TokenKind::end;

  bool is(char symbol_character) const { return kind == TokenKind::symbol && text[0] == symbol_character; }
  bool is(TokenKind k, std::string_view t) const { return kind == k && text == t; }
};

/// All tokens of `text`, ending with one of kind `end`; comments, `#` lines and `@@` lines (old debug sections) are
/// skipped. Never throws: invalid input becomes an error token, which matters only to a parser that reaches it. Tokens
/// refer to `text`.
std::vector<Token> tokenize(std::string_view text);

/// The value of an integer token; false when it does not fit 64 bits or has a digit outside its base.
bool integer_value(std::string_view text, std::uint64_t& value);
/// The value of a float_text token, rounded to nearest double.
double float_value(std::string_view text);

}  // namespace heddle::isa
