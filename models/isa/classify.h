// SPDX-License-Identifier: Apache-2.0
// The unit that executes an operation and the class that gives its latency.
#pragma once

#include "isa/micro_op.h"

namespace heddle::isa {

/// Fills unit and timing_class from opcode and types.
void classify(MicroOp& op);

}  // namespace heddle::isa
