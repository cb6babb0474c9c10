// SPDX-License-Identifier: Apache-2.0
// Thrust includes this file without using it; query occupancy from the runtime (cuda_runtime_api.h).
#pragma once

#include "cuda_runtime_api.h"
