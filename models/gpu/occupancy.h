// SPDX-License-Identifier: Apache-2.0
// How many blocks of a kernel one SM holds at a time. The functional machine, residency and occupancy queries agree on
// it.
#pragma once

#include <cstdint>

#include "gpu/device.h"

namespace heddle::gpu {

/// What a block needs of an SM.
struct BlockNeeds {
  std::uint32_t threads = 1;
  std::uint32_t registers_per_thread = 0;  ///< of 32 bits
  std::uint32_t shared_bytes = 0;          ///< static + dynamic
};

struct Occupancy {
  std::uint32_t blocks_per_sm = 0;  ///< 0: one block does not fit
  const char* limit = "";           ///< what bounds it, in words: "registers", "shared memory", "blocks", ...
};

/// Threads round up to the grouping's granule, registers are allocated by ISA warp, shared memory in its unit.
Occupancy occupancy(const DeviceLimits& limits, const BlockNeeds& needs);

/// Most registers a thread of the kernel may have: its own limit (.maxnreg), the machine's, and so many that the blocks
/// which its launch bounds ask for (.maxntid, .minnctapersm; one without the latter) fit an SM side by side as far as
/// the rest of what they need lets them. At least 1.
std::uint32_t register_limit(const DeviceLimits& limits, const isa::Kernel& kernel);

/// Most registers a thread, up to those of `needs`, with which so many such blocks fit an SM side by side; 1 when none
/// do.
std::uint32_t fitting_registers(const DeviceLimits& limits, BlockNeeds needs, std::uint32_t blocks);

/// Registers a thread with which a block fits the machine that does not with those the kernel needs; 0 when it does, or
/// when fewer would not help, or the machine does not spill.
std::uint32_t narrower_registers(const DeviceLimits& limits, const isa::Kernel& kernel, std::uint32_t threads,
                                 std::uint32_t dynamic_shared);

/// Throws Error(kLaunch) that names the kernel and what it exceeds when the request cannot run on the machine.
void check_launch(const DeviceLimits& limits, const LaunchRequest& request);

}  // namespace heddle::gpu
