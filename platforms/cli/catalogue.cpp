// SPDX-License-Identifier: Apache-2.0
#include "cli/catalogue.h"

#include <map>
#include <set>

namespace heddle::cli {

std::string last_part(const std::string& path) { return path.substr(path.rfind('.') + 1); }

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

}  // namespace heddle::cli
