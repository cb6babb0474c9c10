// SPDX-License-Identifier: Apache-2.0
// Lowers a kernel from syntax to executable form: expansion, layout, analyses, register allocation.
#pragma once

#include <memory>

#include "isa/lowering/symbols.h"
#include "isa/module.h"

namespace heddle::isa {

/// Lowers the kernel symbols.functions()[function]. Throws Error(kPtx).
std::shared_ptr<const Kernel> lower_kernel(const SymbolTable& symbols, std::uint32_t function,
                                           const SymbolResolver& resolver, const LowerOptions& options);

}  // namespace heddle::isa
