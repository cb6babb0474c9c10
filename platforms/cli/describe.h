// SPDX-License-Identifier: Apache-2.0
// Descriptions of parameters, groups, mechanisms and statistics by their names, for the terminal.
#pragma once

#include <string>

#include "cli/catalogue.h"

namespace heddle::cli {

/// The value of a parameter in a machine, with its unit; of the first element of a list. Empty when the machine has
/// none.
std::string value_in(const Configuration& configuration, const ParameterEntry& entry);

/// Full description of a parameter. configuration: adds the machine's value and its origin; may be null.
std::string parameter_text(const ParameterEntry& entry, const Configuration* configuration);
std::string statistic_text(const StatisticEntry& entry);
/// Describes what a name refers to, in upper or lower case: a parameter (full or short path, "sm.order"; also with a
/// value, "sm.order=gto"), a parameter group, a mechanism ("gto", "sm.gto"), a statistic or a pattern of statistics.
/// Empty when nothing has this name.
std::string explain_name(const std::string& name, const Catalogue& catalogue, const Configuration* configuration);
/// The name as it is typed: in quotes if the shell would expand it.
std::string shell_word(const std::string& name);
/// What to look up after a group or a mechanism: "heddle explain sm.order for its legal values". Empty for other names.
std::string next_to_explain(const std::string& name, const Catalogue& catalogue);

}  // namespace heddle::cli
