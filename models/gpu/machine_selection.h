// SPDX-License-Identifier: Apache-2.0
// From a machine's name or description to its parameters, without what the machine is built of. Implemented in
// timing_machine.cpp.
#pragma once

#include <map>
#include <string>

namespace heddle {
class Configuration;
}

namespace heddle::gpu {

struct DeviceLimits;
struct MachineParameters;
struct MachineRequest;

/// Shorthands for parameter paths: `sm` and `caches` refer to those of every SM class.
const std::map<std::string, std::string>& parameter_aliases();
/// The default machine.
inline constexpr const char* kDefaultMachine = "gtx480";
/// Loads a machine description into parameters, searching preset_directories().
void load_machine(MachineParameters& parameters, Configuration& configuration, const MachineRequest& request);
/// The machine as presented to the host.
DeviceLimits limits_of(const MachineParameters& parameters, const std::string& name);

}  // namespace heddle::gpu
