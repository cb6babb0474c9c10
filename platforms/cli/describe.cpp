// SPDX-License-Identifier: Apache-2.0
#include "cli/describe.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <set>
#include <vector>

#include "cli/columns.h"
#include "common/machine_description.h"
#include "core/error.h"
#include "core/names.h"

namespace heddle::cli {
namespace {

std::string with_unit(const std::string& value, const std::string& unit) {
  return unit.empty() ? value : value + " " + unit;
}

/// The path in a machine: lists have their first element, and most have one.
std::string first_element(std::string path) {
  for (auto star = path.find('*'); star != std::string::npos; star = path.find('*')) path.replace(star, 1, "0");
  return path;
}

std::string lower_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

bool same_name(const std::string& a, const std::string& b) { return lower_case(a) == lower_case(b); }

/// gpu.sm_classes[0].count and gpu.sm_classes.0.count as the declarations have it: gpu.sm_classes.*.count.
std::string declared_path(const std::string& path) {
  std::string declared;
  for (std::size_t at = 0; at < path.size();) {
    const auto end = std::min(path.find_first_of(".[]", at), path.size());
    const std::string part = path.substr(at, end - at);
    at = end + 1;
    if (part.empty()) continue;
    const bool number = part.find_first_not_of("0123456789") == std::string::npos;
    declared += (declared.empty() ? "" : ".") + (number ? std::string("*") : part);
  }
  return declared;
}

using Rows = std::vector<std::vector<std::string>>;

/// "latency 18 cycles, interval 1 cycles": the parameters of a group with their defaults.
std::string values_text(const std::vector<const ParameterEntry*>& parameters) {
  std::vector<std::string> values;
  for (const ParameterEntry* entry : parameters)
    values.push_back(fmt::format("{} {}", entry->path.substr(entry->path.rfind('.') + 1),
                                 with_unit(entry->default_value, entry->unit)));
  return fmt::format("{}", fmt::join(values, ", "));
}

/// Groups with the same description and no more parameters than this are told apart by their values.
constexpr std::size_t kShownValues = 3;

/// The parameters of a group, and a row for each group in it; none when there is no such group.
Rows group_rows(const std::string& name, const Catalogue& catalogue) {
  const std::string prefix = lower_case(name) + ".";
  std::map<std::string, std::string> sentences;
  for (const auto& group : catalogue.groups) sentences[short_path(group.path)] = group.sentence;
  Rows rows;
  std::map<std::string, std::vector<const ParameterEntry*>> members;
  std::vector<std::string> inner;
  for (const auto& entry : catalogue.parameters) {
    const std::string path = short_path(entry.path);
    if (!lower_case(path).starts_with(prefix)) continue;
    const auto dot = path.find('.', prefix.size());
    if (dot == std::string::npos) {
      rows.push_back({path, with_unit(entry.default_value, entry.unit), entry.sentence});
    } else {
      const std::string group = path.substr(0, dot);
      if (members[group].empty()) inner.push_back(group);
      members[group].push_back(&entry);
    }
  }
  std::set<std::string> different;
  for (const auto& group : inner) {
    if (sentences[group].empty()) sentences[group] = sentences[group + ".*"];  // the elements of a list
    different.insert(sentences[group]);
  }
  const bool alike = inner.size() > 1 && different.size() == 1;
  for (const auto& group : inner) {
    const std::size_t count = members[group].size();
    rows.push_back({group + ".*", fmt::format("{} {}", count, count == 1 ? "key" : "keys"),
                    alike && count <= kShownValues ? values_text(members[group]) : sentences[group]});
  }
  return rows;
}

/// A key that chooses mechanisms, and one of those.
struct Selection {
  const ParameterEntry* key;
  const ChoiceEntry* choice;

