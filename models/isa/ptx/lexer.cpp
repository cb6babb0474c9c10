// SPDX-License-Identifier: Apache-2.0
#include "isa/ptx/lexer.h"

#include <charconv>

namespace heddle::isa {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_follow(char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '$'; }
bool is_symbol(char c) { return std::string_view("()[]{}<>,;:+-*/%!~&|^=?@").find(c) != std::string_view::npos; }

unsigned digit_value(char c) {
  if (is_digit(c)) return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  return 99;
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> run() {
    std::vector<Token> tokens;
    tokens.reserve(text_.size() / 4 + 1);
    while (skip_blank(tokens)) tokens.push_back(next());
    tokens.push_back(Token{text_.substr(text_.size()), line_, column(at_), TokenKind::end});
    return tokens;
  }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  std::uint32_t column(std::size_t at) const { return static_cast<std::uint32_t>(at - line_start_ + 1); }

  void skip_line() {
    while (at_ < text_.size() && text_[at_] != '\n') ++at_;
  }

  // Skips white space and comments. True when a token follows.
  bool skip_blank(std::vector<Token>& tokens) {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        ++line_;
        line_start_ = ++at_;
      } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v' || c == '\0') {
        ++at_;
      } else if (c == '#' || (c == '@' && peek(1) == '@') || (c == '/' && peek(1) == '/')) {
        skip_line();
      } else if (c == '/' && peek(1) == '*') {
        const Token opening{text_.substr(at_, 2), line_, column(at_), TokenKind::error};
        at_ += 2;
        while (at_ < text_.size() && !(text_[at_] == '*' && peek(1) == '/')) {
          if (text_[at_] == '\n') {
            ++line_;
            line_start_ = at_ + 1;
          }
          ++at_;
        }
        if (at_ == text_.size()) {
          tokens.push_back(opening);
          return false;
        }
        at_ += 2;
      } else {
        return true;
      }
    }
    return false;
  }

  Token finish(std::size_t start, TokenKind kind) const {
    return Token{text_.substr(start, at_ - start), line_, column(start), kind};
  }

  Token next() {
    const std::size_t start = at_;
    const char c = text_[at_];
    if (is_digit(c)) return number();
    if (c == '"') return string();
    if (c == '.' && (is_follow(peek(1)))) return dotted();
    if (is_letter(c) || c == '_' || c == '$' ||
        (c == '%' && (is_letter(peek(1)) || peek(1) == '_' || peek(1) == '$'))) {
      ++at_;
      while (is_follow(peek())) ++at_;
      return finish(start, TokenKind::identifier);
    }
    ++at_;
    return finish(start, is_symbol(c) ? TokenKind::symbol : TokenKind::error);
  }

  // ".shared::cta" and ".L2::128B" are one modifier.
  Token dotted() {
    const std::size_t start = at_++;
    while (is_follow(peek()) || (peek() == ':' && peek(1) == ':' && is_follow(peek(2)))) at_ += peek() == ':' ? 2 : 1;
    return finish(start, TokenKind::dotted);
  }

  Token string() {
    const std::size_t start = at_++;
    while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n')
      at_ += text_[at_] == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] != '\n' ? 2 : 1;
    if (at_ >= text_.size() || text_[at_] != '"') return finish(start, TokenKind::error);
    ++at_;
    Token token = finish(start, TokenKind::string);
    token.text = token.text.substr(1, token.text.size() - 2);
    return token;
  }

  Token number() {
    const std::size_t start = at_;
    const char second = peek(1);
    if (text_[at_] == '0' && (second == 'f' || second == 'F' || second == 'd' || second == 'D')) {
      const bool single = second == 'f' || second == 'F';
      at_ += 2;
      std::size_t digits = 0;
      for (; is_hex(peek()); ++at_) ++digits;
      return finish(start, digits != (single ? 8u : 16u) ? TokenKind::error
                           : single                      ? TokenKind::float_hex32
                                                         : TokenKind::float_hex64);
    }
    if (text_[at_] == '0' && (second == 'x' || second == 'X' || second == 'b' || second == 'B')) {
      at_ += 2;
      while (is_hex(peek())) ++at_;
      if (peek() == 'U') ++at_;
      return finish(start, TokenKind::integer);
    }
    while (is_digit(peek())) ++at_;
    TokenKind kind = TokenKind::integer;
    if (peek() == '.' && is_digit(peek(1))) {
      kind = TokenKind::float_text;
      ++at_;
      while (is_digit(peek())) ++at_;
    } else if (peek() == '.' && !is_follow(peek(1))) {
      kind = TokenKind::float_text;
      ++at_;
    }
    if ((peek() == 'e' || peek() == 'E') &&
        (is_digit(peek(1)) || ((peek(1) == '-' || peek(1) == '+') && is_digit(peek(2))))) {
      kind = TokenKind::float_text;
      at_ += 2;
      while (is_digit(peek())) ++at_;
    }
    if (kind == TokenKind::integer && peek() == 'U') ++at_;
    return finish(start, kind);
  }

  std::string_view text_;
  std::size_t at_ = 0, line_start_ = 0;
  std::uint32_t line_ = 1;
};

}  // namespace

std::vector<Token> tokenize(std::string_view text) { return Lexer(text).run(); }

bool integer_value(std::string_view text, std::uint64_t& value) {
  if (!text.empty() && text.back() == 'U') text.remove_suffix(1);
  unsigned base = 10;
  if (text.size() > 1 && text[0] == '0') {
    const char kind = text[1];
    base = kind == 'x' || kind == 'X' ? 16 : kind == 'b' || kind == 'B' ? 2 : 8;
    text.remove_prefix(base == 8 ? 1 : 2);
  }
  if (text.empty()) return false;
  value = 0;
  for (const char c : text) {
    const unsigned digit = digit_value(c);
    if (digit >= base || value > (~std::uint64_t{0} - digit) / base) return false;
    value = value * base + digit;
  }
  return true;
}

double float_value(std::string_view text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace heddle::isa
