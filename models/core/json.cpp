// SPDX-License-Identifier: Apache-2.0
#include "core/json.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/error.h"
#include "core/excerpt.h"
#include "core/file.h"

namespace heddle {
namespace {

/// Above this many members, duplicate keys are detected with a set to avoid quadratic time.
constexpr std::size_t kFewMembers = 32;

/// The parser's position in the text.
struct Position {
  unsigned line = 1;
  bool at_line_start = false;  ///< the last character read was a line break
};

/// Reads characters and counts lines.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, Position* position) : at_(at), position_(position) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    position_->at_line_start = *at_ == '\n';
    if (position_->at_line_start) ++position_->line;
    ++at_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  Position* position_;
};

/// Builds the tree from the parser's events.
class TreeBuilder : public nlohmann::json_sax<nlohmann::json> {
 public:
  TreeBuilder(const std::string& origin, std::string_view text, const Position& position)
      : origin_(origin), text_(text), position_(position) {}
  JsonNode take() { return std::move(root_); }

  bool null() override {
    add(JsonNode::Kind::null);
    return true;
  }
  bool boolean(bool value) override {
    add(JsonNode::Kind::bool_).boolean = value;
    return true;
  }
  bool number_integer(number_integer_t value) override {
    JsonNode& node = add(JsonNode::Kind::signed_);
    node.negative = value;
    node.real = static_cast<double>(value);
    return true;
  }
  bool number_unsigned(number_unsigned_t value) override {
    JsonNode& node = add(JsonNode::Kind::unsigned_);
    node.natural = value;
    node.real = static_cast<double>(value);
    return true;
  }
  bool number_float(number_float_t value, const string_t&) override {
    add(JsonNode::Kind::real).real = value;
    return true;
  }
  bool string(string_t& value) override {
    add(JsonNode::Kind::text).text = std::move(value);
    return true;
  }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(JsonNode::Kind::object); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(JsonNode::Kind::array); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    if (occurs(open_.back(), name)) {
      fail(ExitCode::configuration, "{}:{}: key '{}' occurs twice in one object; remove one", origin_, position_.line,
           name);
    }
    open_.back().node->members.push_back({std::move(name), JsonNode{}});
    return true;
  }
  bool parse_error(std::size_t byte, const std::string&, const nlohmann::detail::exception& exception) override {
    fail(ExitCode::configuration, "{}:{}", origin_, json_error(text_, byte, exception.what()));
  }

 private:
  /// An open node. `keys` is filled once an object has many members.
  struct Open {
    JsonNode* node;
    std::set<std::string, std::less<>> keys;
  };

  static bool occurs(Open& object, const std::string& name) {
    if (object.node->members.size() < kFewMembers) return object.node->find(name) != nullptr;
    if (object.keys.empty()) {
      for (const JsonMember& member : object.node->members) object.keys.insert(member.name);
    }
    return !object.keys.insert(name).second;
  }

  JsonNode& add(JsonNode::Kind kind) {
    JsonNode* node = &root_;
    if (!open_.empty()) {
      JsonNode& parent = *open_.back().node;
      node = parent.kind == JsonNode::Kind::array ? &parent.elements.emplace_back() : &parent.members.back().node;
    }
    node->kind = kind;
    // The parser has already read the character after a number.
    const bool is_number =
        kind == JsonNode::Kind::signed_ || kind == JsonNode::Kind::unsigned_ || kind == JsonNode::Kind::real;
    node->line = position_.line - (is_number && position_.at_line_start ? 1 : 0);
    return *node;
  }
  bool open(JsonNode::Kind kind) {
    open_.push_back({&add(kind), {}});
    if (open_.size() > kDeepestJson) {
      fail(ExitCode::configuration, "{}:{}: JSON is nested deeper than {} levels", origin_, position_.line,
           kDeepestJson);
    }
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  const std::string& origin_;
  std::string_view text_;
  const Position& position_;
  JsonNode root_;
  std::vector<Open> open_;  // the parent of an open node gains no sibling, so these pointers stay valid
};

}  // namespace

JsonNode::JsonNode() = default;
JsonNode::JsonNode(const JsonNode&) = default;
JsonNode::JsonNode(JsonNode&&) noexcept = default;
JsonNode& JsonNode::operator=(const JsonNode&) = default;
JsonNode& JsonNode::operator=(JsonNode&&) noexcept = default;
JsonNode::~JsonNode() = default;

const JsonNode* JsonNode::find(std::string_view key) const {
  for (const auto& [name, node] : members) {
    if (name == key) return &node;
  }
  return nullptr;
}

std::string JsonNode::brief() const {
  switch (kind) {
    case Kind::null:
      return "null";
    case Kind::bool_:
      return boolean ? "true" : "false";
    case Kind::signed_:
      return std::to_string(negative);
    case Kind::unsigned_:
      return std::to_string(natural);
    case Kind::real:
      return json_number(real);
    case Kind::text:
      return json_quote(text.size() > 40 ? text.substr(0, 37) + "..." : text);
    case Kind::array:
      return "a list";
    case Kind::object:
      return "an object";
  }
  return {};
}

JsonNode parse_json(std::string_view text, const std::string& origin) {
  Position position;
  TreeBuilder builder(origin, text, position);
  const char* const end = text.data() + text.size();
  nlohmann::json::sax_parse(CountingIterator(text.data(), &position), CountingIterator(end, &position), &builder);
  return builder.take();
}

JsonNode read_json(const std::filesystem::path& file) { return parse_json(read_file(file), file.string()); }

bool json_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
}

std::string json_quote(std::string_view text) {
  // Fast path: most strings are plain names, thousands per report. The library handles the rest.
  if (json_plain(text)) return '"' + std::string(text) + '"';
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string json_number(double value) {
  if (!std::isfinite(value)) return "null";
  if (value == std::floor(value) && std::abs(value) < 9007199254740992.0) {
    return std::to_string(static_cast<std::int64_t>(value));
  }
  return fmt::format("{}", value);
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  text_ += json_quote(name);
  text_ += ": ";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::raw(std::string_view json) {
  separate();
  text_ += json;
  return *this;
}

JsonWriter& JsonWriter::begin(char bracket, bool one_line) {
  separate();
  text_ += bracket;
  levels_.push_back({one_line || (!levels_.empty() && levels_.back().one_line), true});
  return *this;
}

JsonWriter& JsonWriter::end(char bracket) {
  const Level level = levels_.back();
  levels_.pop_back();
  if (!level.empty && !level.one_line) new_line();
  text_ += bracket;
  if (levels_.empty()) text_ += '\n';
  return *this;
}

void JsonWriter::separate() {
  if (std::exchange(after_key_, false) || levels_.empty()) return;
  Level& level = levels_.back();
  if (!level.empty) text_ += level.one_line ? ", " : ",";
  if (!level.one_line) new_line();
  level.empty = false;
}

void JsonWriter::new_line() {
  text_ += '\n';
  text_.append(levels_.size() * static_cast<std::size_t>(indent_), ' ');
}

}  // namespace heddle
