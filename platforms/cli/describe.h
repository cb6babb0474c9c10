// SPDX-License-Identifier: Apache-2.0
// Texts about parameters, mechanisms and statistics, for the terminal and for the reference pages.
#pragma once

#include <string>
#include <vector>

#include "core/configuration.h"
#include "core/statistics.h"

namespace heddle::cli {

/// One statistic of a class of owners.
struct StatisticEntry {
  std::string name;  ///< below the class: "issue.warp_instructions"
  std::string class_name;
  std::string sentence, unit, kind;
  std::vector<std::string> buckets;
  std::vector<std::string> instances;  ///< owners of the class: sm0, sm1, ...
};
/// Every statistic of a machine, once a class.
std::vector<StatisticEntry> list_statistics(const Statistics& statistics);

/// What is said about a word the user typed: a parameter (full, short, or its last part), a group of parameters, a
/// mechanism, a statistic or a pattern of statistics. configuration: adds the machine's value and its origin; may be
/// null. Throws Error(kUsage) with the nearest names when nothing fits.
std::string explain_word(const std::string& word, const std::vector<ParameterEntry>& parameters,
                         const std::vector<StatisticEntry>& statistics, const Configuration* configuration);

/// Reference pages in Markdown.
std::string parameter_pages(const std::vector<ParameterEntry>& parameters);
std::string statistic_pages(const std::vector<StatisticEntry>& statistics);

}  // namespace heddle::cli
