// SPDX-License-Identifier: Apache-2.0
#include "cli/run_members.h"

#include <fmt/format.h>

namespace heddle::cli {
namespace {

/// The source of an instruction whose line is known; else null.
const JsonNode* source_of(const JsonNode& instruction, const JsonNode* files) {
  const JsonNode* const file = instruction.find("file");
  if (files == nullptr || file == nullptr || file->kind != JsonNode::Kind::unsigned_ ||
      file->natural >= files->elements.size() || number_of(instruction, "line") == 0)
    return nullptr;
  return &files->elements[file->natural];
}

}  // namespace

const std::string& text_of(const JsonNode& node, const char* member) {
  static const std::string kNothing;
  const JsonNode* const found = node.find(member);
  return found != nullptr ? found->text : kNothing;
}

std::uint64_t number_of(const JsonNode& node, const char* member) {
  const JsonNode* const found = node.find(member);
  return found != nullptr && found->kind == JsonNode::Kind::unsigned_ ? found->natural : 0;
}

const std::vector<JsonNode>& elements_of(const JsonNode& node, const char* member) {
  static const std::vector<JsonNode> kNone;
  const JsonNode* const found = node.find(member);
  return found != nullptr ? found->elements : kNone;
}

std::string share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? std::string()
                    : fmt::format("{:.0f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string line_place(const JsonNode& instruction, const JsonNode* files) {
  const JsonNode* const source = source_of(instruction, files);
  if (source == nullptr) return {};
  const std::string& path = text_of(*source, "path");
  return fmt::format("{}:{}", path.substr(path.rfind('/') + 1), number_of(instruction, "line"));
}

std::string line_text(const JsonNode& instruction, const JsonNode* files) {
  const JsonNode* const source = source_of(instruction, files);
  if (source == nullptr) return fmt::format("pc {}  {}", number_of(instruction, "pc"), text_of(instruction, "text"));
  const std::string place = line_place(instruction, files);
  const std::vector<JsonNode>& texts = elements_of(*source, "lines");
  const std::uint64_t line = number_of(instruction, "line");
  if (line > texts.size()) return place;
  const std::string& text = texts[line - 1].text;
  const std::size_t begin = text.find_first_not_of(" \t");
  return begin == std::string::npos ? place : place + "  " + text.substr(begin);
}

}  // namespace heddle::cli
