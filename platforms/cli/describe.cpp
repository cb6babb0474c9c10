// SPDX-License-Identifier: Apache-2.0
#include "cli/describe.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>

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

std::string parameter_line(const ParameterEntry& entry) {
  return fmt::format("  {:<40} {:<14} {}\n", short_path(entry.path), with_unit(entry.default_value, entry.unit),
                     entry.sentence);
}

/// The mechanism's description and the keys that can choose it; empty when there is none with this name.
std::string mechanism_text(const std::string& name, const std::vector<ParameterEntry>& parameters) {
  std::string shown, sentence, keys, own;
  for (const auto& entry : parameters) {
    for (const auto& choice : entry.choices) {
      if (!same_name(choice.name, name) || choice.sentence.empty()) continue;
      shown = choice.name;
      sentence = choice.sentence;
      keys += fmt::format("  {} = \"{}\"\n", short_path(entry.path), choice.name);
    }
    if (same_name(entry.mechanism, name)) own += parameter_line(entry);
  }
  if (keys.empty()) return {};
  std::string text = fmt::format("{}\n  {}\n\nChosen by\n{}", shown, sentence, keys);
  if (!own.empty()) text += "\nParameters\n" + own;
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

/// The parameters of a group, and a line for each group in it; empty when there is no such group.
std::string group_text(const std::string& name, const Catalogue& catalogue) {
  const std::string prefix = lower_case(name) + ".";
  std::map<std::string, std::string> sentences;
  for (const auto& group : catalogue.groups) sentences[short_path(group.path)] = group.sentence;
  std::string text;
  std::map<std::string, unsigned> counts;
  std::vector<std::string> inner;
  for (const auto& entry : catalogue.parameters) {
    const std::string path = short_path(entry.path);
    if (!lower_case(path).starts_with(prefix)) continue;
    const auto dot = path.find('.', prefix.size());
    if (dot == std::string::npos) {
      text += parameter_line(entry);
    } else if (counts[path.substr(0, dot)]++ == 0) {
      inner.push_back(path.substr(0, dot));
    }
  }
  for (const auto& group : inner) {
    if (sentences[group].empty()) sentences[group] = sentences[group + ".*"];  // the elements of a list
    text += fmt::format("  {:<40} {:<14} {}\n", group + ".*", fmt::format("{} keys", counts[group]), sentences[group]);
  }
  if (text.empty()) return {};
  const std::string sentence = sentences[name];
  return name + "\n" + (sentence.empty() ? "" : "  " + sentence + "\n\n") + text;
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
    const std::string value = mechanism_text(name.substr(equals + 1), catalogue.parameters);
    return value.empty() ? explain_name(key, catalogue, configuration) : value;
  }
  const std::string path = declared_path(name);
  for (const auto& entry : catalogue.parameters) {
    if (same_name(entry.path, path) || same_name(short_path(entry.path), path))
      add(parameter_text(entry, configuration));
  }
  if (text.empty()) add(group_text(short_path(path), catalogue));
  add(mechanism_text(name, catalogue.parameters));
  for (const auto& entry : catalogue.statistics) {
    if (names_statistic(name, entry)) add(statistic_text(entry));
  }
  return text;
}

}  // namespace heddle::cli
