// SPDX-License-Identifier: Apache-2.0
// What a run leaves in its folder of results.
#pragma once

namespace heddle::runtime {

class Device;
class ModuleTable;

/// Writes run.json and the PTX that ran into Options::output, when one was asked for. `complete` is false for a run
/// that was stopped or whose kernel failed. Whole files only: what cannot be written is said, and nothing half-written
/// is left.
void write_results(const Device& device, const ModuleTable& modules, bool complete);

}  // namespace heddle::runtime
