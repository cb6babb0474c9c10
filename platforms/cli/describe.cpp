// SPDX-License-Identifier: Apache-2.0
#include "cli/describe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "common/machine_description.h"
#include "core/error.h"
#include "core/names.h"

namespace heddle::cli {
namespace {

std::string last_part(const std::string& path) { return path.substr(path.rfind('.') + 1); }

std::string with_unit(const std::string& value, const std::string& unit) {
  return unit.empty() ? value : value + " " + unit;
}

/// Full description of a parameter.
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
  line("legal", entry.legal);
  for (const auto& choice : entry.choices) {
    if (!choice.sentence.empty()) line("", fmt::format("{}: {}", choice.name, choice.sentence));
  }
  line("default", with_unit(entry.default_value, entry.unit));
  line("source", entry.source);
  if (configuration == nullptr) return text;
  // Show the first element only: most lists have one.
  std::string path = entry.path;
  for (auto star = path.find('*'); star != std::string::npos; star = path.find('*')) path.replace(star, 1, "0");
  try {
    const ParameterOrigin origin = configuration->origin(path);
    std::string value = with_unit(configuration->value(path), entry.unit);
    if (!origin.published.empty()) value += fmt::format(", published as \"{}\"", origin.published);
    if (!origin.source.empty()) value += fmt::format(", {}", origin.source);
    if (origin.chosen) value += ", chosen where the sources leave it open";
    value += origin.set_by.empty() ? " (default)" : fmt::format(" (set by {})", origin.set_by);
    line("value", fmt::format("{} in {}", value, configuration->name()));
  } catch (const Error&) {
    line("value", fmt::format("none in {}", configuration->name()));
  }
  return text;
}

std::string parameter_line(const ParameterEntry& entry) {
  return fmt::format("  {:<40} {:<14} {}\n", short_path(entry.path), with_unit(entry.default_value, entry.unit),
                     entry.sentence);
}

std::string statistic_text(const StatisticEntry& entry) {
  std::string text = fmt::format("{}  (statistic of class {})\n  {}\n", entry.name, entry.class_name, entry.sentence);
  fmt::format_to(std::back_inserter(text), "  {:<10}{}\n  {:<10}{}\n", "kind", entry.kind, "unit", entry.unit);
  if (!entry.buckets.empty())
    fmt::format_to(std::back_inserter(text), "  {:<10}{}\n", "buckets", fmt::join(entry.buckets, ", "));
  return text;
}

/// The mechanism's description and the keys that can choose it; empty when there is none with this name.
std::string mechanism_text(const std::string& name, const std::vector<ParameterEntry>& parameters) {
  std::string sentence, keys, own;
  for (const auto& entry : parameters) {
    for (const auto& choice : entry.choices) {
      if (choice.name != name || choice.sentence.empty()) continue;
      sentence = choice.sentence;
      keys += fmt::format("  {} = \"{}\"\n", short_path(entry.path), name);
    }
    if (entry.mechanism == name) own += parameter_line(entry);
  }
  if (keys.empty()) return {};
  std::string text = fmt::format("{}\n  {}\n\nChosen by\n{}", name, sentence, keys);
  if (!own.empty()) text += "\nParameters\n" + own;
  return text;
}

}  // namespace

std::vector<StatisticEntry> list_statistics(const Statistics& statistics) {
  std::vector<StatisticEntry> entries;
  std::map<std::string, std::vector<std::string>> instances;
  for (const auto* owner : statistics.owners()) instances[owner->class_name()].push_back(owner->name());
  std::set<std::string> seen;
  for (const auto* owner : statistics.owners()) {
    if (!seen.insert(owner->class_name()).second) continue;
    for (const auto& declaration : owner->declarations()) {
      const char* const kinds[] = {"counter", "maximum", "histogram"};
      entries.push_back({declaration.name, owner->class_name(), declaration.sentence, declaration.unit.name,
                         kinds[static_cast<int>(declaration.kind)], declaration.labels,
                         instances[owner->class_name()]});
    }
    for (const auto& derived : owner->derived()) {
      entries.push_back({derived.name,
                         owner->class_name(),
                         derived.sentence,
                         derived.unit.name,
                         "derived",
                         {},
                         instances[owner->class_name()]});
    }
  }
  for (const auto& derived : statistics.derived()) {
    entries.push_back({derived.name, "machine", derived.sentence, derived.unit.name, "derived", {}, {}});
  }
  return entries;
}

