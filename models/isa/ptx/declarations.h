// SPDX-License-Identifier: Apache-2.0
// Declarations that module scope and function bodies share: types, sizes, parameter lists, variables.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "isa/ptx/syntax.h"
#include "isa/ptx/token_stream.h"

namespace heddle::isa {

/// The storage of a register declared with `type`: pred, b16, b32 or b64; none when registers cannot have that type.
DataType storage_of(DataType type);

/// The part of a declaration between state space and name: `.align 8 .v4 .f32`.
struct DeclaredType {
  DataType type = DataType::none;  ///< none: an opaque type
  std::string_view opaque;         ///< .texref, .samplerref, .surfref
  std::uint32_t alignment = 0;     ///< bytes; 0: not given
  std::uint32_t elements = 1;      ///< vector width
  bool managed = false;
};
DeclaredType parse_declared_type(TokenStream& in);

/// `name` followed by array dimensions. A variable may take at most 2^40 bytes.
struct Declarator {
  std::string_view name;
  std::vector<std::uint64_t> dimensions;  ///< outermost first; 0: unsized, the first only
  std::uint32_t line = 0, column = 0;
};
Declarator parse_declarator(TokenStream& in);
std::uint64_t byte_size(const TokenStream& in, const DeclaredType& type, const Declarator& declarator);

/// ( .param .b32 a, .reg .f32 %x, ... ) with both parentheses. Names may be missing or `_` in prototypes.
std::vector<LocalVariable> parse_parameter_list(TokenStream& in);

/// Skips the { ... } at the cursor, whatever it contains.
void skip_braces(TokenStream& in);

/// Lays out a parameter block, aligning each parameter. `bytes` receives the total.
std::vector<Parameter> layout_parameters(const std::vector<LocalVariable>& parameters, std::uint32_t& bytes);

}  // namespace heddle::isa
