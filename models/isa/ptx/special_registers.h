// SPDX-License-Identifier: Apache-2.0
// Names of the special registers.
#pragma once

#include <string_view>

#include "isa/types.h"

namespace heddle::isa {

/// The register called "%tid" (component "x") or "%laneid" (component empty); false when there is none.
bool find_special_register(std::string_view name, std::string_view component, SpecialRegister& out);
/// b64 for the 64-bit ones, else b32.
DataType storage_of(SpecialRegister special);
/// "%tid.x".
std::string_view name_of(SpecialRegister special);

}  // namespace heddle::isa
