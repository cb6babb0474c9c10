// SPDX-License-Identifier: Apache-2.0
// Writes the results folder of a run.
#pragma once

#include <string>

namespace heddle::runtime {

class Device;
class ModuleTable;

/// Completes the recordings and writes run.json and run.csv to Options::output, if set. why_incomplete: what stopped
/// the run; empty if it completed. Files are written completely or not at all, and failures are reported. Returns the
/// exit status: 0, or that of an inconsistent account or unwritten file.
int write_results(Device& device, const ModuleTable& modules, std::string why_incomplete);

}  // namespace heddle::runtime
