// SPDX-License-Identifier: Apache-2.0
// Static synchronisation of the warps that may form a large warp: a barrier before each instruction that gains from it.
// Source: docs/sources/dynamic-warp-resizing.md, 2.4 and 3.1.
#pragma once

#include <cstdint>

#include "isa/analysis/large_warp_intensive.h"
#include "isa/lowering/ir.h"

namespace heddle::isa {

/// Inserts `bar.synch_partner` before every op that is large-warp-intensive according to `lats`, unless one precedes it
/// already. The barrier has no guard, whatever that of the op: a warp whose threads are all guarded off must not leave
/// its partners waiting. Branches to the op lead to its barrier. Labels must be resolved. text: Kernel::texts index of
/// the inserted ops.
void insert_partner_barriers(Ir& ir, LatMask lats, std::uint32_t text);

}  // namespace heddle::isa
