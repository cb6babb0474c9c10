// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/micro_op.h"

namespace heddle::isa {

/// Whether the instruction sets the program counter: bra, brx. Calls are inlined, and exits leave.
inline bool is_branch(const MicroOp& op) { return op.opcode == Opcode::bra || op.opcode == Opcode::brx; }

}  // namespace heddle::isa
