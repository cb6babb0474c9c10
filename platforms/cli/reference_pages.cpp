// SPDX-License-Identifier: Apache-2.0
#include "cli/reference_pages.h"

#include <fmt/ranges.h>

#include <iterator>
#include <map>

#include "common/machine_description.h"

namespace heddle::cli {

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
  std::string text = "# Parameters\n\nWritten from the declarations in the code by `heddle reference parameters`.\n";
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
  std::string text = "# Statistics\n\nWritten from the declarations in the code by `heddle reference statistics`.\n";
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
