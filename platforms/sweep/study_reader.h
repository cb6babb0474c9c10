// SPDX-License-Identifier: Apache-2.0
// Checked reading of JSON: every error names file, line and path.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "core/error.h"
#include "core/json.h"

namespace heddle::sweep {

/// A value in the study file and its path.
class Checked {
 public:
  Checked(const JsonNode& node, std::string path, const std::string& file)
      : node_(&node), path_(std::move(path)), file_(&file) {}

  const JsonNode& node() const { return *node_; }
  const std::string& path() const { return path_; }
  unsigned line() const { return node_->line; }
  bool is(JsonNode::Kind kind) const { return node_->kind == kind; }

  /// Throws Error(kConfiguration): "file:line: path: message".
  template <typename... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) const {
    const std::string message = fmt::format(format, std::forward<Args>(args)...);
    fail(ExitCode::configuration, "{}:{}: {}{}{}", *file_, node_->line, path_, path_.empty() ? "" : ": ", message);
  }

  /// Requires an object whose members are all in `keys`, unless that is empty.
  const Checked& object(const std::vector<std::string>& keys = {}) const;
  bool has(const char* key) const { return node_->find(key) != nullptr; }
  /// A required member.
  Checked member(const char* key) const;
  /// All members of an object.
  std::vector<std::pair<std::string, Checked>> members() const;
  /// The elements of a list with at least `least` elements.
  std::vector<Checked> list(std::size_t least = 0) const;
  /// A non-empty text.
  const std::string& text() const;
  std::vector<std::string> texts(std::size_t least = 0) const;
  /// A number above 0.
  double positive() const;
  /// A whole number, low .. high.
  std::uint64_t whole(std::uint64_t low, std::uint64_t high) const;

 private:
  const JsonNode* node_;
  std::string path_;
  const std::string* file_;
};

/// The whole value as JSON text on one line.
std::string json_text(const JsonNode& node);

}  // namespace heddle::sweep
