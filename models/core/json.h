// SPDX-License-Identifier: Apache-2.0
// JSON without exposing a JSON library: a tree with line numbers, and a writer.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

struct JsonMember;

/// One JSON value and its location.
struct JsonNode {
  enum class Kind : std::uint8_t { null, bool_, signed_, unsigned_, real, text, array, object };
  Kind kind = Kind::null;
  unsigned line = 0;  ///< from 1; 0: not from a file
  bool boolean = false;
  std::int64_t negative = 0;  ///< kSigned: integers below zero
  std::uint64_t natural = 0;  ///< kUnsigned
  double real = 0;            ///< any number
  std::string text;           ///< kText; for an override, also the text as typed
  std::vector<JsonNode> elements;
  std::vector<JsonMember> members;  ///< in file order, keys unique

  /// Null when there is no such member.
  const JsonNode* find(std::string_view key) const;
  /// The value on one line, shortened for messages.
  std::string brief() const;

  JsonNode();
  JsonNode(const JsonNode&);
  JsonNode(JsonNode&&) noexcept;
  JsonNode& operator=(const JsonNode&);
  JsonNode& operator=(JsonNode&&) noexcept;
  ~JsonNode();
};

/// A member of an object.
struct JsonMember {
  std::string name;
  JsonNode node;
};

/// Parses strict JSON. origin: file name for messages. Throws Error(kConfiguration) with file and line for malformed
/// text, duplicate keys, or nesting deeper than 100.
JsonNode parse_json(std::string_view text, const std::string& origin);
/// Throws Error(kIo) when the file cannot be read.
JsonNode read_json(const std::filesystem::path& file);

/// Whether the text needs only quotes to be a JSON string.
bool json_plain(std::string_view text);
/// `text` as a JSON string with its quotes; bytes that are not UTF-8 become U+FFFD.
std::string json_quote(std::string_view text);
/// Shortest text that reads back as the same number; null for infinities and NaN, which JSON cannot express.
std::string json_number(double value);

/// Writes JSON text, indented; objects and arrays opened inline stay on one line.
class JsonWriter {
 public:
  explicit JsonWriter(int indent = 2) : indent_(indent) {}

  JsonWriter& begin_object(bool one_line = false) { return begin('{', one_line); }
  JsonWriter& end_object() { return end('}'); }
  JsonWriter& begin_array(bool one_line = false) { return begin('[', one_line); }
  JsonWriter& end_array() { return end(']'); }
  /// Sets the name of the next member.
  JsonWriter& key(std::string_view name);
  JsonWriter& value(std::string_view text) { return raw(json_quote(text)); }
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(const std::string& text) { return value(std::string_view(text)); }
  JsonWriter& value(bool v) { return raw(v ? "true" : "false"); }
  JsonWriter& value(double v) { return raw(json_number(v)); }
  JsonWriter& value(std::uint64_t v) { return raw(std::to_string(v)); }
  JsonWriter& value(std::int64_t v) { return raw(std::to_string(v)); }
  JsonWriter& value(unsigned v) { return raw(std::to_string(v)); }
  JsonWriter& value(int v) { return raw(std::to_string(v)); }
  /// Writes a value that is already JSON text.
  JsonWriter& raw(std::string_view json);
  template <typename T>
  JsonWriter& member(std::string_view name, const T& v) {
    key(name);
    return value(v);
  }
  /// The text so far; complete once every object and array is closed.
  const std::string& text() const { return text_; }

 private:
  struct Level {
    bool one_line, empty;
  };
  JsonWriter& begin(char bracket, bool one_line);
  JsonWriter& end(char bracket);
  void separate();
  void new_line();
  int indent_;
  bool after_key_ = false;
  std::vector<Level> levels_;
  std::string text_;
};

}  // namespace heddle