  std::string path() const { return short_path(key->path); }
  /// Where the parameters of the mechanism are: next to the key.
  std::string group() const { return path().substr(0, path().rfind('.') + 1) + choice->name; }
};

/// The keys that can choose what is called so: a mechanism ("gto") or the group of its parameters ("sm.gto"), whether
/// it has some or not.
std::vector<Selection> selections_of(const std::string& name, const Catalogue& catalogue) {
  std::vector<Selection> selections;
  for (const auto& key : catalogue.parameters) {
    for (const auto& choice : key.choices) {
      const Selection one{&key, &choice};
      if (!choice.sentence.empty() && (same_name(choice.name, name) || same_name(one.group(), name)))
        selections.push_back(one);
    }
  }
  return selections;
}

/// "in presets a, b": those whose key has this value.
std::string presets_text(const Selection& selection, const std::vector<MachineValues>& presets) {
  const std::string quoted = "\"" + selection.choice->name + "\"";
  std::vector<std::string> using_it;
  for (const auto& preset : presets) {
    const bool uses = std::any_of(preset.values.begin(), preset.values.end(), [&](const auto& value) {
      return value.second.find(quoted) != std::string::npos && declared_path(value.first) == selection.key->path;
    });
    if (uses) using_it.push_back(preset.name);
  }
  if (presets.empty()) return {};
  if (using_it.empty()) return "in no preset";
  if (using_it.size() == presets.size()) return "in all presets";
  return fmt::format("in {} {}", using_it.size() == 1 ? "preset" : "presets", fmt::join(using_it, ", "));
}

/// Descriptions of the mechanisms of this name, the keys that choose each, and its parameters; empty when there is
/// none.
std::string mechanism_text(const std::string& name, const Catalogue& catalogue) {
  std::vector<Selection> left = selections_of(name, catalogue);
  std::string text;
  while (!left.empty()) {
    const ChoiceEntry first = *left.front().choice;
    const auto others = std::stable_partition(
        left.begin(), left.end(), [&](const Selection& one) { return one.choice->sentence == first.sentence; });
    Rows keys, own;
    std::set<std::string> groups;
    for (auto one = left.begin(); one != others; ++one) {
      const bool is_list = one->key->type == "list of names";
      const std::string value = is_list ? "[\"" + first.name + "\"]" : first.name;
      keys.push_back({one->path() + "=" + value, presets_text(*one, catalogue.presets)});
      if (!groups.insert(one->group()).second) continue;
      const Rows rows = group_rows(one->group(), catalogue);
      own.insert(own.end(), rows.begin(), rows.end());
    }
    left.erase(left.begin(), others);
    text += fmt::format("{}{}\n  {}\n", text.empty() ? "" : "\n", first.name, first.sentence);
    if (!first.source.empty()) text += fmt::format("  source    {}\n", first.source);
    text += "\nChosen by\n" + in_columns(keys);
    if (!own.empty()) text += "\nParameters\n" + in_columns(own);
  }
  return text;
}

/// Whether a name is that of the statistic: with or without class or instance, or a pattern.
bool names_statistic(const std::string& name, const StatisticEntry& entry) {
  const std::string wanted = lower_case(name);
  const auto matches = [&](const std::string& full) { return glob_match(wanted, lower_case(full)); };
  return matches(entry.name) || matches(entry.class_name + "." + entry.name) ||
         std::any_of(entry.instances.begin(), entry.instances.end(),
                     [&](const std::string& instance) { return matches(instance + "." + entry.name); });
}

/// The group and what is in it; empty when there is no such group.
std::string group_text(const std::string& name, const Catalogue& catalogue) {
  const Rows rows = group_rows(name, catalogue);
  if (rows.empty()) return {};
  std::string sentence;
  for (const auto& group : catalogue.groups) {
    if (same_name(short_path(group.path), name)) sentence = group.sentence;
  }
  return name + "\n" + (sentence.empty() ? "" : "  " + sentence + "\n\n") + in_columns(rows);
}

}  // namespace

std::string value_in(const Configuration& configuration, const ParameterEntry& entry) {
  try {
    return with_unit(configuration.value(first_element(entry.path)), entry.unit);
  } catch (const Error&) {
    return {};
  }
}

std::string parameter_text(const ParameterEntry& entry, const Configuration* configuration) {
  const std::string shown = short_path(entry.path);
  std::string text = shown;
  if (shown != entry.path) text += fmt::format("  ({})", entry.path);
  const auto line = [&](const char* label, const std::string& value) {
    if (!value.empty()) fmt::format_to(std::back_inserter(text), "  {:<10}{}\n", label, value);
  };
  text += "\n  " + entry.sentence + "\n";
  if (!entry.mechanism.empty()) line("used by", entry.mechanism);
  line("type", entry.type);
  line("unit", entry.unit);
  if (is_size({entry.unit.c_str()})) line("written", "49152, or with a unit: 48KB, 1.5 MB; 1 KB = 1 KiB = 1024 bytes");
  line("legal", entry.legal);
  for (const auto& choice : entry.choices) {
    if (!choice.sentence.empty()) line("", fmt::format("{}: {}", choice.name, choice.sentence));
  }
  line("default", with_unit(entry.default_value, entry.unit));
  line("source", entry.source);
  if (configuration == nullptr) return text;
  std::string value = value_in(*configuration, entry);
  if (value.empty()) {
    line("value", fmt::format("none in {}", configuration->name()));
  } else {
    const ParameterOrigin origin = configuration->origin(first_element(entry.path));
    if (!origin.published.empty()) value += fmt::format(", published as \"{}\"", origin.published);
    if (!origin.source.empty()) value += fmt::format(", {}", origin.source);
    if (origin.chosen) value += ", chosen where the sources leave it open";
    value += origin.set_by.empty() ? " (default)" : fmt::format(" (set by {})", origin.set_by);
    line("value", fmt::format("{} in {}", value, configuration->name()));
  }
  return text;
}

std::string statistic_text(const StatisticEntry& entry) {
  std::string text = fmt::format("{}  (statistic of class {})\n  {}\n", entry.name, entry.class_name, entry.sentence);
  fmt::format_to(std::back_inserter(text), "  {:<10}{}\n  {:<10}{}\n", "kind", entry.kind, "unit", entry.unit);
  if (!entry.buckets.empty())
    fmt::format_to(std::back_inserter(text), "  {:<10}{}\n", "buckets", fmt::join(entry.buckets, ", "));
  return text;
}

std::string explain_name(const std::string& name, const Catalogue& catalogue, const Configuration* configuration) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() || part.empty() ? "" : "\n") + part; };
  // A value at a key describes the value, or else the key.
  const auto equals = name.find('=');
  if (equals != std::string::npos) {
    const std::string key = name.substr(0, equals);
    const std::string value = mechanism_text(name.substr(equals + 1), catalogue);
    return value.empty() ? explain_name(key, catalogue, configuration) : value;
  }
  const std::string path = declared_path(name);
  for (const auto& entry : catalogue.parameters) {
    if (same_name(entry.path, path) || same_name(short_path(entry.path), path))
      add(parameter_text(entry, configuration));
  }
  const std::string shown = short_path(path);
  const std::string mechanisms = mechanism_text(shown, catalogue);
  if (text.empty() && mechanisms.empty()) add(group_text(shown, catalogue));
  add(mechanisms);
  for (const auto& entry : catalogue.statistics) {
    if (names_statistic(name, entry)) add(statistic_text(entry));
  }
  return text;
}

std::string shell_word(const std::string& name) {
  return name.find('*') == std::string::npos ? name : "'" + name + "'";
}

std::string next_to_explain(const std::string& name, const Catalogue& catalogue) {
  const std::string path = short_path(declared_path(name));
  for (const auto& entry : catalogue.parameters) {
    if (same_name(short_path(entry.path), path)) return {};
  }
  const auto legal = [](const std::string& key) {
    return fmt::format("heddle explain {} for its legal values", shell_word(key));
  };
  const auto equals = name.find('=');
  const auto selections = selections_of(equals == std::string::npos ? path : name.substr(equals + 1), catalogue);
  if (!selections.empty()) return legal(selections.front().path());
  const Rows rows = group_rows(path, catalogue);
  if (rows.empty()) return {};
  const std::string& first = rows.front().front();
  if (!first.ends_with(".*")) return legal(first);
  return fmt::format("heddle explain {} for its keys", shell_word(first.substr(0, first.size() - 2)));
}

}  // namespace heddle::cli
