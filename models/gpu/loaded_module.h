// SPDX-License-Identifier: Apache-2.0
// A module whose variables have places in device memory.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "isa/module.h"

namespace heddle::gpu {

class LoadedModule final : public isa::SymbolResolver {
 public:
  std::shared_ptr<const isa::Module> module;
  std::map<std::string, std::uint64_t, std::less<>> addresses;  ///< of variables; handles of texture references

  /// Throws Error(kPtx) for a variable that has no place.
  std::uint64_t address(const isa::Variable& variable) const override;
  /// Writes what the variable holds at first to where it shall lie, without addresses of others.
  static void write_initial(const isa::Variable& variable, std::uint64_t address);
  /// Writes the addresses that the variable's initial value names; once everything has its place. Throws Error(kPtx)
  /// for a name that nothing defines.
  void relocate(const isa::Variable& variable) const;
};

}  // namespace heddle::gpu
