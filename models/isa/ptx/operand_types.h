// SPDX-License-Identifier: Apache-2.0
// Operand types of an instruction, derived from the instruction's types.
#pragma once

#include "isa/micro_op.h"

namespace heddle::isa {

/// Type of destination `i`.
DataType destination_type(const MicroOp& op, unsigned i);
/// Type of source `i`, in the order of docs/micro-ops.md (none for an address).
DataType source_type(const MicroOp& op, unsigned i);
/// Loads, stores and conversions may use registers wider than the type they work on.
bool allows_wider_registers(Opcode opcode);

}  // namespace heddle::isa
