// SPDX-License-Identifier: Apache-2.0
#include "gpu/loaded_module.h"

#include <cstring>

#include "core/error.h"

namespace heddle::gpu {

std::uint64_t LoadedModule::address(const isa::Variable& variable) const {
  const auto found = addresses.find(variable.name);
  if (found == addresses.end()) {
    fail(ExitCode::ptx, "{}: variable '{}' is declared but not defined in any linked module", module->name(),
         variable.name);
  }
  return found->second;
}

void LoadedModule::write_initial(const isa::Variable& variable, std::uint64_t address) {
  auto* const bytes = reinterpret_cast<std::byte*>(address);
  // Pages of a fresh reservation are zero, but this memory may be reused.
  if (variable.size > variable.initial.size()) {
    std::memset(bytes + variable.initial.size(), 0, variable.size - variable.initial.size());
  }
  if (!variable.initial.empty()) std::memcpy(bytes, variable.initial.data(), variable.initial.size());
}

void LoadedModule::relocate(const isa::Variable& variable) const {
  for (const isa::Variable::Relocation& relocation : variable.relocations) {
    std::uint64_t target = 0;
    if (const auto found = addresses.find(relocation.symbol); found != addresses.end()) {
      target = found->second;
    } else if (const auto function = module->function_address(relocation.symbol)) {
      target = *function;
    } else {
      fail(ExitCode::ptx, "{}: the initialiser of '{}' names '{}', which is not defined", module->name(), variable.name,
           relocation.symbol);
    }
    target += static_cast<std::uint64_t>(relocation.addend);
    std::memcpy(reinterpret_cast<std::byte*>(addresses.at(variable.name)) + relocation.offset, &target,
                relocation.bytes);
  }
}

}  // namespace heddle::gpu
