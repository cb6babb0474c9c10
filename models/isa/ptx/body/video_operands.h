// SPDX-License-Identifier: Apache-2.0
// What the operands of a video instruction say besides their values: sub-word selectors and signs.
#pragma once

#include <span>

#include "isa/micro_op.h"
#include "isa/ptx/body/instruction_words.h"
#include "isa/ptx/syntax.h"

namespace heddle::isa {

/// Fills `op.video` from the operands d, a, b and, where there is one, c. Signs are moved there from the operands.
/// `combines`: the instruction has a second operation, as in vadd.s32.s32.s32.min.
void read_video_operands(MicroOp& op, std::span<OperandSyntax> operands, bool combines, const InstructionWords& words);

}  // namespace heddle::isa
