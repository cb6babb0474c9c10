// SPDX-License-Identifier: Apache-2.0
// Parses PTX text: module scope at once, function bodies on request.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "isa/ptx/syntax.h"

namespace heddle::isa {

/// Parses module scope; bodies are only delimited. Throws Error(kPtx) as "name:line:column: message".
std::unique_ptr<const UnitSyntax> parse_unit(std::string_view text, std::string name);

/// Parses the body of a function of the unit. The function must have one. Throws Error(kPtx) naming the construct.
Body parse_body(const UnitSyntax& unit, const FunctionSyntax& function);

}  // namespace heddle::isa
