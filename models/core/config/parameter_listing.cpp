// SPDX-License-Identifier: Apache-2.0
// Visitors that read parameter groups: the list of all parameters, the value at a path, the checks, the resolved
// configuration, the JSON schema.
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/config/parameter_paths.h"
#include "core/error.h"

namespace heddle {
namespace {

using detail::Aliases;
using detail::chosen_text;
using detail::join_path;
using detail::Origins;
using detail::shorten_path;
using detail::value_text;

/// Visits every leaf with its full path.
class LeafWalker : public ParameterVisitor {
 public:
  /// all_mechanisms: also visit parameters of mechanisms not chosen.
  LeafWalker(bool all_mechanisms, bool defaults_of_lists) : all_(all_mechanisms), defaults_(defaults_of_lists) {}

 protected:
  struct Scope {
    std::string path, mechanism, source;  ///< mechanism and its source: of the innermost; empty outside of one
  };
  virtual void leaf(const std::string& path, const ParameterDeclaration& declaration, ScalarReference& value) = 0;
  virtual void names(const std::string& path, const ParameterDeclaration& declaration,
                     MechanismReference& mechanism) = 0;
  virtual void enter(const std::string&, GroupReference) {}
  const std::string& in_mechanism() const { return scope_.mechanism; }
  const std::string& in_group() const { return scope_.path; }
  /// A parameter without a source of its own comes from where its mechanism does.
  std::string source_of(const ParameterDeclaration& declaration) const {
    return declaration.source.empty() ? scope_.source : std::string(declaration.source);
  }

  void scalar(const ParameterDeclaration& declaration, ScalarReference& value) override {
    leaf(join_path(scope_.path, declaration.name), declaration, value);
  }
  void group(const ParameterDeclaration& declaration, GroupReference group) override {
    inside({join_path(scope_.path, declaration.name), scope_.mechanism, scope_.source}, group);
  }
  void list(const ParameterDeclaration& declaration, ListReference& list) override {
    const Scope outer =
        std::exchange(scope_, {join_path(scope_.path, declaration.name), scope_.mechanism, scope_.source});
    if (defaults_) {
      list.visit_default(*this);
    } else {
      for (std::size_t i = 0; i < list.size(); ++i) list.visit(i, *this);
    }
    scope_ = outer;
  }
  void mechanism(const ParameterDeclaration& declaration, MechanismReference& mechanism) override {
    names(join_path(scope_.path, declaration.name), declaration, mechanism);
    const auto chosen = mechanism.chosen();
    for (const auto& candidate : mechanism.candidates()) {
      if (candidate.settings == nullptr) continue;
      if (!all_ && std::find(chosen.begin(), chosen.end(), candidate.name) == chosen.end()) continue;
      inside({join_path(scope_.path, candidate.name), candidate.name, candidate.source}, candidate.settings->group());
    }
  }

 private:
  void inside(Scope scope, GroupReference group) {
    const Scope outer = std::exchange(scope_, std::move(scope));
    enter(scope_.path, group);
    group.describe(*this);
    scope_ = outer;
  }
  bool all_, defaults_;
  Scope scope_;
};

class ParameterLister final : public LeafWalker {
 public:
  ParameterLister() : LeafWalker(true, true) {}
  std::vector<ParameterEntry> entries;

 protected:
  void leaf(const std::string& path, const ParameterDeclaration& declaration, ScalarReference& value) override {
    if (repeated(path)) return;
    using Type = ScalarReference::Type;
    const Type type = value.type();
    const char* const words[] = {"true or false", "whole number", "whole number", "number", "text", "name"};
    std::string legal = type == Type::bool_ ? "true, false" : declaration.legal.text();
    if (value.optional()) legal += ", null";
    std::vector<ChoiceEntry> choices;
    for (const NamedChoice& choice : declaration.legal.choices) choices.push_back({choice.name, choice.sentence, {}});
    entries.push_back({path, std::string(declaration.sentence), declaration.unit.name, std::move(legal),
                       words[static_cast<int>(type)], value_text(value.get()), source_of(declaration),
                       std::move(choices), in_mechanism(), declaration.legal});
  }
  void names(const std::string& path, const ParameterDeclaration& declaration, MechanismReference& mechanism) override {
    if (repeated(path)) return;
    ParameterEntry entry{path,
                         std::string(declaration.sentence),
                         "",
                         "",
                         mechanism.list() ? "list of names" : "name",
                         chosen_text(mechanism),
                         source_of(declaration),
                         {},
                         in_mechanism()};
    std::vector<std::string> legal;
    for (const auto& candidate : mechanism.candidates()) {
      legal.push_back(candidate.name);
      entry.choices.push_back({candidate.name, candidate.sentence, candidate.source});
    }
    entry.legal = fmt::format("{}", fmt::join(legal, ", "));
    entries.push_back(std::move(entry));
  }

