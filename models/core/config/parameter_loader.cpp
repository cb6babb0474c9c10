// SPDX-License-Identifier: Apache-2.0
// Loads JSON into parameter groups; messages give the key, the legal values and the nearest valid spelling.
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "core/config/parameter_paths.h"
#include "core/error.h"
#include "core/names.h"
#include "core/quantity_text.h"

namespace heddle::detail {

std::string join_path(const std::string& path, std::string_view name) {
  return path.empty() ? std::string(name) : path + "." + std::string(name);
}

std::vector<std::string> split_path(std::string_view path) {
  std::vector<std::string> parts(1);
  for (const char c : path) {
    if (c == '.' || c == '[') {
      parts.emplace_back();
    } else if (c != ']') {
      parts.back() += c;
    }
  }
  return parts;
}

bool is_index(std::string_view text) {
  return !text.empty() && text.size() < 8 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool is_file_key(std::string_view key) {
  return key == "extends" || key == "name" || key == "description" || key == "$schema";
}

std::string shorten_path(const Aliases& aliases, const std::string& path) {
  for (const auto& [shorthand, target] : aliases) {
    const auto want = split_path(target), have = split_path(path);
    if (have.size() < want.size()) continue;
    bool same = true;
    for (std::size_t i = 0; i < want.size(); ++i)
      same = same && (want[i] == have[i] || (want[i] == "*" && is_index(have[i])));
    if (!same) continue;
    std::string shown = shorthand;
    for (std::size_t i = want.size(); i < have.size(); ++i) shown += "." + have[i];
    return shown;
  }
  return path;
}

namespace {

/// Applies one JSON object to the members of a group.
class Loader final : public ParameterVisitor {
 public:
  struct Context {
    GroupReference root;
    const Aliases& aliases;
    Origins& origins;
    std::string origin;  ///< file name or "command line"
    std::string set_by;  ///< "preset gtx480"
    bool through_alias = false;
  };

  Loader(Context& context, const JsonNode& object, std::string path)
      : context_(context), object_(object), path_(std::move(path)) {
    if (object.kind != JsonNode::Kind::object)
      wrong(object, path_, "is a group of keys, not {}; write it as {{...}}", object.brief());
  }

  void finish() const {
    for (const auto& [key, node] : object_.members) {
      if (known_.count(key) == 0 && !(path_.empty() && (is_file_key(key) || context_.aliases.count(key) != 0)))
        unknown(key, node);
    }
  }

 protected:
  void scalar(const ParameterDeclaration& declaration, ScalarReference& value) override {
    const JsonNode* node = take(declaration.name);
    if (node == nullptr) return;
    const std::string path = join_path(path_, declaration.name);
    const JsonNode& bare = unwrap(*node, path);
    assign(declaration, value, bare, path);
  }

  void group(const ParameterDeclaration& declaration, GroupReference group) override {
    const JsonNode* node = take(declaration.name);
    if (node == nullptr) return;
    Loader inner(context_, *node, join_path(path_, declaration.name));
    group.describe(inner);
    inner.finish();
  }

  void list(const ParameterDeclaration& declaration, ListReference& list) override {
    const JsonNode* node = take(declaration.name);
    if (node == nullptr) return;
    const std::string path = join_path(path_, declaration.name);
    JsonNode patch;
    patch.kind = JsonNode::Kind::object;
    patch.line = node->line;
    if (const JsonNode* array = node->find("value"); array != nullptr && array->kind == JsonNode::Kind::array)
      node = &unwrap(*node, path);
    if (node->kind == JsonNode::Kind::array) {
      resize(list, node->elements.size(), path);
      for (std::size_t i = 0; i < node->elements.size(); ++i)
        patch.members.push_back({std::to_string(i), node->elements[i]});
    } else if (node->kind == JsonNode::Kind::object) {
      if (node->find("*") != nullptr && list.size() == 0) resize(list, 1, path);
      for (const auto& [key, element] : node->members) {
        if (key == "*") {
          for (std::size_t i = 0; i < list.size(); ++i) patch.members.push_back({std::to_string(i), element});
        } else if (is_index(key) && std::stoul(key) < list.size()) {
          patch.members.push_back({key, element});
        } else {
          wrong(element, join_path(path, key), "does not exist; the list has {} elements: write 0 .. {} or *",
                list.size(), list.size() - 1);
        }
      }
    } else {
      wrong(*node, path, "is a list, not {}; write it as [...]", node->brief());
    }
    Loader inner(context_, patch, path);
    for (std::size_t i = 0; i < list.size(); ++i) list.visit(i, inner);
  }

  void mechanism(const ParameterDeclaration& declaration, MechanismReference& mechanism) override {
    const auto candidates = mechanism.candidates();
    const std::string path = join_path(path_, declaration.name);
    if (const JsonNode* node = take(declaration.name); node != nullptr) {
      const JsonNode& bare = unwrap(*node, path);
      std::vector<std::string> chosen;
      if (mechanism.list() && bare.kind == JsonNode::Kind::array) {
        for (const auto& element : bare.elements) chosen.push_back(mechanism_name(candidates, element, path));
      } else if (!mechanism.list() || bare.kind == JsonNode::Kind::text) {
        chosen.push_back(mechanism_name(candidates, bare, path));
      } else {
        wrong(bare, path, "is a list of names, not {}; write it as [...]", bare.brief());
      }
      mechanism.choose(std::move(chosen));
    }
    for (const auto& candidate : candidates) {
      if (candidate.settings == nullptr) continue;
      const JsonNode* node = take(candidate.name);
      if (node == nullptr) continue;
      Loader inner(context_, *node, join_path(path_, candidate.name));
      candidate.settings->group().describe(inner);
      inner.finish();
    }
  }

 private:
  template <typename... Args>
  [[noreturn]] void wrong(const JsonNode& node, const std::string& path, fmt::format_string<Args...> format,
                          Args&&... args) const {
    const std::string shown = context_.through_alias ? shorten_path(context_.aliases, path) : path;
    fail(ExitCode::configuration, "{}: {} {}",
         node.line == 0 ? context_.origin : fmt::format("{}:{}", context_.origin, node.line),
         shown.empty() ? "the machine description" : shown, fmt::format(format, std::forward<Args>(args)...));
  }

  [[noreturn]] void unknown(const std::string& key, const JsonNode& node) const {
    const std::vector<std::string> siblings(known_.begin(), known_.end());
    std::string advice;
    if (const auto near = nearest_spellings(key, siblings); !near.empty()) {
      advice =
          fmt::format("did you mean '{}'?",
                      join_path(context_.through_alias ? shorten_path(context_.aliases, path_) : path_, near.front()));
    } else if (const auto elsewhere = same_key_elsewhere(key, node.kind == JsonNode::Kind::object);
               !elsewhere.empty()) {
      advice = fmt::format("did you mean '{}'?", elsewhere);
    } else {
      advice = fmt::format("`heddle explain {}` finds keys by words;", words_of(key, node));
    }
    wrong(node, join_path(path_, key), "is not a parameter; {}{}legal here: {}", advice, advice.empty() ? "" : " ",
          fmt::join(siblings, ", "));
  }

  /// Path of a parameter, or of a group, with this name in another group; empty when there is none.
  std::string same_key_elsewhere(const std::string& key, bool group) const {
    std::vector<std::string> paths;
    if (group) {
      for (auto& entry : list_parameter_groups(context_.root)) paths.push_back(std::move(entry.path));
    } else {
      for (auto& entry : list_parameters(context_.root)) paths.push_back(std::move(entry.path));
    }
    for (const auto& path : paths) {
      std::string shown = shorten_path(context_.aliases, path);
      const auto dot = shown.rfind('.');
      if (dot != std::string::npos && shown.substr(dot + 1) == key) return shown;
    }
    return {};
  }

  /// The names a path consists of from an unknown key on, as words: "l1 size" for l1.size=....
  static std::string words_of(const std::string& key, const JsonNode& node) {
    std::string words = key;
    for (const JsonNode* inner = &node; inner->kind == JsonNode::Kind::object && inner->members.size() == 1;
         inner = &inner->members.front().node)
      words += " " + inner->members.front().name;
    return words;
  }

  const JsonNode* take(std::string_view name) {
    known_.insert(std::string(name));
    return object_.find(name);
  }

  /// Extracts the value from {"value": ..., "published": ..., "source": ..., "chosen": ...} and records its origin.
  const JsonNode& unwrap(const JsonNode& node, const std::string& path) {
    ParameterOrigin origin;
    origin.set_by = context_.set_by;
    const JsonNode* bare = &node;
    if (node.kind == JsonNode::Kind::object) {
      bare = node.find("value");
      if (bare == nullptr) wrong(node, path, "has no \"value\"");
      for (const auto& [key, part] : node.members) {
        if (key == "published" && part.kind == JsonNode::Kind::text) {
          origin.published = part.text;
        } else if (key == "source" && part.kind == JsonNode::Kind::text) {
          origin.source = part.text;
        } else if (key == "chosen" && part.kind == JsonNode::Kind::bool_) {
          origin.chosen = part.boolean;
        } else if (key != "value") {
          wrong(part, path, "has '{}': {}; legal: value, published (text), source (text), chosen (true or false)", key,
                part.brief());
        }
      }
    }
    context_.origins[path] = std::move(origin);
    return *bare;
  }

  void resize(ListReference& list, std::size_t count, const std::string& path) {
    const std::size_t before = list.size();
    list.resize(count);
    auto& origins = context_.origins;
    const auto under = [&](std::size_t i) {
      const std::string prefix = path + "." + std::to_string(i);
      std::vector<std::pair<std::string, ParameterOrigin>> found;
      for (auto at = origins.lower_bound(prefix);
           at != origins.end() && at->first.compare(0, prefix.size(), prefix) == 0; ++at) {
        if (at->first.size() == prefix.size() || at->first[prefix.size()] == '.')
          found.emplace_back(at->first.substr(prefix.size()), at->second);
      }
      return found;
    };
    for (std::size_t i = count; i < before; ++i) {
      for (const auto& [rest, origin] : under(i)) origins.erase(path + "." + std::to_string(i) + rest);
    }
    for (std::size_t i = before; i < count && before > 0; ++i) {
      for (auto& [rest, origin] : under(0)) origins[path + "." + std::to_string(i) + rest] = origin;
    }
  }

  std::string mechanism_name(const std::vector<MechanismReference::Candidate>& candidates, const JsonNode& node,
                             const std::string& path) const {
    Legal legal;
    legal.kind = Legal::Kind::names;
    for (const auto& candidate : candidates) legal.choices.push_back({candidate.name, candidate.sentence, 0});
    const std::string name = checked_name(legal, node, path);
    for (const auto& candidate : candidates) {
      if (candidate.name == name && !candidate.absent.empty())
        wrong(node, path, "cannot be '{}': {}", name, candidate.absent);
    }
    return name;
  }

  std::string checked_name(const Legal& legal, const JsonNode& node, const std::string& path) const {
    if (node.kind != JsonNode::Kind::text && node.text.empty())
      wrong(node, path, "is {}; legal: {}", node.brief(), legal.text());
    if (legal.allows(node.text)) return node.text;
    std::vector<std::string> candidates;
    for (const auto& choice : legal.choices) candidates.push_back(choice.name);
    const auto near = nearest_spellings(node.text, candidates);
    wrong(node, path, "cannot be '{}'; {}legal: {}", node.text,
          near.empty() ? "" : fmt::format("did you mean '{}'? ", near.front()), legal.text());
  }

  /// The number of bytes of a size with its unit, "48KB"; empty for other nodes.
  static std::optional<JsonNode> bytes_of(const ParameterDeclaration& declaration, const JsonNode& node) {
    if (node.kind != JsonNode::Kind::text || !is_size(declaration.unit)) return std::nullopt;
    const auto bytes = parse_size(node.text);
    if (!bytes) return std::nullopt;
    JsonNode counted = node;
    counted.kind = JsonNode::Kind::unsigned_;
    counted.natural = *bytes;
    counted.real = static_cast<double>(*bytes);
    return counted;
  }

  void assign(const ParameterDeclaration& declaration, ScalarReference& value, const JsonNode& node,
              const std::string& path) {
    using Type = ScalarReference::Type;
    using Kind = JsonNode::Kind;
    if (node.kind == Kind::null) {
      if (!value.optional()) wrong(node, path, "cannot be null; legal: {}", declaration.legal.text());
      value.set({});
      return;
    }
    switch (value.type()) {
      case Type::bool_:
        if (node.kind != Kind::bool_) wrong(node, path, "is {}; legal: true, false", node.brief());
        value.set(node.boolean);
        return;
      case Type::text:
      case Type::enum_:
        value.set(checked_name(declaration.legal, node, path));
        return;
      case Type::real:
        check_number(declaration, value, node, path);
        value.set(node.real);
        return;
      case Type::unsigned_:
      case Type::signed_: {
        const auto bytes = bytes_of(declaration, node);
        const JsonNode& counted = bytes ? *bytes : node;
        check_number(declaration, value, counted, path);
        if (counted.kind == Kind::unsigned_) {
          value.set(counted.natural);
        } else if (counted.kind == Kind::signed_) {
          value.set(counted.negative);
        } else {
          value.set(static_cast<std::int64_t>(counted.real));
        }
        return;
      }
    }
  }

  void check_number(const ParameterDeclaration& declaration, const ScalarReference& value, const JsonNode& node,
                    const std::string& path) const {
    const bool whole = value.type() != ScalarReference::Type::real;
    const bool number = node.kind == JsonNode::Kind::unsigned_ || node.kind == JsonNode::Kind::signed_ ||
                        node.kind == JsonNode::Kind::real;
    const auto reject = [&](std::string_view why) {
      wrong(node, path, "is {}{}; legal: {}{}{}{}{}", node.brief(), why,
            declaration.legal.kind == Legal::Kind::any ? (whole ? "a whole number" : "a number")
                                                       : declaration.legal.text(),
            *declaration.unit.name != '\0' ? " " : "", declaration.unit.name, value.optional() ? ", or null" : "",
            is_size(declaration.unit) && !number ? "; written 49152 or 48KB, where 1 KB is 1024 bytes" : "");
    };
    if (!number) reject("");
    if (whole && node.real != std::floor(node.real)) reject(", not a whole number");
    // The bounds of 64-bit types are not representable as doubles; the sign check and the parser's limit cover them.
    if (node.real < value.lowest() || node.real > value.highest() ||
        (whole && node.kind == JsonNode::Kind::real && std::abs(node.real) > 9e15))
      reject(", which does not fit");
    if (!declaration.legal.allows(node.real)) reject("");
  }

  Context& context_;
  const JsonNode& object_;
  std::string path_;
  std::set<std::string> known_;
};

}  // namespace

void apply_json(GroupReference root, const JsonNode& document, const Aliases& aliases, Origins& origins,
                const std::string& origin, const std::string& set_by) {
  Loader::Context context{root, aliases, origins, origin, set_by};
  Loader loader(context, document, "");
  root.describe(loader);
  loader.finish();
  for (const auto& [shorthand, target] : aliases) {
    const JsonNode* node = document.find(shorthand);
    if (node == nullptr) continue;
    const auto parts = split_path(target);
    JsonNode wrapped = *node;
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
      JsonNode outer;
      outer.kind = JsonNode::Kind::object;
      outer.line = node->line;
      outer.members.push_back({*part, std::move(wrapped)});
      wrapped = std::move(outer);
    }
    context.through_alias = true;
    Loader through(context, wrapped, "");
    root.describe(through);
    through.finish();
    context.through_alias = false;
  }
}

}  // namespace heddle::detail
