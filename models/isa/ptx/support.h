// SPDX-License-Identifier: Apache-2.0
// The page of what PTX is accepted, written from the parser's own tables.
#pragma once

#include <string>
#include <vector>

#include "isa/ptx/forms.h"

namespace heddle::isa {

/// How an operation is written in PTX, without modifiers: "cp.async", "bar", "cvt.pack".
std::string spelling_of(Opcode opcode);

/// Texts of a form's types, of those it must have and of those it may: "`.f32` `.f64`", "one of `.rn` `.rz`".
std::string types_text(std::uint32_t types);
std::string features_text(Opcode opcode, std::uint64_t features, std::uint32_t modes);

/// docs/ptx-support.md.
std::string support_page();

}  // namespace heddle::isa
