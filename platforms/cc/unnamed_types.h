// SPDX-License-Identifier: Apache-2.0
// Variables of the device whose type has no name, such as
//
//     __constant__ struct { int n; float scale; } parameters;
//
// The C++ standard gives them internal linkage, and LLVM splits, renames or drops such variables, although the host
// finds them by name. nvcc keeps them.
#pragma once

#include <string>
#include <string_view>

namespace heddle::cc {

/// Whether a source may declare such variables. Does not look into the headers that it includes.
bool may_have_unnamed_types(std::string_view source);

/// ir: LLVM IR text before optimisation. Returns it with these variables visible and initialised from outside; the same
/// text if there are none.
std::string with_visible_variables(std::string_view ir);

}  // namespace heddle::cc
