// SPDX-License-Identifier: Apache-2.0
#include "cc/launch_brackets.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string_view>
#include <vector>

namespace heddle::cc {

namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

/// Position of a token: a bracket of any kind, a word, or any other single character. Comments and literals are
/// skipped.
struct Token {
  std::size_t begin, end;
};

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::vector<Token> tokens() {
    while (at_ < text_.size()) {
      const std::size_t begin = at_;
      if (skip_blank() || skip_literal()) continue;
      if (is_word(text_[at_])) {
        while (at_ < text_.size() && is_word(text_[at_])) ++at_;
      } else if (text_[at_] == '<' || text_[at_] == '>') {
        // Angle brackets by maximal munch, ignoring a following '='.
        const char c = text_[at_];
        while (at_ < text_.size() && text_[at_] == c && at_ - begin < 3) ++at_;
      } else {
        ++at_;
      }
      tokens_.push_back({begin, at_});
    }
    return std::move(tokens_);
  }

 private:
  bool starts(std::string_view word) const { return text_.substr(at_, word.size()) == word; }
  void skip_past(std::string_view end) {
    const std::size_t found = text_.find(end, at_);
    at_ = found == std::string_view::npos ? text_.size() : found + end.size();
  }

  bool skip_blank() {
    if (is_space(text_[at_]) || (text_[at_] == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n')) {
      ++at_;
    } else if (starts("/*")) {
      at_ += 2;
      skip_past("*/");
    } else if (starts("//")) {
      // A backslash continues the line.
      do skip_past("\n");
      while (at_ >= 2 && at_ < text_.size() && text_[at_ - 2] == '\\');
    } else {
      return false;
    }
    return true;
  }

  bool skip_literal() {
    const char c = text_[at_];
    if (c == '"' && at_ > 0 && text_[at_ - 1] == 'R') {
      const std::size_t open = text_.find('(', at_);
      if (open == std::string_view::npos) return at_ = text_.size(), true;
      const std::string end = ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"";
      at_ = open;
      skip_past(end);
      return true;
    }
    // An apostrophe in a number separates digits.
    const bool separator = c == '\'' && at_ > 0 && std::isxdigit(static_cast<unsigned char>(text_[at_ - 1])) != 0 &&
                           !tokens_.empty() && tokens_.back().end == at_ &&
                           std::isdigit(static_cast<unsigned char>(text_[tokens_.back().begin])) != 0;
    if (separator) return ++at_, true;
    if (c != '"' && c != '\'') return false;
    for (++at_; at_ < text_.size() && text_[at_] != c && text_[at_] != '\n'; ++at_) {
      if (text_[at_] == '\\') ++at_;
    }
    at_ = std::min(at_ + 1, text_.size());
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Token> tokens_;
};

class Joiner {
 public:
  explicit Joiner(const std::string& text) : text_(text), tokens_(Scanner(text).tokens()) {}

  std::string joined() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (const std::size_t inside = opening(i); inside != 0) close(inside);
    }
    return changed_ ? out_ : std::string();
  }

 private:
  std::string_view token(std::size_t i) const {
    return i < tokens_.size() ? std::string_view(text_).substr(tokens_[i].begin, tokens_[i].end - tokens_[i].begin)
                              : std::string_view();
  }

  /// The token after the launch-opening brackets at token i, joining them if necessary; zero when there are none.
  std::size_t opening(std::size_t i) {
    if (token(i) == "<<<") return i + 1;
    // A launch follows a name or the end of template arguments; `operator<< <T>` is a name itself.
    if (token(i) != "<<" || token(i + 1) != "<" || i == 0) return 0;
    const std::string_view before = token(i - 1);
    if (before == "operator" || (!is_word(before.back()) && before != ">" && before != ")" && before != "]")) return 0;
    join(i);
    return i + 2;
  }

  /// Joins the brackets that close the launch whose configuration begins at token i.
  void close(std::size_t i) {
    int depth = 0;
    for (; i < tokens_.size(); ++i) {
      const std::string_view here = token(i);
      if (here == "(" || here == "[" || here == "{") ++depth;
      if (here == ")" || here == "]" || here == "}") --depth;
      if (depth < 0 || (depth == 0 && (here == ";" || here == ">>>"))) return;
      if (depth == 0 && here == ">>" && token(i + 1) == ">" && token(i + 2) == "(") return join(i);
    }
  }

  /// Moves the bracket of token i + 1 to the end of token i; text in between follows it.
  void join(std::size_t i) {
    const std::size_t from = tokens_[i + 1].begin, to = tokens_[i].end;
    if (!changed_) out_ = text_;
    changed_ = true;
    std::rotate(out_.begin() + static_cast<std::ptrdiff_t>(to), out_.begin() + static_cast<std::ptrdiff_t>(from),
                out_.begin() + static_cast<std::ptrdiff_t>(from + 1));
  }

  const std::string& text_;
  std::vector<Token> tokens_;
  std::string out_;
  bool changed_ = false;
};

}  // namespace

std::string with_joined_brackets(const std::string& text) {
  // Most sources have none and need no tokenising.
  bool apart = false;
  for (std::size_t at = text.find("<<"); at != std::string::npos && !apart; at = text.find("<<", at + 2)) {
    const std::size_t next = text.find_first_not_of(" \t", at + 2);
    apart = next != std::string::npos && (text[next] == '/' || (text[next] == '<' && next != at + 2));
  }
  for (std::size_t at = text.find(">>"); at != std::string::npos && !apart; at = text.find(">>", at + 2)) {
    const std::size_t next = text.find_first_not_of(" \t\r\n\\", at + 2);
    apart = next != std::string::npos && (text[next] == '/' || (text[next] == '>' && next != at + 2));
  }
  return apart ? Joiner(text).joined() : std::string();
}

}  // namespace heddle::cc
