// SPDX-License-Identifier: Apache-2.0
// Thrust includes this by name and uses nothing of it: occupancy is asked of the runtime (cuda_runtime_api.h).
#pragma once

#include "cuda_runtime_api.h"
