// SPDX-License-Identifier: Apache-2.0
// Constant expressions of PTX: operands, array sizes, initialisers.
#pragma once

#include <cstdint>
#include <string_view>

#include "isa/ptx/token_stream.h"

namespace heddle::isa {

/// The value of an expression. Integers are 64 bits wide and signed unless an operand is unsigned.
struct ConstantValue {
  enum class Kind : std::uint8_t { integer, floating, symbol };
  Kind kind = Kind::integer;
  bool is_unsigned = false;
  bool single = false;        ///< floating: written 0f, exactly a 32-bit value
  bool generic = false;       ///< symbol: generic(symbol)
  std::uint64_t integer = 0;  ///< integer: the value; symbol: bytes added; floating: the bits (32 of them when single)
  double floating = 0;
  std::string_view symbol;
};

/// Parses one expression. `symbols`: names (and name + integer, generic(name)) are allowed.
ConstantValue parse_constant(TokenStream& in, bool symbols);
/// The same, but fails unless the value is an integer.
std::uint64_t parse_integer(TokenStream& in);

}  // namespace heddle::isa
