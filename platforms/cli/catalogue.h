// SPDX-License-Identifier: Apache-2.0
// What `heddle explain` and the reference pages describe.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/config/configuration.h"
#include "core/statistics/statistics.h"

namespace heddle::cli {

/// One statistic of a class of owners.
struct StatisticEntry {
  std::string name;  ///< relative to the class: "issue.warp_instructions"
  std::string class_name;
  std::string sentence, unit, kind;
  std::vector<std::string> buckets;
  std::vector<std::string> instances;  ///< owners of the class: sm0, sm1, ...
};
/// Every statistic of a machine, once per class.
std::vector<StatisticEntry> list_statistics(const Statistics& statistics);

/// A machine's name and its values.
struct MachineValues {
  std::string name;
  std::map<std::string, std::string> values;  ///< Configuration::values()
};

/// All that has a description, and the presets that use it.
struct Catalogue {
  std::vector<ParameterEntry> parameters;
  std::vector<GroupEntry> groups;
  std::vector<StatisticEntry> statistics;
  std::vector<MachineValues> presets = {};
};

/// The last part of a dotted path.
std::string last_part(const std::string& path);

}  // namespace heddle::cli
