// SPDX-License-Identifier: Apache-2.0
#include "cc/asm_escapes.h"

#include <cctype>
#include <fstream>
#include <iterator>
#include <set>
#include <string_view>

#include "core/error.h"

namespace heddle::cc {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 1000;  // includes may be many, and in a circle

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool in_word(char c) { return is_letter(c) || is_digit(c); }

/// Walks over C++ text: strings, characters and comments are units.
class Walker {
 public:
  explicit Walker(const std::string& text) : text_(text) {}

  bool at_end() const { return at_ >= text_.size(); }
  std::size_t position() const { return at_; }
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  bool at_string() const { return peek() == '"'; }

  /// Behind the unit at the cursor.
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
      // 1'000 has no character in it.
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

/// Whether clang reads what stands behind the % at `at`: an operand, with a letter before it or not, or a sign.
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

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Names in #include directives, with whether they stand in quotes.
std::vector<std::pair<std::string, bool>> includes_of(const std::string& text) {
  std::vector<std::pair<std::string, bool>> out;
  for (std::size_t at = text.find("include"); at != std::string::npos; at = text.find("include", at + 7)) {
    std::size_t before = at;
    while (before > 0 && (text[before - 1] == ' ' || text[before - 1] == '\t')) --before;
    if (before == 0 || text[before - 1] != '#') continue;
    const std::size_t open = text.find_first_not_of(" \t", at + 7);
    if (open == std::string::npos || (text[open] != '"' && text[open] != '<')) continue;
    const std::size_t close = text.find_first_of("\">\n", open + 1);
    if (close == std::string::npos || text[close] == '\n') continue;
    out.emplace_back(text.substr(open + 1, close - open - 1), text[open] == '"');
  }
  return out;
}

std::string json_text(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
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
    // The template lasts to the first colon that stands in no further parenthesis; without one there are no operands.
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

std::vector<fs::path> include_folders(const std::vector<std::string>& flags) {
  std::vector<fs::path> out;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    if (flags[i] == "-I" && i + 1 < flags.size()) {
      out.emplace_back(flags[++i]);
    } else if (flags[i].rfind("-I", 0) == 0 && flags[i].size() > 2) {
      out.emplace_back(flags[i].substr(2));
    }
  }
  return out;
}

std::string escape_overlay(const fs::path& source, const std::vector<fs::path>& folders, const fs::path& work) {
  std::error_code error;
  std::vector<fs::path> found{fs::absolute(source, error)};
  std::set<fs::path> seen{found.front()};
  std::string files;
  unsigned number = 0;
  for (std::size_t i = 0; i < found.size() && i < kMostFiles; ++i) {
    const fs::path file = found[i];
    const std::string text = read_text(file);
    for (const auto& [name, quoted] : includes_of(text)) {
      std::vector<fs::path> candidates;
      if (quoted) candidates.push_back(file.parent_path() / name);
      for (const fs::path& folder : folders) candidates.push_back(fs::absolute(folder, error) / name);
      for (const fs::path& candidate : candidates) {
        if (!fs::is_regular_file(candidate, error)) continue;
        // As clang will ask for it: the name as it is put together, dots and all.
        if (seen.insert(candidate).second) found.push_back(candidate);
        break;
      }
    }
    const std::string escaped = with_escaped_registers(text);
    if (escaped == text) continue;
    const fs::path copy = work / ("escaped-" + std::to_string(number++) + ".txt");
    std::ofstream out(copy, std::ios::binary | std::ios::trunc);
    out << escaped;
    if (!out.flush()) fail(ExitCode::kIo, "{}: cannot be written", copy.string());
    for (const fs::path& known : {file, file.lexically_normal()}) {
      files += files.empty() ? "" : ",\n";
      files += "{\"type\": \"file\", \"name\": " + json_text(known.string()) +
               ", \"external-contents\": " + json_text(fs::absolute(copy, error).string()) + "}";
      if (file == file.lexically_normal()) break;
    }
  }
  if (files.empty()) return {};
  const fs::path overlay = work / "escaped.yaml";
  std::ofstream out(overlay, std::ios::binary | std::ios::trunc);
  out << "{\"version\": 0, \"use-external-names\": false, \"roots\": [\n" << files << "]}\n";
  if (!out.flush()) fail(ExitCode::kIo, "{}: cannot be written", overlay.string());
  return overlay.string();
}

}  // namespace heddle::cc
