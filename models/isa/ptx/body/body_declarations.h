// SPDX-License-Identifier: Apache-2.0
// Declarations in a function body: registers, variables, and the formal parameters of the function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "isa/ptx/body/scopes.h"
#include "isa/ptx/syntax.h"
#include "isa/ptx/token_stream.h"

namespace heddle::isa {

class BodyDeclarations {
 public:
  /// `end`: the token of the body's closing brace.
  BodyDeclarations(const UnitSyntax& unit, TokenStream& in, std::size_t end, Scopes& scopes, Body& body)
      : unit_(unit), in_(in), end_(end), scopes_(scopes), body_(body) {}

  /// A return value or parameter of the function.
  void declare_formal(const LocalVariable& formal);

  /// Reads the rest of a declaration that began with `word`: "reg", "shared". False when that begins none.
  bool read(std::string_view word);

 private:
  void registers();
  std::uint64_t register_count();
  void variables(Space space);
  void module_variables();

  const UnitSyntax& unit_;
  TokenStream& in_;
  std::size_t end_;
  Scopes& scopes_;
  Body& body_;
};

}  // namespace heddle::isa
