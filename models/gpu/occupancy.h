// SPDX-License-Identifier: Apache-2.0
// Blocks of a kernel that one SM can hold at a time. Shared by the functional machine, residency and occupancy queries.
#pragma once

#include <cstdint>

#include "gpu/device.h"

namespace heddle::gpu {

/// Resources a block needs on an SM.
struct BlockNeeds {
  std::uint32_t threads = 1;
  std::uint32_t registers_per_thread = 0;  ///< of 32 bits
  std::uint32_t shared_bytes = 0;          ///< static + dynamic
};

struct Occupancy {
  std::uint32_t blocks_per_sm = 0;  ///< 0: one block does not fit
  const char* limit = "";           ///< limiting resource: "registers", "shared memory", "blocks", ...
};

/// Threads round up to the grouping's granule, registers are allocated by ISA warp, shared memory in its unit.
Occupancy occupancy(const DeviceLimits& limits, const BlockNeeds& needs);

/// Register limit per thread of the kernel, at least 1: the smallest of its .maxnreg, the machine's limit, and the most
/// with which the number of blocks its launch bounds ask for (.maxntid, .minnctapersm; 1 without the latter) fit on an
/// SM, as far as other resources permit.
std::uint32_t register_limit(const DeviceLimits& limits, const isa::Kernel& kernel);

/// Most registers per thread, up to those of `needs`, with which `blocks` such blocks fit on an SM; 1 if they never
/// fit.
std::uint32_t fitting_registers(const DeviceLimits& limits, BlockNeeds needs, std::uint32_t blocks);

/// Reduced registers per thread with which a block fits on the machine; 0 if it fits anyway, if fewer would not help,
/// or if the machine does not spill.
std::uint32_t narrower_registers(const DeviceLimits& limits, const isa::Kernel& kernel, std::uint32_t threads,
                                 std::uint32_t dynamic_shared);

/// Throws Error(kLaunch), naming the kernel and the limit it exceeds, if the request cannot run on the machine.
void check_launch(const DeviceLimits& limits, const LaunchRequest& request);

}  // namespace heddle::gpu
