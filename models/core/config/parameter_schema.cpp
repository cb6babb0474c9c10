// SPDX-License-Identifier: Apache-2.0
// The JSON Schema of a machine description, for editors and other tools.
#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "core/config/parameter_paths.h"
#include "core/error.h"

namespace heddle {
namespace {

using detail::chosen_text;
using detail::value_text;

/// Writes the JSON Schema of every key.
class SchemaWriter final : public ParameterVisitor {
 public:
  explicit SchemaWriter(JsonWriter& out) : out_(out) {}

 protected:
  void scalar(const ParameterDeclaration& declaration, ScalarReference& value) override {
    using Type = ScalarReference::Type;
    open(declaration);
    const Type type = value.type();
    const char* const types[] = {"boolean", "integer", "integer", "number", "string", "string"};
    JsonWriter plain(0);
    plain.begin_object(true);
    if (value.optional()) {
      plain.key("type").begin_array().value(types[static_cast<int>(type)]).value("null").end_array();
    } else {
      plain.member("type", types[static_cast<int>(type)]);
    }
    if (type == Type::unsigned_ && declaration.legal.kind == Legal::Kind::any) plain.member("minimum", 0);
    legal(declaration.legal, plain);
    plain.end_object();
    value_or_told(is_size(declaration.unit) ? or_with_unit(plain.text()) : plain.text());
    if (!value_is_null(value)) out_.key("default").raw(value_text(value.get()));
    close();
  }
  void group(const ParameterDeclaration& declaration, GroupReference group) override {
    open(declaration);
    members(group);
    close();
  }
  void list(const ParameterDeclaration& declaration, ListReference& list) override {
    open(declaration);
    // A list replaces all elements; an object with indices and "*" as keys changes elements of the inherited list.
    out_.key("anyOf").begin_array();
    out_.begin_object().member("type", "array").key("items");
    element_ = true;
    list.visit_default(*this);
    out_.end_object();
    out_.begin_object(true).member("type", "object").end_object();
    out_.end_array();
    close();
  }
  void mechanism(const ParameterDeclaration& declaration, MechanismReference& mechanism) override {
    open(declaration);
    JsonWriter name(0);
    name.begin_object(true).member("type", "string").key("enum").begin_array();
    for (const auto& candidate : mechanism.candidates()) name.value(candidate.name);
    name.end_array().end_object();
    std::string plain = name.text();
    if (mechanism.list()) {
      JsonWriter names(0);
      names.begin_object(true).member("type", "array").key("items").raw(trimmed(plain)).end_object();
      plain = names.text();
    }
    value_or_told(plain);
    out_.key("default").raw(chosen_text(mechanism));
    close();
    for (const auto& candidate : mechanism.candidates()) {
      if (candidate.settings == nullptr || !mechanisms_.insert(candidate.name).second) continue;
      open({candidate.name, candidate.sentence, {}, {}, {}});
      members(candidate.settings->group());
      close();
    }
  }

 public:
  void properties(GroupReference group) {
    const auto outer = std::exchange(mechanisms_, {});
    group.describe(*this);
    mechanisms_ = outer;
  }

 private:
  static bool value_is_null(const ScalarReference& value) {
    return std::holds_alternative<std::monostate>(value.get());
  }
  static std::string trimmed(const std::string& text) {
    return text.back() == '\n' ? text.substr(0, text.size() - 1) : text;
  }
  void members(GroupReference group) {
    out_.member("type", "object").key("properties").begin_object();
    properties(group);
    out_.end_object().member("additionalProperties", false);
  }
  void open(const ParameterDeclaration& declaration) {
    if (!std::exchange(element_, false)) out_.key(declaration.name);
    out_.begin_object();
    std::string text(declaration.sentence);
    if (*declaration.unit.name != '\0') text += fmt::format(" [{}]", declaration.unit.name);
    if (is_size(declaration.unit)) text += "; also as text with a unit, \"48KB\", where 1 KB is 1024 bytes";
    out_.member("description", text);
  }
  void close() { out_.end_object(); }
  /// A number of bytes, or a size with its unit.
  static std::string or_with_unit(const std::string& bytes) {
    return fmt::format(
        R"({{"anyOf": [{}, {{"type": "string", "pattern": "^[0-9.]+ ?([KkMmGgTt]([Ii]?[Bb])?|[Bb]|bytes?)$"}}]}})",
        trimmed(bytes));
  }
  void value_or_told(const std::string& plain) {
    out_.key("anyOf")
        .begin_array()
        .raw(trimmed(plain))
        .raw(fmt::format(
            R"({{"type": "object", "required": ["value"], "additionalProperties": false, "properties": {{"value": {}, "published": {{"type": "string"}}, "source": {{"type": "string"}}, "chosen": {{"type": "boolean"}}}}}})",
            trimmed(plain)));
    out_.end_array();
  }
  static void legal(const Legal& legal, JsonWriter& out) {
    switch (legal.kind) {
      case Legal::Kind::any:
        return;
      case Legal::Kind::range:
      case Legal::Kind::power_of_two:
      case Legal::Kind::multiple:
        out.member("minimum", legal.low);
        if (!std::isinf(legal.high)) out.member("maximum", legal.high);
        if (legal.kind == Legal::Kind::multiple) out.member("multipleOf", legal.step);
        if (legal.kind == Legal::Kind::power_of_two) {
          out.key("enum").begin_array();
          for (double power = 1; power <= std::min(legal.high, 0x1p62); power *= 2) {
            if (power >= legal.low) out.value(power);
          }
          out.end_array();
        }
        return;
      case Legal::Kind::one_of:
        out.key("enum").begin_array();
        for (const double value : legal.values) out.value(value);
        out.end_array();
        return;
      case Legal::Kind::names:
        out.key("enum").begin_array();
        for (const auto& choice : legal.choices) out.value(choice.name);
        out.end_array();
        return;
    }
  }

  JsonWriter& out_;
  bool element_ = false;
  std::set<std::string> mechanisms_;  ///< whose parameters this group already contains
};

}  // namespace

std::string parameter_schema(GroupReference root, const std::map<std::string, std::string>& aliases) {
  JsonWriter out;
  out.begin_object();
  out.member("$schema", "https://json-schema.org/draft/2020-12/schema").member("title", "Heddle machine description");
  out.member("type", "object").key("properties").begin_object();
  const auto text_key = [&](const char* name, const char* sentence) {
    out.key(name).begin_object(true).member("type", "string").member("description", sentence).end_object();
  };
  text_key("$schema", "location of this schema");
  text_key("extends", "preset or file (relative to this one) whose values this one starts from");
  text_key("name", "name of the machine; default: the file's name");
  text_key("description", "one sentence");
  SchemaWriter writer(out);
  writer.properties(root);
  for (const auto& [shorthand, target] : aliases) {
    std::string pointer = "#";
    for (const auto& part : detail::split_path(target))
      pointer += part == "*" ? "/anyOf/0/items" : "/properties/" + part;
    out.key(shorthand)
        .begin_object()
        .member("description", "shorthand for " + target)
        .member("$ref", pointer)
        .end_object();
  }
  out.end_object().member("additionalProperties", false).end_object();
  return out.text();
}

}  // namespace heddle
