// SPDX-License-Identifier: Apache-2.0
// Which type each operand of an instruction has, given the instruction's own types.
#pragma once

#include "isa/micro_op.h"

namespace heddle::isa {

/// Type of destination `i`.
DataType destination_type(const MicroOp& op, unsigned i);
/// Type of source `i`, counted as docs/micro-ops.md orders them (an address has none).
DataType source_type(const MicroOp& op, unsigned i);
/// Loads, stores and conversions may use registers wider than the type they work on.
bool allows_wider_registers(Opcode opcode);

}  // namespace heddle::isa