 private:
  /// Keys of a group that choose among the same mechanisms share those mechanisms' parameters.
  bool repeated(const std::string& path) { return !in_mechanism().empty() && !seen_.insert(path).second; }
  std::set<std::string> seen_;
};

class GroupLister final : public LeafWalker {
 public:
  GroupLister() : LeafWalker(true, true) {}
  std::vector<GroupEntry> entries;

 protected:
  void group(const ParameterDeclaration& declaration, GroupReference group) override {
    add(declaration.name, declaration.sentence);
    LeafWalker::group(declaration, group);
  }
  void mechanism(const ParameterDeclaration& declaration, MechanismReference& mechanism) override {
    for (const auto& candidate : mechanism.candidates()) {
      if (candidate.settings != nullptr) add(candidate.name, candidate.sentence);
    }
    LeafWalker::mechanism(declaration, mechanism);
  }
  void leaf(const std::string&, const ParameterDeclaration&, ScalarReference&) override {}
  void names(const std::string&, const ParameterDeclaration&, MechanismReference&) override {}

 private:
  void add(std::string_view name, std::string_view sentence) {
    std::string path = join_path(in_group(), name);
    if (seen_.insert(path).second) entries.push_back({std::move(path), std::string(sentence)});
  }
  std::set<std::string> seen_;
};

/// Values as JSON by path.
class ValueCollector final : public LeafWalker {
 public:
  explicit ValueCollector(bool all_mechanisms) : LeafWalker(all_mechanisms, false) {}
  std::map<std::string, std::string> values;

 protected:
  void leaf(const std::string& path, const ParameterDeclaration&, ScalarReference& value) override {
    values.emplace(path, value_text(value.get()));
  }
  void names(const std::string& path, const ParameterDeclaration&, MechanismReference& mechanism) override {
    values.emplace(path, chosen_text(mechanism));
  }
};

class CheckRunner final : public LeafWalker, private ParameterChecks {
 public:
  explicit CheckRunner(const Aliases& aliases) : LeafWalker(false, false), aliases_(aliases) {}
  void enter(const std::string& path, GroupReference group) override {
    path_ = path;
    group.check(*this);
  }

 protected:
  void leaf(const std::string&, const ParameterDeclaration&, ScalarReference&) override {}
  void names(const std::string&, const ParameterDeclaration&, MechanismReference&) override {}

 private:
  void require(bool holds, std::string_view key, std::string_view message) override {
    if (!holds) fail(ExitCode::configuration, "{}: {}", shorten_path(aliases_, join_path(path_, key)), message);
  }
  const Aliases& aliases_;
  std::string path_;
};

/// Writes the resolved configuration.
class ResolvedWriter final : public ParameterVisitor {
 public:
  ResolvedWriter(JsonWriter& out, const Origins& origins) : out_(out), origins_(origins) {}

 protected:
  void scalar(const ParameterDeclaration& declaration, ScalarReference& value) override {
    write(declaration.name, value_text(value.get()));
  }
  void group(const ParameterDeclaration& declaration, GroupReference group) override {
    write_group(declaration.name, group);
  }
  void list(const ParameterDeclaration& declaration, ListReference& list) override {
    key(declaration.name);
    const std::string outer = std::exchange(path_, join_path(path_, declaration.name));
    const ParameterOrigin* const origin = told_origin(path_);
    if (origin != nullptr) out_.begin_object().key("value");
    out_.begin_array();
    ++elements_;
    for (std::size_t i = 0; i < list.size(); ++i) list.visit(i, *this);
    --elements_;
    out_.end_array();
    if (origin != nullptr) close_origin(*origin);
    path_ = outer;
  }
  void mechanism(const ParameterDeclaration& declaration, MechanismReference& mechanism) override {
    write(declaration.name, chosen_text(mechanism));
    const auto chosen = mechanism.chosen();
    for (const auto& candidate : mechanism.candidates()) {
      if (candidate.settings == nullptr) continue;
      const bool used = std::find(chosen.begin(), chosen.end(), candidate.name) != chosen.end();
      const std::string prefix = join_path(path_, candidate.name) + ".";
      const auto at = origins_.lower_bound(prefix);
      const bool was_set = at != origins_.end() && at->first.compare(0, prefix.size(), prefix) == 0;
      // Keys that choose among the same mechanisms share their parameters, which are written once.
      if ((used || was_set) && written_.insert(prefix).second) write_group(candidate.name, candidate.settings->group());
    }
  }

