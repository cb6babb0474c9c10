// SPDX-License-Identifier: Apache-2.0
// Machines of presets.
#pragma once

#include <string>
#include <vector>

#include "gpu/gpu_parameters.h"

namespace heddle::studies {

/// The machine of a preset with settings of the form "sm.key=value".
gpu::MachineParameters machine_of(const std::string& preset, const std::vector<std::string>& settings = {});
sm::SmParameters sm_of(const std::string& preset, const std::vector<std::string>& settings = {});

}  // namespace heddle::studies
