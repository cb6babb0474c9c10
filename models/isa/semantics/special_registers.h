// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/execute.h"

namespace heddle::isa {

/// d0 = the special register of `op`, for the lanes of `mask`; truncated or zero-extended to the destination.
void read_special_register(const MicroOp& op, WarpState& warp, std::uint32_t mask, const Environment& environment);

/// Coordinates of a thread in its block. lane: 0 to 31.
Dim3 thread_index(const WarpState& warp, unsigned lane);

}  // namespace heddle::isa
