// SPDX-License-Identifier: Apache-2.0
// Initialisers of module-scope variables: bytes and the addresses that go into them.
#pragma once

#include "isa/ptx/declarations.h"

namespace heddle::isa {

/// Parses what stands behind `=` into `variable`, whose size is set here when the first dimension was left out.
void parse_initialiser(TokenStream& in, const DeclaredType& type, const Declarator& declarator, Variable& variable);

}  // namespace heddle::isa
