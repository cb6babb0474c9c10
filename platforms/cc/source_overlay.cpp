// SPDX-License-Identifier: Apache-2.0
#include "cc/source_overlay.h"

#include <fmt/core.h>

#include <map>
#include <set>
#include <string_view>

#include "cc/asm_escapes.h"
#include "cc/launch_brackets.h"
#include "core/error.h"
#include "core/file.h"
#include "core/json.h"

namespace heddle::cc {

namespace fs = std::filesystem;

namespace {

/// The text in the form clang accepts; unchanged if already valid.
std::string corrected(const std::string& text) {
  const std::string joined = with_joined_brackets(text);
  return with_escaped_registers(joined.empty() ? text : joined);
}

/// Reads sources and their includes, and stores corrected texts under the names clang will request.
class Sources {
 public:
  explicit Sources(const std::vector<std::string>& folders) : folders_(folders) {}

  void visit(const fs::path& file) {
    std::error_code error;
    const fs::path whole = fs::absolute(file, error);
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
    std::string better = corrected(text);
    if (better == text) return;
    // A composed path may contain dot components.
    corrected_[whole.lexically_normal()] = better;
    corrected_[whole] = std::move(better);
  }

  const std::map<fs::path, std::string>& corrections() const { return corrected_; }

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

std::vector<std::string> include_folders(const std::vector<std::string>& flags) {
  std::vector<std::string> folders;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    const bool last = i + 1 == flags.size();
    if ((flags[i] == "-I" || flags[i] == "-isystem") && !last) {
      folders.push_back(flags[++i]);
    } else if (flags[i].starts_with("-I") && flags[i].size() > 2) {
      folders.push_back(flags[i].substr(2));
    }
  }
  return folders;
}

std::string source_overlay(const std::string& source, const std::vector<std::string>& folders, const fs::path& copies) {
  Sources sources(folders);
  sources.visit(source);
  if (sources.corrections().empty()) return {};
  JsonWriter overlay;
  overlay.begin_object().member("version", 0).member("case-sensitive", "true").member("use-external-names", false);
  overlay.key("roots").begin_array();
  std::size_t number = 0;
  for (const auto& [file, text] : sources.corrections()) {
    const fs::path copy = copies / fmt::format("corrected{}{}", number++, file.extension().string());
    write_file(copy, text);
    overlay.begin_object().member("type", "file").member("name", file.string());
    overlay.member("external-contents", fs::absolute(copy).string()).end_object();
  }
  overlay.end_array().end_object();
  const fs::path file = copies / "overlay.yaml";
  write_file(file, overlay.text());
  return file.string();
}

}  // namespace heddle::cc
