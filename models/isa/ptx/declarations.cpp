// SPDX-License-Identifier: Apache-2.0
#include "isa/ptx/declarations.h"

#include <algorithm>
#include <bit>

#include "isa/ptx/constant_expression.h"
#include "isa/ptx/modifiers/modifiers.h"

namespace heddle::isa {
namespace {

constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 40;
constexpr std::uint64_t kMaxParameterBytes = 32764;  // of a kernel: CUDA C++ Programming Guide, "Function Parameters"

std::uint32_t parse_alignment(TokenStream& in) {
  const Token& at = in.peek();
  const std::uint64_t value = parse_integer(in);
  if (!std::has_single_bit(value) || value > 4096) in.fail(at, "alignment {} is not a power of two up to 4096", value);
  return static_cast<std::uint32_t>(value);
}

}  // namespace

DataType storage_of(DataType type) {
  if (type == DataType::pred) return DataType::pred;
  switch (size_of(type)) {
    case 1:
    case 2:
      return DataType::b16;
    case 4:
      return DataType::b32;
    case 8:
      return DataType::b64;
    default:
      return DataType::none;
  }
}

DeclaredType parse_declared_type(TokenStream& in) {
  DeclaredType out;
  for (;;) {
    const Token& token = in.peek();
    if (token.kind != TokenKind::dotted) in.unexpected(token, "a type");
    in.take();
    const std::string_view word = token.text.substr(1);
    if (word == "align") {
      out.alignment = parse_alignment(in);
    } else if (word == "v2" || word == "v4") {
      out.elements = static_cast<std::uint32_t>(word[1] - '0');
    } else if (word == "attribute") {
      in.expect('(');
      do {
        const Token& attribute = in.expect(TokenKind::dotted, "an attribute");
        if (attribute.text == ".managed") {
          out.managed = true;
        } else {
          in.fail(attribute, "attribute '{}' is not supported", attribute.text);
        }
      } while (in.accept(','));
      in.expect(')');
    } else if (word == "texref" || word == "samplerref" || word == "surfref") {
      out.opaque = word;
      return out;
    } else if (out.type = find_type(word); out.type != DataType::none) {
      if (out.alignment == 0) out.alignment = std::max(1u, size_of(out.type)) * out.elements;
      return out;
    } else {
      in.fail(token, "'{}' is not a type that is supported", token.text);
    }
  }
}

Declarator parse_declarator(TokenStream& in) {
  Declarator out;
  const Token& name = in.expect(TokenKind::identifier, "a name");
  out.name = name.text;
  out.line = name.line;
  out.column = name.column;
  while (in.accept('[')) {
    const Token& at = in.peek();
    if (at.is(']')) {
      if (!out.dimensions.empty()) in.fail(at, "only the first dimension of an array may be left out");
      out.dimensions.push_back(0);
    } else {
      const std::uint64_t size = parse_integer(in);
      if (size > kMaxBytes) in.fail(at, "an array of {} elements is too large", size);
      out.dimensions.push_back(size);
    }
    in.expect(']');
  }
  return out;
}

std::uint64_t byte_size(const TokenStream& in, const DeclaredType& type, const Declarator& declarator) {
  std::uint64_t size = static_cast<std::uint64_t>(std::max(1u, size_of(type.type))) * type.elements;
  for (const std::uint64_t dimension : declarator.dimensions) {
    size *= dimension;
    if (size > kMaxBytes) {
      fail_at(in.name(), declarator.line, declarator.column, "'{}' is larger than 2^40 bytes", declarator.name);
    }
  }
  return size;
}

std::vector<LocalVariable> parse_parameter_list(TokenStream& in) {
  std::vector<LocalVariable> out;
  in.expect('(');
  while (!in.peek().is(')')) {
    const Token& space = in.expect(TokenKind::dotted, "'.param' or '.reg'");
    LocalVariable variable;
    variable.formal = true;
    variable.in_register = space.text == ".reg";
    if (!variable.in_register && space.text != ".param") in.unexpected(space, "'.param' or '.reg'");
    const DeclaredType type = parse_declared_type(in);
    // .param .u64 .ptr .global .align 8 name: attributes of the pointee do not affect the parameter.
    if (in.accept_dotted(".ptr")) {
      while (in.peek().kind == TokenKind::dotted) {
        if (in.take().text == ".align") parse_alignment(in);
      }
    }
    variable.type = type.type;
    variable.alignment = std::max(1u, type.alignment);
    if (type.type == DataType::none) {
      variable.type = DataType::b64;  // a texture reference passed as a handle
      variable.alignment = 8;
      variable.size = 8;
    }
    if (in.peek().kind == TokenKind::identifier) {
      const Declarator declarator = parse_declarator(in);
      variable.name = declarator.name;
      if (type.type != DataType::none) variable.size = byte_size(in, type, declarator);
      if (type.type == DataType::pred) variable.size = 1;
      if (variable.size > kMaxParameterBytes) {
        fail_at(in.name(), declarator.line, declarator.column, "parameter '{}' is larger than {} bytes", variable.name,
                kMaxParameterBytes);
      }
    } else {
      variable.size = std::max(1u, size_of(variable.type)) * type.elements;
    }
    out.push_back(variable);
    if (!in.accept(',')) break;
  }
  in.expect(')');
  return out;
}

void skip_braces(TokenStream& in) {
  const Token& open = in.expect('{');
  for (unsigned depth = 1; depth != 0;) {
    const Token& token = in.peek();
    if (token.kind == TokenKind::end) in.fail(open, "'{{' is not closed");
    if (token.is('{')) ++depth;
    if (token.is('}')) --depth;
    in.seek(in.position() + 1);  // invalid tokens inside are reported only when the body is parsed
  }
}

std::vector<Parameter> layout_parameters(const std::vector<LocalVariable>& parameters, std::uint32_t& bytes) {
  std::vector<Parameter> out;
  std::uint64_t at = 0;
  for (const LocalVariable& variable : parameters) {
    at = (at + variable.alignment - 1) / variable.alignment * variable.alignment;
    out.push_back({std::string(variable.name), static_cast<std::uint32_t>(at),
                   static_cast<std::uint32_t>(variable.size), variable.alignment, variable.type});
    at += variable.size;
  }
  bytes = static_cast<std::uint32_t>(at);
  return out;
}

}  // namespace heddle::isa
