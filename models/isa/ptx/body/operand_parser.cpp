// SPDX-License-Identifier: Apache-2.0
#include "isa/ptx/body/operand_parser.h"

#include <algorithm>
#include <vector>

#include "isa/ptx/constant_expression.h"
#include "isa/ptx/special_registers.h"

namespace heddle::isa {
namespace {

using Kind = OperandSyntax::Kind;

// Bounds the recursion: PTX text could nest operands without limit.
class Nesting {
 public:
  Nesting(unsigned& depth, const TokenStream& in) : depth_(depth) {
    if (++depth_ > 4) in.fail(in.peek(), "operand nested too deeply");
  }
  ~Nesting() { --depth_; }

 private:
  unsigned& depth_;
};

}  // namespace

OperandSyntax OperandParser::operand() {
  const Nesting nesting(depth_, in_);
  const Token& token = in_.peek();
  OperandSyntax out;
  out.line = token.line;
  out.column = token.column;
  if (token.is('[')) return address(out);
  if (token.is('{')) return vector(out);
  if (token.is('!') && in_.peek(1).kind == TokenKind::identifier) return negated();
  if (token.is('-') && in_.peek(1).kind == TokenKind::identifier) {
    const ScopeEntry* entry = scopes_.find(in_.peek(1).text);
    if (entry != nullptr && entry->kind == ScopeEntry::Kind::reg) {
      if (words_.opcode != Opcode::vmad) {
        in_.fail(token, "'{}' does not accept a negated register", words_.operation.substr(0, 60));
      }
      return negated();
    }
  }
  if (token.kind == TokenKind::identifier) {
    if (token.text == "_") {
      in_.take();
      return out;
    }
    if (const ScopeEntry* entry = scopes_.find(token.text)) {
      in_.take();
      return named(out, token, *entry);
    }
    if (token.text[0] == '%') return special(out, token);
  }
  return constant(out);
}

void OperandParser::make_address(OperandSyntax& operand) {
  OperandSyntax address = operand;
  address.value = 0;
  set_parts(address, Kind::address, std::span(&operand, 1));
  operand = address;
}

OperandSyntax OperandParser::negated() {
  in_.take();
  OperandSyntax out = operand();
  out.negate = !out.negate;
  return out;
}

OperandSyntax OperandParser::named(OperandSyntax out, const Token& token, const ScopeEntry& entry) {
  out.name = token.text;
  out.index = entry.index;
  switch (entry.kind) {
    case ScopeEntry::Kind::reg:
      out.kind = Kind::reg;
      if (is_video(words_.opcode) && in_.peek().kind == TokenKind::dotted) out.selector = in_.take().text;
      return out;
    case ScopeEntry::Kind::variable:
      out.kind = Kind::variable;
      element_and_offset(out, std::max(1u, size_of(body_.variables[entry.index].type)));
      return out;
    case ScopeEntry::Kind::module_variable: {
      const VariableSyntax& variable = unit_.variables[entry.index];
      out.kind = Kind::symbol;
      out.name = variable.variable.name;
      out.index = 0;
      element_and_offset(out, variable.element_bytes);
      return out;
    }
    case ScopeEntry::Kind::label:
      in_.fail(token, "label '{}' cannot be an operand here", token.text);
    case ScopeEntry::Kind::vector_register:
      break;
  }
  return vector_register(out, token, entry.elements);
}

// One element (v.x) or all of them (v).
OperandSyntax OperandParser::vector_register(OperandSyntax out, const Token& token, std::uint32_t elements) {
  if (in_.peek().kind == TokenKind::dotted) {
    const Token& component = in_.take();
    const std::size_t place =
        component.text.size() == 2 ? std::string_view("xyzwrgba").find(component.text[1]) : std::string_view::npos;
    if (place == std::string_view::npos || place % 4 >= elements) {
      in_.fail(component, "'{}' has no element '{}'", token.text, component.text);
    }
    out.kind = Kind::reg;
    out.index += static_cast<std::uint32_t>(place % 4);
    return out;
  }
  std::vector<OperandSyntax> registers(elements, out);
  for (std::uint32_t i = 0; i < elements; ++i) {
    registers[i].kind = Kind::reg;
    registers[i].index += i;
  }
  set_parts(out, Kind::vector, registers);
  return out;
}

OperandSyntax OperandParser::special(OperandSyntax out, const Token& token) {
  in_.take();
  std::string_view component;
  if (in_.peek().kind == TokenKind::dotted) component = in_.take().text.substr(1);
  SpecialRegister found{};
  if (component.empty() && find_special_register(token.text, "x", found)) {
    // All components at once: mov.v4.u32 v, %tid.
    std::vector<OperandSyntax> components;
    for (const std::string_view part : {"x", "y", "z", "w"}) {
      find_special_register(token.text, part, found);
      OperandSyntax& each = components.emplace_back(out);
      each.kind = Kind::special;
      each.index = static_cast<std::uint32_t>(found);
    }
    out.name = token.text;
    set_parts(out, Kind::vector, components);
    return out;
  }
  if (!find_special_register(token.text, component, found)) {
    in_.fail(token, "'{}{}{}' is neither declared nor a supported special register", token.text,
             component.empty() ? "" : ".", component);
  }
  out.kind = Kind::special;
  out.index = static_cast<std::uint32_t>(found);
  return out;
}

OperandSyntax OperandParser::constant(OperandSyntax out) {
  const Token& at = in_.peek();
  const ConstantValue value = parse_constant(in_, true);
  out.value = value.integer;
  switch (value.kind) {
    case ConstantValue::Kind::integer:
      out.kind = Kind::integer;
      break;
    case ConstantValue::Kind::floating:
      out.kind = Kind::floating;
      out.single = value.single;
      break;
    case ConstantValue::Kind::symbol:
      if (value.generic) in_.fail(at, "'generic()' is not supported in an instruction");
      out.kind = Kind::symbol;
      out.name = value.symbol;
      if (in_.peek().is('[')) {
        const auto found = unit_.variable_index.find(value.symbol);
        element_and_offset(out, found == unit_.variable_index.end() ? 1 : unit_.variables[found->second].element_bytes);
        out.value += value.integer;
      }
      break;
  }
  return out;
}

OperandSyntax OperandParser::vector(OperandSyntax out) {
  const Token& open = in_.expect('{');
  std::vector<OperandSyntax> elements;
  do {
    elements.push_back(operand());
    if (elements.back().kind == Kind::vector || elements.back().kind == Kind::address) {
      in_.fail(open, "a vector cannot contain vectors or addresses");
    }
    if (elements.size() > 8) in_.fail(open, "a vector cannot have more than 8 elements");
  } while (in_.accept(','));
  in_.expect('}');
  set_parts(out, Kind::vector, elements);
  return out;
}

// [register + constant], [name + constant], [constant], [handle, {coordinates}]
OperandSyntax OperandParser::address(OperandSyntax out) {
  in_.expect('[');
  const OperandSyntax base = operand();
  if (base.kind == Kind::address || base.kind == Kind::vector || base.kind == Kind::floating ||
      base.kind == Kind::sink) {
    fail_at(in_.name(), base.line, base.column, "this cannot be an address");
  }
  if (base.kind == Kind::reg || base.kind == Kind::special) out.value = offset();
  if (in_.accept(',')) return texture(out, base);
  in_.expect(']');
  out.kind = Kind::address;
  if (base.kind == Kind::integer) {
    out.value = base.value;
  } else {
    set_parts(out, Kind::address, std::span(&base, 1));
  }
  return out;
}

// The rest of an address, behind the comma.
OperandSyntax OperandParser::texture(OperandSyntax out, const OperandSyntax& handle) {
  const OperandSyntax coordinates = operand();
  if (in_.peek().is(',')) in_.fail(in_.peek(), "separate texture and sampler operands are not supported");
  in_.expect(']');
  std::vector<OperandSyntax> parts{handle};
  if (coordinates.kind == Kind::vector) {
    for (std::uint32_t i = 0; i < coordinates.count; ++i) parts.push_back(body_.operands[coordinates.first + i]);
  } else {
    parts.push_back(coordinates);
  }
  set_parts(out, Kind::texture, parts);
  return out;
}

// + constant or - constant after a name. The sign is part of the expression: a - 1 + 2.
std::uint64_t OperandParser::offset() { return in_.peek().is('+') || in_.peek().is('-') ? parse_integer(in_) : 0; }

// name[constant], the address of an element in older programs, and an offset behind it.
void OperandParser::element_and_offset(OperandSyntax& out, std::uint64_t element_bytes) {
  if (in_.accept('[')) {
    out.value = parse_integer(in_) * element_bytes;
    in_.expect(']');
    out.element = true;
  }
  out.value += offset();
}

void OperandParser::set_parts(OperandSyntax& out, Kind kind, std::span<const OperandSyntax> parts) {
  out.kind = kind;
  out.first = static_cast<std::uint32_t>(body_.operands.size());
  out.count = static_cast<std::uint32_t>(parts.size());
  body_.operands.insert(body_.operands.end(), parts.begin(), parts.end());
}

}  // namespace heddle::isa
