// SPDX-License-Identifier: Apache-2.0
// Lowers subroutine calls and returns to branches, with a stack in local memory.
#pragma once

#include "isa/lowering/ir.h"

namespace heddle::isa {

/// Replaces `call` and `ret` ops (ir.h): a call within its own recursion saves the activation's live registers in the
/// frame and restores them on return; returns are indirect branches over the call sites. The start of the stack is set
/// later. Branch targets must be op indices.
void lower_recursion(Ir& ir);

/// Sets the first byte of the stack in local memory.
void set_stack_start(Ir& ir, std::uint32_t byte);

}  // namespace heddle::isa
