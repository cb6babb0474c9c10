// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/kernel/services.h"
#include "gpu/memory_side.h"
#include "memory/cache/cache_parameters.h"

namespace heddle {

/// An L1 data cache in front of a flat memory; constants, textures and instructions are not cached. For one SM;
/// services outlive what is built.
gpu::MemorySideFactory cached_side(Cycle latency, const memory::CacheParameters& parameters, Services& services);

}  // namespace heddle
