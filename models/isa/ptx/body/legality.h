// SPDX-License-Identifier: Apache-2.0
// What makes an instruction legal: the table of forms, and the rules for which it has no column.
#pragma once

#include <cstdint>
#include <span>

#include "isa/ptx/body/instruction_words.h"
#include "isa/ptx/forms.h"
#include "isa/ptx/syntax.h"

namespace heddle::isa {

/// The form of an instruction. Fails when types, modifiers or state space make no legal combination.
const Form& legal_form(const MicroOp& op, std::uint64_t features, const InstructionWords& words);

/// Fails unless the form takes as many operands, and a `|` pair where one was written.
void check_operand_count(std::span<const OperandSyntax> operands, const Form& form, const InstructionWords& words);

}  // namespace heddle::isa
