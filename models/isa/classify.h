// SPDX-License-Identifier: Apache-2.0
// What an operation is to a machine: its unit, the class that gives its latency, whether it counts.
#pragma once

#include "isa/micro_op.h"

namespace heddle::isa {

/// Fills unit and timing_class from opcode and types.
void classify(MicroOp& op);

/// Whether statistics count it as an instruction. Not what only a machine's compiler inserts.
constexpr bool is_counted(Opcode opcode) { return opcode != Opcode::bar_partner; }

}  // namespace heddle::isa
