// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace heddle::runtime {

/// A function of the program for a message: its demangled name, from the symbol table of its file also when it is not a
/// dynamic symbol, and the file. Where there is no name, the address stands for it.
std::string function_name(const void* function);

}  // namespace heddle::runtime