/// Whether a word names the statistic: with or without class or instance, by its last part, or by a pattern.
static bool names_statistic(const std::string& word, const StatisticEntry& entry) {
  if (entry.name == word || last_part(entry.name) == word || glob_match(word, entry.name)) return true;
  if (glob_match(word, entry.class_name + "." + entry.name)) return true;
  return std::any_of(entry.instances.begin(), entry.instances.end(),
                     [&](const std::string& instance) { return glob_match(word, instance + "." + entry.name); });
}

std::string explain_word(const std::string& word, const std::vector<ParameterEntry>& parameters,
                         const std::vector<StatisticEntry>& statistics, const Configuration* configuration) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "\n") + part; };
  // 1. A parameter by its path.
  for (const auto& entry : parameters) {
    if (entry.path == word || short_path(entry.path) == word) add(parameter_text(entry, configuration));
  }
  // 2. A group.
  if (text.empty()) {
    std::string group;
    for (const auto& entry : parameters) {
      if (entry.path.rfind(word + ".", 0) == 0 || short_path(entry.path).rfind(word + ".", 0) == 0)
        group += parameter_line(entry);
    }
    if (!group.empty()) add(word + "\n" + group);
  }
  // 3. A mechanism, a statistic.
  if (const std::string mechanism = mechanism_text(word, parameters); !mechanism.empty()) add(mechanism);
  for (const auto& entry : statistics) {
    if (names_statistic(word, entry)) add(statistic_text(entry));
  }
  // 4. A parameter by its last part alone.
  if (text.empty()) {
    for (const auto& entry : parameters) {
      if (last_part(entry.path) == word) add(parameter_text(entry, configuration));
    }
  }
  if (!text.empty()) return text;
  std::vector<std::string> names;
  for (const auto& entry : parameters) {
    names.push_back(short_path(entry.path));
    names.push_back(last_part(entry.path));
    for (const auto& choice : entry.choices) names.push_back(choice.name);
  }
  for (const auto& entry : statistics) names.push_back(entry.name);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  const auto near = nearest_spellings(word, names, 3);
  fail(ExitCode::usage, "'{}' is unknown; {}`heddle explain` without a name lists everything", word,
       near.empty() ? "" : fmt::format("did you mean {}? ", fmt::join(near, ", ")));
}

std::string parameter_pages(const std::vector<ParameterEntry>& parameters) {
  std::map<std::string, std::vector<const ParameterEntry*>> groups;
  std::vector<std::string> order;
  for (const auto& entry : parameters) {
    const std::string path = short_path(entry.path);
    const auto dot = path.rfind('.');
    const std::string group = dot == std::string::npos ? "" : path.substr(0, dot);
    if (groups.find(group) == groups.end()) order.push_back(group);
    groups[group].push_back(&entry);
  }
  std::string text = "# Parameters\n\nGenerated from the declarations in the code by `heddle reference parameters`.\n";
  for (const auto& group : order) {
    fmt::format_to(std::back_inserter(text), "\n## {}\n\n", group.empty() ? "The machine" : "`" + group + "`");
    if (!groups[group].front()->mechanism.empty())
      fmt::format_to(std::back_inserter(text), "Parameters of the mechanism `{}`.\n\n",
                     groups[group].front()->mechanism);
    text += "| key | meaning | unit | legal | default | source |\n|---|---|---|---|---|---|\n";
    for (const auto* entry : groups[group]) {
      std::string legal = entry->legal;
      for (const auto& choice : entry->choices) {
        if (!choice.sentence.empty()) legal += fmt::format("<br>`{}`: {}", choice.name, choice.sentence);
      }
      fmt::format_to(std::back_inserter(text), "| `{}` | {} | {} | {} | `{}` | {} |\n", last_part(entry->path),
                     entry->sentence, entry->unit, legal, entry->default_value, entry->source);
    }
  }
  return text;
}

std::string statistic_pages(const std::vector<StatisticEntry>& statistics) {
  std::string text = "# Statistics\n\nGenerated from the declarations in the code by `heddle reference statistics`.\n";
  std::string class_name;
  for (const auto& entry : statistics) {
    if (entry.class_name != class_name) {
      class_name = entry.class_name;
      fmt::format_to(std::back_inserter(text),
                     "\n## Class `{}`\n\n| name | meaning | kind | unit |\n|---|---|---|---|\n", class_name);
    }
    fmt::format_to(std::back_inserter(text), "| `{}` | {}{} | {} | {} |\n", entry.name, entry.sentence,
                   entry.buckets.empty() ? "" : fmt::format("; buckets {}", fmt::join(entry.buckets, ", ")), entry.kind,
                   entry.unit);
  }
  return text;
}

}  // namespace heddle::cli
