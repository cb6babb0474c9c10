// SPDX-License-Identifier: Apache-2.0
// Defaults for modifiers that an instruction may omit.
#pragma once

#include <cstdint>

#include "isa/micro_op.h"

namespace heddle::isa {

/// Fills in the default rounding, approximation and space where the text omits them, and classifies the operation.
/// features: those present in the text (modifiers.h).
void complete(MicroOp& op, std::uint64_t features);

}  // namespace heddle::isa
