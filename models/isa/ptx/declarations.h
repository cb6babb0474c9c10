// SPDX-License-Identifier: Apache-2.0
// Declarations that module scope and function bodies share: types, sizes, parameter lists, variables.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "isa/ptx/syntax.h"
#include "isa/ptx/token_stream.h"

namespace heddle::isa {

/// The storage of a register declared with `type`: pred, b16, b32 or b64; none when there is no such register.
DataType storage_of(DataType type);

/// What stands between a state space and a name: `.align 8 .v4 .f32`.
struct DeclaredType {
  DataType type = DataType::none;  ///< none: an opaque type
  std::string_view opaque;         ///< .texref, .samplerref, .surfref
  std::uint32_t alignment = 0;     ///< bytes; 0: not given
  std::uint32_t elements = 1;      ///< of a vector
  bool managed = false;
};
DeclaredType parse_declared_type(TokenStream& in);

/// `name` with array dimensions behind it. Sizes are checked: a variable takes at most 2^40 bytes.
struct Declarator {
  std::string_view name;
  std::vector<std::uint64_t> dimensions;  ///< outermost first; 0: unsized, the first only
  std::uint32_t line = 0, column = 0;
};
Declarator parse_declarator(TokenStream& in);
std::uint64_t byte_size(const TokenStream& in, const DeclaredType& type, const Declarator& declarator);

/// ( .param .b32 a, .reg .f32 %x, ... ) with both parentheses. Names may be missing or `_` in prototypes.
std::vector<LocalVariable> parse_parameter_list(TokenStream& in);

/// Skips { ... } at the cursor with whatever is in it.
void skip_braces(TokenStream& in);

/// Lays parameters out as a parameter block: every one at its alignment. `bytes`: total.
std::vector<Parameter> layout_parameters(const std::vector<LocalVariable>& parameters, std::uint32_t& bytes);

}  // namespace heddle::isa
