// SPDX-License-Identifier: Apache-2.0
// Initialisers of module-scope variables: bytes and relocations.
#pragma once

#include "isa/ptx/declarations.h"

namespace heddle::isa {

/// Parses the initialiser after `=` into `variable`, setting its size when the first dimension was omitted.
void parse_initialiser(TokenStream& in, const DeclaredType& type, const Declarator& declarator, Variable& variable);

}  // namespace heddle::isa
