// SPDX-License-Identifier: Apache-2.0
// What a run leaves in its folder of results.
#pragma once

#include <string>

namespace heddle::runtime {

class Device;
class ModuleTable;

/// Completes what is recorded, and writes run.json and run.csv into Options::output, when one was asked for.
/// why_incomplete: empty for a run that came to its end, else what stopped it. Whole files only: what cannot be written
/// is said, and nothing half-written is left. Returns the exit status that a broken account or an unwritten file asks
/// for; 0 when all is well.
int write_results(Device& device, const ModuleTable& modules, std::string why_incomplete);

}  // namespace heddle::runtime
