// SPDX-License-Identifier: Apache-2.0
// Calls and returns of subroutines as branches, with a stack in local memory.
#pragma once

#include "isa/lowering/ir.h"

namespace heddle::isa {

/// Replaces `call` and `ret` ops (ir.h): a call within its own recursion first saves the registers of the activation
/// that are needed behind it in the frame and restores them there; returns are indirect branches over the call sites.
/// Where the stack begins is left open. Branch targets must be indices of ops.
void lower_recursion(Ir& ir);

/// The stack of a lowered recursion begins at this byte of local memory.
void set_stack_start(Ir& ir, std::uint32_t byte);

}  // namespace heddle::isa
