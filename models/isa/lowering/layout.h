// SPDX-License-Identifier: Apache-2.0
// Puts a kernel's blocks into thread-frontier order.
#pragma once

#include "isa/lowering/ir.h"

namespace heddle::isa {

/// Reorders the ops; unreachable ones go. Branches are turned round or jumps added where a block no longer follows the
/// one it falls into; jumps to the next op go. A loop whose header would be the reconvergence point of a branch inside
/// it gets one common back edge, so that the point lies behind the branch. `jump_text`: Kernel::texts index of added
/// jumps.
void lay_out(Ir& ir, std::uint32_t jump_text);

}  // namespace heddle::isa
