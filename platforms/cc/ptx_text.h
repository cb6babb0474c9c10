// SPDX-License-Identifier: Apache-2.0
// Edits clang's PTX text to apply ptxas options, and extracts the symbols of a module for linking. Works line by line
// and relies on the layout of LLVM's NVPTX back end.
#pragma once

#include <set>
#include <string>

namespace heddle::cc {

/// Implements -maxrregcount: adds ".maxnreg `registers`" to every entry without launch bounds (.maxntid, .reqntid,
/// .minnctapersm). As in nvcc, __launch_bounds__ takes precedence.
std::string with_register_limit(const std::string& ptx, int registers);

/// Implements -Xptxas -dlcm and -dscm: sets the cache operator `load` or `store` (each may be empty) on global and
/// generic accesses without one.
std::string with_cache_operators(const std::string& ptx, const std::string& load, const std::string& store);

/// Reverts clang's marks on internal-linkage names in relocatable code ("_ZL3varx__static__<hash>",
/// "..__intern__<hash>"): the symbols get their plain name back and become local to the module. Also removes the extra
/// .extern declaration that clang 14 emits under the plain name of a variable it marks late.
std::string with_local_names(const std::string& ptx);

/// Names that a module exports, and names it imports.
struct DeviceSymbols {
  std::set<std::string> defined;
  std::set<std::string> strong;  ///< of these, names that only one module of a link may define
  std::set<std::string> undefined;
};
DeviceSymbols device_symbols(const std::string& ptx);

}  // namespace heddle::cc
