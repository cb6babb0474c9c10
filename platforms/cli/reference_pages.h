// SPDX-License-Identifier: Apache-2.0
// Reference pages in Markdown.
#pragma once

#include <string>
#include <vector>

#include "cli/catalogue.h"

namespace heddle::cli {

std::string parameter_pages(const std::vector<ParameterEntry>& parameters);
std::string statistic_pages(const std::vector<StatisticEntry>& statistics);

}  // namespace heddle::cli
