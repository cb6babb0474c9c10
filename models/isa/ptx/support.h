// SPDX-License-Identifier: Apache-2.0
// The reference page of accepted PTX, generated from the parser's tables.
#pragma once

#include <string>
#include <vector>

#include "isa/ptx/forms.h"

namespace heddle::isa {

/// PTX spelling of an operation without modifiers: "cp.async", "bar", "cvt.pack".
std::string spelling_of(Opcode opcode);

/// Table cells for a form's types, required modifiers and optional modifiers: "`.f32` `.f64`", "one of `.rn` `.rz`".
std::string types_text(std::uint32_t types);
std::string features_text(Opcode opcode, std::uint64_t features, std::uint32_t modes);

/// docs/ptx-support.md.
std::string support_page();

}  // namespace heddle::isa
