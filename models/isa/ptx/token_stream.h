// SPDX-License-Identifier: Apache-2.0
// A cursor over tokens, with error reporting shared by all parsers of the front end.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "isa/ptx/lexer.h"

namespace heddle::isa {

/// Throws Error(kPtx) "name:line:column: message".
template <typename... Args>
[[noreturn]] void fail_at(std::string_view name, std::uint32_t line, std::uint32_t column,
                          fmt::format_string<Args...> format, Args&&... args) {
  throw Error(ExitCode::ptx,
              fmt::format("{}:{}:{}: {}", name, line, column, fmt::format(format, std::forward<Args>(args)...)));
}

/// Reads a token range terminated by an `end` token. Never moves past the end.
class TokenStream {
 public:
  /// `tokens` ends with a token of kind end. `name` is the module's name in messages and outlives the stream.
  TokenStream(std::span<const Token> tokens, std::string_view name) : tokens_(tokens), name_(name) {}
  std::string_view name() const { return name_; }

  const Token& peek(std::size_t ahead = 0) const {
    const std::size_t at = at_ + ahead;
    return at < tokens_.size() ? tokens_[at] : tokens_.back();
  }
  const Token& take() {
    const Token& token = peek();
    if (token.kind == TokenKind::error) unexpected(token, "PTX");
    if (at_ + 1 < tokens_.size()) ++at_;
    return token;
  }
  bool at_end() const { return peek().kind == TokenKind::end; }
  std::size_t position() const { return at_; }
  void seek(std::size_t position) { at_ = position; }

  bool accept(char symbol) {
    if (!peek().is(symbol)) return false;
    take();
    return true;
  }
  bool accept_dotted(std::string_view text) {
    if (!peek().is(TokenKind::dotted, text)) return false;
    take();
    return true;
  }
  const Token& expect(char symbol) {
    if (!peek().is(symbol)) unexpected(peek(), std::string_view(&symbol, 1));
    return take();
  }
  const Token& expect(TokenKind kind, std::string_view what) {
    if (peek().kind != kind) unexpected(peek(), what);
    return take();
  }

  template <typename... Args>
  [[noreturn]] void fail(const Token& token, fmt::format_string<Args...> format, Args&&... args) const {
    fail_at(name_, token.line, token.column, format, std::forward<Args>(args)...);
  }
  [[noreturn]] void unexpected(const Token& token, std::string_view wanted) const {
    if (token.kind == TokenKind::end) fail(token, "expected {}, found the end of the text", wanted);
    if (token.kind == TokenKind::error && token.text.substr(0, 1) == "\"") fail(token, "unterminated string");
    if (token.kind == TokenKind::error && token.text.substr(0, 2) == "/*") fail(token, "unterminated comment");
    fail(token, "expected {}, found '{}'", wanted, printable(token.text));
  }

 private:
  // Keeps control characters and overlong words of damaged files out of messages.
  static std::string printable(std::string_view text) {
    std::string out;
    for (const char c : text.substr(0, 60)) out += c >= ' ' && c <= '~' ? c : '?';
    return out;
  }

  std::span<const Token> tokens_;
  std::size_t at_ = 0;
  std::string_view name_;
};

}  // namespace heddle::isa
