// SPDX-License-Identifier: Apache-2.0
// A module whose variables have addresses in device memory.
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

  /// Throws Error(kPtx) for a variable without an address.
  std::uint64_t address(const isa::Variable& variable) const override;
  /// Writes a variable's initial value to its address, except addresses of other variables.
  static void write_initial(const isa::Variable& variable, std::uint64_t address);
  /// Writes the addresses that the initial value refers to; call once all variables are placed. Throws Error(kPtx) for
  /// an undefined name.
  void relocate(const isa::Variable& variable) const;
};

}  // namespace heddle::gpu
