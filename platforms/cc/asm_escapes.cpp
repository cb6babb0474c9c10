// SPDX-License-Identifier: Apache-2.0
#include "cc/asm_escapes.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace heddle::cc {
namespace {

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool in_word(char c) { return is_letter(c) || is_digit(c); }

/// Walks over C++ text, treating strings, character literals and comments as units.
class Walker {
 public:
  explicit Walker(const std::string& text) : text_(text) {}

  bool at_end() const { return at_ >= text_.size(); }
  std::size_t position() const { return at_; }
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  bool at_string() const { return peek() == '"'; }

  /// Moves past the unit at the cursor.
  void step() {
    const char c = peek();
    if (c == '"' || c == '\'') {
      quoted(c);
    } else if (text_.compare(at_, 2, "//") == 0) {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (text_.compare(at_, 2, "/*") == 0) {
      const std::size_t end = text_.find("*/", at_ + 2);
      at_ = end == std::string::npos ? text_.size() : end + 2;
    } else if (is_letter(c)) {
      const std::size_t start = at_;
      while (at_ < text_.size() && in_word(text_[at_])) ++at_;
      if (peek() == '"' && text_[at_ - 1] == 'R' && at_ - start <= 3) raw();
    } else if (is_digit(c)) {
      // The apostrophe in 1'000 is not a character literal.
      while (at_ < text_.size() && (in_word(text_[at_]) || text_[at_] == '\'')) ++at_;
    } else {
      ++at_;
    }
  }

 private:
  void quoted(char mark) {
    ++at_;
    while (at_ < text_.size() && text_[at_] != mark && text_[at_] != '\n') at_ += text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_ + 1, text_.size());
  }
  void raw() {
    const std::size_t open = text_.find('(', at_);
    if (open == std::string::npos) {
      at_ = text_.size();
      return;
    }
    const std::string end = ")" + text_.substr(at_ + 1, open - at_ - 1) + "\"";
    const std::size_t close = text_.find(end, open);
    at_ = close == std::string::npos ? text_.size() : close + end.size();
  }

  const std::string& text_;
  std::size_t at_ = 0;
};

/// Whether clang interprets the text after the % at `at`: an operand, optionally with a modifier letter, or a symbol.
bool is_operand(std::string_view text, std::size_t at) {
  const char first = at + 1 < text.size() ? text[at + 1] : '\0', second = at + 2 < text.size() ? text[at + 2] : '\0';
  return !is_letter(first) || is_digit(second) || second == '[';
}

void copy_template(std::string_view text, bool escapes, std::string& out) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    if (text[i] != '%') continue;
    if (i + 1 < text.size() && text[i + 1] == '%') {
      out += text[++i];
    } else if (escapes && !is_operand(text, i)) {
      out += '%';
    }
  }
}

}  // namespace

std::string with_escaped_registers(const std::string& source) {
  if (source.find("asm") == std::string::npos || source.find('%') == std::string::npos) return source;
  std::string out;
  std::size_t copied = 0;
  Walker walker(source);
  while (!walker.at_end()) {
    const std::size_t start = walker.position();
    const bool word = is_letter(walker.peek());
    walker.step();
    const std::string_view text(source.data() + start, walker.position() - start);
    if (!word || (text != "asm" && text != "__asm__" && text != "__asm")) continue;
    while (!walker.at_end() && walker.peek() != '(' && walker.peek() != ';' && walker.peek() != '{') walker.step();
    if (walker.peek() != '(') continue;
    // The template ends at the first colon outside nested parentheses; without one there are no operands.
    const std::size_t first = walker.position();
    Walker end = walker;
    end.step();
    unsigned depth = 1;
    bool operands = false;
    while (!end.at_end() && depth != 0 && !operands) {
      if (end.peek() == '(') ++depth;
      if (end.peek() == ')') --depth;
      operands = depth == 1 && end.peek() == ':';
      end.step();
    }
    out.append(source, copied, first - copied);
    while (walker.position() < end.position()) {
      const std::size_t begin = walker.position();
      walker.step();
      const std::string_view piece(source.data() + begin, walker.position() - begin);
      copy_template(piece, operands && piece.find('"') != std::string_view::npos, out);
    }
    copied = walker.position();
  }
  out.append(source, copied, std::string::npos);
  return out;
}

}  // namespace heddle::cc
