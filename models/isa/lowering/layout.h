// SPDX-License-Identifier: Apache-2.0
// Lays out a kernel's blocks.
#pragma once

#include "isa/image.h"
#include "isa/lowering/ir.h"

namespace heddle::isa {

/// Reorders the ops and removes unreachable ones. Inverts branches or adds jumps where a fall-through successor is not
/// adjacent; removes jumps to the next op. In thread-frontier order, a loop whose header would be the reconvergence
/// point of a branch inside it gets a common back edge, so that the point comes after the branch. `jump_text`:
/// Kernel::texts index of added jumps.
void lay_out(Ir& ir, std::uint32_t jump_text, CodeOrder order);

}  // namespace heddle::isa
