// SPDX-License-Identifier: Apache-2.0
#include "isa/ptx/body/body_declarations.h"

#include <algorithm>

#include "isa/ptx/constant_expression.h"
#include "isa/ptx/declarations.h"

namespace heddle::isa {

void BodyDeclarations::declare_formal(const LocalVariable& formal) {
  const auto index = static_cast<std::uint32_t>(body_.variables.size());
  body_.variables.push_back(formal);
  ScopeEntry entry{ScopeEntry::Kind::variable, index};
  if (formal.in_register) {
    entry = {ScopeEntry::Kind::reg, scopes_.add_register(formal.name, storage_of(formal.type), 1)};
  }
  body_.formal_registers.push_back(formal.in_register ? entry.index : Body::kUnbound);
  if (!formal.name.empty() && formal.name != "_") scopes_.declare(formal.name, entry);
}

bool BodyDeclarations::read(std::string_view word) {
  if (word == "reg") {
    registers();
  } else if (word == "local") {
    variables(Space::local);
  } else if (word == "shared") {
    variables(Space::shared);
  } else if (word == "param") {
    variables(Space::param);
  } else if (word == "global" || word == "const" || word == "tex") {
    module_variables();
  } else {
    return false;
  }
  return true;
}

void BodyDeclarations::registers() {
  const Token& at = in_.peek();
  const DeclaredType type = parse_declared_type(in_);
  const DataType storage = storage_of(type.type);
  if (storage == DataType::none) in_.fail(at, "a register cannot have type '{}'", at.text);
  do {
    const Token& name = in_.expect(TokenKind::identifier, "a register name");
    if (in_.accept('<')) {
      scopes_.declare_range(name.text, register_count(), storage, type.elements);
      in_.expect('>');
      continue;
    }
    const auto kind = type.elements > 1 ? ScopeEntry::Kind::vector_register : ScopeEntry::Kind::reg;
    const ScopeEntry entry{kind, scopes_.add_register(name.text, storage, type.elements), type.elements};
    if (!scopes_.declare(name.text, entry)) in_.fail(name, "'{}' is declared twice", name.text);
  } while (in_.accept(','));
  in_.expect(';');
}

// The count in %r<15>. A literal only: in an expression, `>` would be an operator.
std::uint64_t BodyDeclarations::register_count() {
  const Token& at = in_.expect(TokenKind::integer, "a number of registers");
  std::uint64_t count = 0;
  if (!integer_value(at.text, count)) in_.fail(at, "'{}' is not a number of registers", at.text);
  return count;
}

void BodyDeclarations::variables(Space space) {
  const DeclaredType type = parse_declared_type(in_);
  do {
    const Declarator declarator = parse_declarator(in_);
    LocalVariable variable;
    variable.name = declarator.name;
    variable.space = space;
    variable.type = type.type;
    variable.alignment = std::max(1u, type.alignment);
    variable.size = type.type == DataType::none ? 8 : byte_size(in_, type, declarator);
    const ScopeEntry entry{ScopeEntry::Kind::variable, static_cast<std::uint32_t>(body_.variables.size())};
    body_.variables.push_back(variable);
    if (!scopes_.declare(declarator.name, entry)) {
      fail_at(in_.name(), declarator.line, declarator.column, "'{}' is declared twice", declarator.name);
    }
  } while (in_.accept(','));
  in_.expect(';');
}

// Module-lifetime variables visible only in this body; the unit's parser has already read them.
void BodyDeclarations::module_variables() {
  while (in_.position() < end_ && !in_.peek().is(';')) {
    if (const auto found = unit_.body_variables.find(in_.position()); found != unit_.body_variables.end()) {
      const Token& name = in_.peek();
      const ScopeEntry entry{ScopeEntry::Kind::module_variable, found->second};
      if (!scopes_.declare(name.text, entry)) in_.fail(name, "'{}' is declared twice", name.text);
    }
    in_.take();
  }
  in_.expect(';');
}

}  // namespace heddle::isa
