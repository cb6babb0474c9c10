// SPDX-License-Identifier: Apache-2.0
#include "gpu/kernel_loader.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "gpu/occupancy.h"

namespace heddle::gpu {
namespace {

constexpr std::uint64_t kVariableAlignment = 256;  // bytes, as for allocations of a program

/// Feature of the kernel that needs a runtime library; empty: none.
const char* needs_library(const isa::Kernel& kernel) {
  for (const isa::MicroOp& op : kernel.ops) {
    switch (op.system_call) {
      case isa::SystemCall::vprintf:
        return "printf";
      case isa::SystemCall::malloc:
      case isa::SystemCall::free:
        return "malloc or free";
      default:
        break;
    }
    // This opcode covers all texture and surface operations.
    if (op.opcode == isa::Opcode::tex) return "textures or surfaces";
  }
  return "";
}

}  // namespace

std::uint32_t KernelLoader::load(std::string_view ptx) {
  auto loaded = std::make_unique<LoadedModule>();
  const std::string name = "module-" + std::to_string(modules_.size() + 1) + ".ptx";
  loaded->module = isa::Module::parse(ptx, name);
  if (loaded->module->address_bits() == 32 && end_ >> 32 != 0) {
    fail(ExitCode::ptx, "{}: addresses of 32 bits do not reach device memory, which ends at {:#x}", name, end_);
  }
  std::uint64_t next = next_;
  for (const isa::Variable& variable : loaded->module->variables()) {
    if (variable.external) continue;
    if (variable.space == isa::Space::texture) {
      fail(ExitCode::ptx, "{}: texture reference '{}': nothing can be bound to it without a runtime library", name,
           variable.name);
    }
    const std::uint64_t alignment = std::max<std::uint64_t>(variable.alignment, kVariableAlignment);
    const std::uint64_t address = (next + alignment - 1) / alignment * alignment;
    if (address > end_ || variable.size > end_ - address) {
      fail(ExitCode::launch, "{}: no room for variable '{}' of {} bytes; {} are left for variables", name,
           variable.name, variable.size, end_ - next);
    }
    loaded->addresses[variable.name] = address;
    next = address + variable.size;
  }
  for (const isa::Variable& variable : loaded->module->variables()) {
    if (!variable.external) LoadedModule::write_initial(variable, loaded->addresses.at(variable.name));
  }
  for (const isa::Variable& variable : loaded->module->variables()) {
    if (!variable.external) loaded->relocate(variable);
  }
  next_ = next;
  modules_.push_back(std::move(loaded));
  return static_cast<std::uint32_t>(modules_.size());
}

const LoadedModule& KernelLoader::module(std::uint32_t handle) const {
  if (handle == 0 || handle > modules_.size()) {
    fail(ExitCode::launch, "{} is not a module handle; {} modules are loaded", handle, modules_.size());
  }
  return *modules_[handle - 1];
}

std::shared_ptr<const isa::Kernel> KernelLoader::lower(const Entry& entry, isa::LowerOptions options) const {
  const LoadedModule& loaded = module(entry.module);
  options.code_order = limits_.code_order;
  options.passes = limits_.code_passes;
  return loaded.module->lower(entry.name, loaded, options);
}

std::uint32_t KernelLoader::find_kernel(std::uint32_t module_handle, std::string_view name) {
  const LoadedModule& loaded = module(module_handle);
  for (std::size_t i = 0; i < kernels_.size(); ++i) {
    if (kernels_[i].module == module_handle && kernels_[i].name == name) return static_cast<std::uint32_t>(i + 1);
  }
  if (loaded.module->find_kernel(name) == nullptr) {
    std::string known;
    for (const isa::KernelSignature& kernel : loaded.module->kernels())
      known += (known.empty() ? "" : ", ") + kernel.name;
    fail(ExitCode::ptx, "{}: no kernel '{}'; it has {}", loaded.module->name(), name, known.empty() ? "none" : known);
  }
  Entry entry{module_handle, std::string(name), nullptr, {}};
  isa::LowerOptions options;
  if (limits_.spill_registers)
    options.spill_limit = [this](const isa::Kernel& kernel) { return register_limit(limits_, kernel); };
  entry.kernel = lower(entry, std::move(options));
  if (const std::string what = needs_library(*entry.kernel); !what.empty()) {
    fail(ExitCode::ptx, "{}: kernel '{}' uses {}, which require the runtime library of a program",
         loaded.module->name(), name, what);
  }
  kernels_.push_back(std::move(entry));
  return static_cast<std::uint32_t>(kernels_.size());
}

KernelLoader::AddressRange KernelLoader::find_variable(std::uint32_t module_handle, std::string_view name) const {
  const LoadedModule& loaded = module(module_handle);
  const isa::Variable* const variable = loaded.module->find_variable(name);
  if (variable == nullptr || variable->external) {
    fail(ExitCode::ptx, "{}: no variable '{}'", loaded.module->name(), name);
  }
  return {loaded.address(*variable), variable->size};
}

const std::shared_ptr<const isa::Kernel>& KernelLoader::kernel(std::uint32_t handle) const {
  if (handle == 0 || handle > kernels_.size()) {
    fail(ExitCode::launch, "{} is not a kernel handle; {} kernels were found", handle, kernels_.size());
  }
  return kernels_[handle - 1].kernel;
}

std::shared_ptr<const isa::Kernel> KernelLoader::fit(std::uint32_t handle, std::uint32_t threads,
                                                     std::uint32_t dynamic_shared) {
  const std::shared_ptr<const isa::Kernel>& whole = kernel(handle);
  const std::uint32_t registers = narrower_registers(limits_, *whole, threads, dynamic_shared);
  if (registers == 0) return whole;
  Entry& entry = kernels_[handle - 1];
  auto& narrower = entry.narrower[registers];
  if (narrower == nullptr) {
    isa::LowerOptions options;
    options.spill_limit = [registers](const isa::Kernel&) { return registers; };
    narrower = lower(entry, std::move(options));
  }
  return narrower;
}

void KernelLoader::clear() {
  kernels_.clear();
  modules_.clear();
  next_ = begin_;
}

}  // namespace heddle::gpu
