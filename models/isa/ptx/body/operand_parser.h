// SPDX-License-Identifier: Apache-2.0
// Operands of a function body: registers, names, constants, vectors, addresses, texture coordinates.
#pragma once

#include <cstdint>
#include <span>

#include "isa/ptx/body/instruction_words.h"
#include "isa/ptx/body/scopes.h"
#include "isa/ptx/syntax.h"
#include "isa/ptx/token_stream.h"

namespace heddle::isa {

class OperandParser {
 public:
  /// `words`: the instruction whose operands are parsed, which decides what they may be.
  OperandParser(const UnitSyntax& unit, TokenStream& in, Scopes& scopes, const InstructionWords& words, Body& body)
      : unit_(unit), in_(in), scopes_(scopes), words_(words), body_(body) {}

  /// The operand at the cursor. Parts of a composed one go to Body::operands.
  OperandSyntax operand();

  /// ld.global.u32 r, a[1]: makes an address of an operand that is written like an element.
  void make_address(OperandSyntax& operand);

 private:
  OperandSyntax negated();
  OperandSyntax named(OperandSyntax out, const Token& token, const ScopeEntry& entry);
  OperandSyntax vector_register(OperandSyntax out, const Token& token, std::uint32_t elements);
  OperandSyntax special(OperandSyntax out, const Token& token);
  OperandSyntax constant(OperandSyntax out);
  OperandSyntax vector(OperandSyntax out);
  OperandSyntax address(OperandSyntax out);
  OperandSyntax texture(OperandSyntax out, const OperandSyntax& handle);

  std::uint64_t offset();
  void element_and_offset(OperandSyntax& out, std::uint64_t element_bytes);
  void set_parts(OperandSyntax& out, OperandSyntax::Kind kind, std::span<const OperandSyntax> parts);

  const UnitSyntax& unit_;
  TokenStream& in_;
  Scopes& scopes_;
  const InstructionWords& words_;
  Body& body_;
  unsigned depth_ = 0;
};

}  // namespace heddle::isa
