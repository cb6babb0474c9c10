// SPDX-License-Identifier: Apache-2.0
// Instructions of a function body: guard, operation, modifiers, operands, and whether they go together.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "isa/ptx/body/branch_targets.h"
#include "isa/ptx/body/instruction_words.h"
#include "isa/ptx/body/operand_parser.h"
#include "isa/ptx/body/scopes.h"
#include "isa/ptx/syntax.h"
#include "isa/ptx/token_stream.h"

namespace heddle::isa {

class InstructionParser {
 public:
  InstructionParser(const UnitSyntax& unit, TokenStream& in, Scopes& scopes, BranchTargets& branches, Body& body)
      : in_(in), branches_(branches), body_(body), words_(in), operands_(unit, in, scopes, words_, body) {}

  /// Appends the instruction at the cursor to the body. source, inlined: as in InstructionSyntax.
  void parse(SourcePosition source, SourcePosition inlined);

 private:
  void read_guard(InstructionSyntax& out);
  std::uint64_t read_operation(MicroOp& op);
  [[noreturn]] void fail_unknown_operation();
  void read_modifiers(MicroOp& op, std::uint64_t& features);
  void read_operands(InstructionSyntax& out);
  void read_call(InstructionSyntax& out);
  std::vector<OperandSyntax> read_call_operands();
  void drop_cache_policy(InstructionSyntax& out);
  void check(InstructionSyntax& out, std::uint64_t features);
  void check_partner_barrier(const InstructionSyntax& out, std::span<const OperandSyntax> operands);
  void set_operands(InstructionSyntax& out, const std::vector<OperandSyntax>& operands);

  TokenStream& in_;
  BranchTargets& branches_;
  Body& body_;
  InstructionWords words_;
  OperandParser operands_;
};

}  // namespace heddle::isa
