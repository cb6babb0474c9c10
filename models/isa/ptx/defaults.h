// SPDX-License-Identifier: Apache-2.0
// What PTX text may leave out of an instruction.
#pragma once

#include <cstdint>

#include "isa/micro_op.h"

namespace heddle::isa {

/// Fills in the rounding, approximation and space that the text leaves to the language, and classifies the operation.
/// features: those the text names (modifiers.h).
void complete(MicroOp& op, std::uint64_t features);

}  // namespace heddle::isa
