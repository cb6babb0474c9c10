// SPDX-License-Identifier: Apache-2.0
#include "sweep/study_reader.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "core/names.h"

namespace heddle::sweep {

std::string json_text(const JsonNode& node) {
  std::string text;
  switch (node.kind) {
    case JsonNode::Kind::text:
      return json_quote(node.text);
    case JsonNode::Kind::array:
      for (const JsonNode& element : node.elements) text += (text.empty() ? "" : ", ") + json_text(element);
      return "[" + text + "]";
    case JsonNode::Kind::object:
      for (const JsonMember& member : node.members)
        text += (text.empty() ? "" : ", ") + json_quote(member.name) + ": " + json_text(member.node);
      return "{" + text + "}";
    default:
      return node.brief();
  }
}

const Checked& Checked::object(const std::vector<std::string>& keys) const {
  if (!is(JsonNode::Kind::object)) refuse("expected an object {{...}}, not {}", node_->brief());
  for (const auto& [name, member] : members()) {
    if (keys.empty() || std::find(keys.begin(), keys.end(), name) != keys.end()) continue;
    member.refuse("unknown key{}; known: {}", nearest_hint(name, keys), fmt::join(keys, ", "));
  }
  return *this;
}

Checked Checked::member(const char* key) const {
  const JsonNode* found = node_->find(key);
  if (found == nullptr) refuse("'{}' is missing", key);
  return {*found, path_.empty() ? key : path_ + "." + key, *file_};
}

std::vector<std::pair<std::string, Checked>> Checked::members() const {
  std::vector<std::pair<std::string, Checked>> all;
  for (const JsonMember& member : node_->members) {
    all.emplace_back(member.name,
                     Checked(member.node, path_.empty() ? member.name : path_ + "." + member.name, *file_));
  }
  return all;
}

std::vector<Checked> Checked::list(std::size_t least) const {
  if (!is(JsonNode::Kind::array)) refuse("expected a list [...], not {}", node_->brief());
  if (node_->elements.size() < least) refuse("the list is empty");
  std::vector<Checked> all;
  for (std::size_t i = 0; i < node_->elements.size(); ++i)
    all.emplace_back(node_->elements[i], fmt::format("{}[{}]", path_, i), *file_);
  return all;
}

const std::string& Checked::text() const {
  if (!is(JsonNode::Kind::text)) refuse("expected text, not {}", node_->brief());
  if (node_->text.empty()) refuse("the text is empty");
  return node_->text;
}

std::vector<std::string> Checked::texts(std::size_t least) const {
  std::vector<std::string> all;
  for (const Checked& one : list(least)) {
    // An argument of a program may be empty.
    if (!one.is(JsonNode::Kind::text)) one.refuse("expected text, not {}", one.node().brief());
    all.push_back(one.node().text);
  }
  return all;
}

double Checked::positive() const {
  const bool number = is(JsonNode::Kind::unsigned_) || is(JsonNode::Kind::signed_) || is(JsonNode::Kind::real);
  if (!number || !(node_->real > 0)) refuse("expected a number above 0, not {}", node_->brief());
  return node_->real;
}

std::uint64_t Checked::whole(std::uint64_t low, std::uint64_t high) const {
  if (!is(JsonNode::Kind::unsigned_) || node_->natural < low || node_->natural > high)
    refuse("expected a whole number, {} .. {}, not {}", low, high, node_->brief());
  return node_->natural;
}

}  // namespace heddle::sweep
