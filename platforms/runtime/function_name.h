// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace heddle::runtime {

/// A function of the program, for messages: demangled name and file, using the file's symbol table for non-dynamic
/// symbols. Falls back to the address.
std::string function_name(const void* function);

}  // namespace heddle::runtime
