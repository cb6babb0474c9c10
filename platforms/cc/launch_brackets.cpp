// SPDX-License-Identifier: Apache-2.0
#include "cc/launch_brackets.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <map>
#include <set>
#include <string_view>

#include "core/error.h"
#include "core/file.h"
#include "core/json.h"

namespace heddle::cc {

namespace fs = std::filesystem;

namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

/// Where each token begins and ends that matters here: brackets of every kind, words, and everything else by itself.
/// Comments and literals are passed over.
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
        // A run of them, longest first as the language reads them, without regard to a following '='.
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
      // A line that ends in a backslash goes on.
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

  /// The token behind the brackets that open a launch at token i, in one piece or made so; zero when there are none.
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

  /// Moves the bracket of token i + 1 to the end of token i; what was between stays behind it.
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

/// Reads sources and what they include, and keeps the corrected texts.
class Sources {
 public:
  explicit Sources(const std::vector<std::string>& folders) : folders_(folders) {}

  void visit(const fs::path& file) {
    std::error_code error;
    const fs::path whole = fs::absolute(file, error).lexically_normal();
    if (error || !fs::is_regular_file(whole, error) || !seen_.insert(whole).second) return;
    std::string text;
    try {
      text = read_file(whole);
    } catch (const Error&) {
      return;
    }
    for (const std::string& name : included_names(text)) {
      if (const fs::path found = find(name, whole.parent_path()); !found.empty()) visit(found);
    }
    if (std::string joined = with_joined_brackets(text); !joined.empty()) corrected_[whole] = std::move(joined);
  }

  const std::map<fs::path, std::string>& corrected() const { return corrected_; }

 private:
  fs::path find(const fs::path& name, const fs::path& beside) const {
    std::error_code error;
    if (name.is_absolute()) return name;
    if (fs::exists(beside / name, error)) return beside / name;
    for (const std::string& folder : folders_) {
      if (fs::exists(folder / name, error)) return folder / name;
    }
    return {};
  }

  const std::vector<std::string>& folders_;
  std::set<fs::path> seen_;
  std::map<fs::path, std::string> corrected_;
};

}  // namespace

std::string with_joined_brackets(const std::string& text) {
  // Nearly every source has none: no token is made of those.
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

std::vector<std::string> included_names(const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    std::string_view line = std::string_view(text).substr(start, end - start);
    const auto skip = [&line] { line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size())); };
    start = end + 1;
    skip();
    if (!line.starts_with('#')) continue;
    line.remove_prefix(1);
    skip();
    if (!line.starts_with("include")) continue;
    line.remove_prefix(7);
    skip();
    if (line.empty() || (line[0] != '"' && line[0] != '<')) continue;
    const std::size_t close = line.find(line[0] == '"' ? '"' : '>', 1);
    if (close != std::string_view::npos) names.emplace_back(line.substr(1, close - 1));
  }
  return names;
}

std::string bracket_overlay(const std::string& source, const std::vector<std::string>& folders,
                            const fs::path& copies) {
  Sources sources(folders);
  sources.visit(source);
  if (sources.corrected().empty()) return {};
  JsonWriter overlay;
  overlay.begin_object().member("version", 0).member("case-sensitive", "true").member("use-external-names", false);
  overlay.key("roots").begin_array();
  std::size_t number = 0;
  for (const auto& [file, text] : sources.corrected()) {
    const fs::path copy = copies / fmt::format("brackets{}{}", number++, file.extension().string());
    write_file(copy, text);
    overlay.begin_object().member("type", "file").member("name", file.string());
    overlay.member("external-contents", fs::absolute(copy).string()).end_object();
  }
  overlay.end_array().end_object();
  const fs::path file = copies / "brackets.yaml";
  write_file(file, overlay.text());
  return file.string();
}

}  // namespace heddle::cc