 private:
  void key(std::string_view name) {
    if (elements_ == 0) out_.key(name);
  }
  /// The origin a preset states for the value at `path`; null when it states none.
  const ParameterOrigin* told_origin(const std::string& path) const {
    const auto found = origins_.find(path);
    if (found == origins_.end()) return nullptr;
    const ParameterOrigin& origin = found->second;
    return origin.published.empty() && origin.source.empty() && !origin.chosen ? nullptr : &origin;
  }
  void close_origin(const ParameterOrigin& origin) {
    if (!origin.published.empty()) out_.member("published", origin.published);
    if (!origin.source.empty()) out_.member("source", origin.source);
    if (origin.chosen) out_.member("chosen", true);
    out_.end_object();
  }
  void write(std::string_view name, const std::string& json) {
    key(name);
    const ParameterOrigin* const origin = told_origin(join_path(path_, name));
    if (origin == nullptr) {
      out_.raw(json);
      return;
    }
    out_.begin_object(true).key("value").raw(json);
    close_origin(*origin);
  }
  void write_group(std::string_view name, GroupReference group) {
    key(name);
    const std::string outer = std::exchange(path_, join_path(path_, name));
    const int outer_elements = std::exchange(elements_, 0);
    out_.begin_object();
    group.describe(*this);
    out_.end_object();
    elements_ = outer_elements;
    path_ = outer;
  }

  JsonWriter& out_;
  const Origins& origins_;
  std::string path_;
  std::set<std::string> written_;  ///< mechanism groups already written
  int elements_ = 0;               ///< above zero directly inside a list, whose elements have no keys
};

}  // namespace

std::vector<ParameterEntry> list_parameters(GroupReference root) {
  ParameterLister lister;
  root.describe(lister);
  return std::move(lister.entries);
}

std::vector<GroupEntry> list_parameter_groups(GroupReference root) {
  GroupLister lister;
  root.describe(lister);
  return std::move(lister.entries);
}

namespace detail {

std::string value_text(const ParameterValue& value) {
  return std::visit(
      [](const auto& v) -> std::string {
        using V = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<V, std::monostate>)
          return "null";
        else if constexpr (std::is_same_v<V, bool>)
          return v ? "true" : "false";
        else if constexpr (std::is_same_v<V, std::string>)
          return json_quote(v);
        else if constexpr (std::is_same_v<V, double>)
          return json_number(v);
        else
          return std::to_string(v);
      },
      value);
}

std::string chosen_text(const MechanismReference& mechanism) {
  JsonWriter out;
  if (!mechanism.list()) return json_quote(mechanism.chosen().front());
  out.begin_array(true);
  for (const auto& name : mechanism.chosen()) out.value(name);
  out.end_array();
  std::string text = out.text();
  text.pop_back();  // trailing line break
  return text;
}

void check_parameters(GroupReference root, const Aliases& aliases) {
  CheckRunner checks(aliases);
  checks.enter("", root);
  root.describe(checks);
}

std::string find_value(GroupReference root, const std::string& path) {
  ValueCollector collector(true);
  root.describe(collector);
  const auto found = collector.values.find(path);
  return found == collector.values.end() ? std::string{} : found->second;
}

std::map<std::string, std::string> collect_values(GroupReference root) {
  ValueCollector collector(false);
  root.describe(collector);
  return std::move(collector.values);
}

void write_resolved(GroupReference root, const Origins& origins, JsonWriter& out) {
  ResolvedWriter writer(out, origins);
  root.describe(writer);
}

}  // namespace detail
}  // namespace heddle
