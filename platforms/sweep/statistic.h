// SPDX-License-Identifier: Apache-2.0
// Looks up a number in a run.json by its name in a study's `collect`.
#pragma once

#include <string>
#include <vector>

#include "core/json.h"

namespace heddle::sweep {

/// `cycles`, `simulated_seconds`, `launches`, `thread_instructions`, `warp_instructions`; a statistic of the machine
/// (`ipc`); of a class (`sm.issue.slots.memory`, `sm.issue.slot_lanes[W32]`) or an instance (`sm0.issue.branches`).
/// As text that reads back as the same number; empty when the run has no such number.
std::string statistic(const JsonNode& run, const std::string& name);

/// Every name statistic() accepts for a run, except those of instances.
std::vector<std::string> statistic_names(const JsonNode& run);

}  // namespace heddle::sweep
