// SPDX-License-Identifier: Apache-2.0
// Edits of the PTX text that clang writes, for what ptxas would otherwise be told by option, and what one needs to know
// of a module to link it with others. All of them work line by line on the layout of LLVM's NVPTX back end.
#pragma once

#include <set>
#include <string>

namespace heddle::cc {

/// Gives every entry without launch bounds of its own (.maxntid, .reqntid, .minnctapersm) a ".maxnreg `registers`"
/// directive: -maxrregcount, which nvcc too lets __launch_bounds__ override.
std::string with_register_limit(const std::string& ptx, int registers);

/// Makes `load` and `store` (each may be empty) the cache operator of global and generic accesses that state none:
/// -Xptxas -dlcm and -dscm.
std::string with_cache_operators(const std::string& ptx, const std::string& load, const std::string& store);

/// Undoes clang's marks on names of internal linkage in relocatable code ("_ZL3varx__static__<hash>",
/// "..__intern__<hash>"): such symbols get their plain name back and become local to the module. clang 14 declares a
/// variable it marks late once more under its plain name as .extern; that line goes.
std::string with_local_names(const std::string& ptx);

/// Names that a module defines for others, and names it expects from others.
struct DeviceSymbols {
  std::set<std::string> defined;
  std::set<std::string> strong;  ///< of these, what one module of a link alone may define
  std::set<std::string> undefined;
};
DeviceSymbols device_symbols(const std::string& ptx);

}  // namespace heddle::cc
