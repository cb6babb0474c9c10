// SPDX-License-Identifier: Apache-2.0
// Descriptions of parameters, mechanisms and statistics, for the terminal and the reference pages.
#pragma once

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

/// Describes what a word refers to: a parameter (full path, short path, or last part), a parameter group, a mechanism,
/// a statistic or a pattern of statistics. configuration: adds the machine's value and its origin; may be null. Throws
/// Error(kUsage) with the nearest names when nothing matches.
std::string explain_word(const std::string& word, const std::vector<ParameterEntry>& parameters,
                         const std::vector<StatisticEntry>& statistics, const Configuration* configuration);

/// Reference pages in Markdown.
std::string parameter_pages(const std::vector<ParameterEntry>& parameters);
std::string statistic_pages(const std::vector<StatisticEntry>& statistics);

}  // namespace heddle::cli
