// SPDX-License-Identifier: Apache-2.0
#include "runtime/modules.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/digest.h"
#include "core/error.h"
#include "gpu/occupancy.h"
#include "runtime/api_error.h"
#include "runtime/messages.h"

namespace heddle::runtime {
namespace {

constexpr std::uint64_t kMaxStackBytes =
    512 * 1024;  // maximum local memory per thread (CUDA C++ Programming Guide, compute capabilities)

/// Default target of `heddle cc`, needed because managed variables exist before the device.
constexpr unsigned kDefaultCapability = 70;

std::string program_name() {
  const char* name = program_invocation_short_name;
  return name != nullptr && *name != '\0' ? name : "program";
}

}  // namespace

// -- registration

Binary* ModuleTable::add_binary(const FatBinaryWrapper* wrapper) {
  auto binary = std::make_unique<Binary>();
  binary->wrapper = wrapper;
  binary->name = program_name();
  if (!binaries_.empty()) binary->name += "-" + std::to_string(binaries_.size() + 1);
  binary->name += ".ptx";
  binaries_.push_back(std::move(binary));
  return binaries_.back().get();
}

void ModuleTable::remove_binary(Binary* binary) {
  for (const void* host : binary->host_symbols) {
    kernels_.erase(host);
    variables_.erase(host);
    textures_.erase(host);
  }
  std::erase_if(managed_pointers_, [binary](const ManagedPointer& pointer) { return pointer.binary == binary; });
  std::erase_if(binaries_, [binary](const auto& owned) { return owned.get() == binary; });
}

void ModuleTable::unload(Binary* binary, const ModuleSite& site) {
  for (const isa::Variable& variable : binary->loaded->module->variables()) {
    const auto placed = binary->loaded->addresses.find(variable.name);
    if (variable.space != isa::Space::texture && placed != binary->loaded->addresses.end())
      site.memory.release(placed->second);
  }
  // The address of this group's member list may be reused by another group.
  if (binary->wrapper->version == 2) groups_.erase(binary->wrapper->members);
  remove_binary(binary);
}

void ModuleTable::add_kernel(Binary* binary, const void* host, const char* name) {
  kernels_.insert_or_assign(host, KernelEntry{name, binary, nullptr, {}, 0, -1});
  binary->host_symbols.push_back(host);
}

void ModuleTable::add_variable(Binary* binary, const void* host, const char* name, std::uint64_t size) {
  const bool managed = is_managed(host);
  variables_.insert_or_assign(host, VariableEntry{name, binary, size, managed});
  binary->host_symbols.push_back(host);
  if (!managed) return;
  // The host may read it before any call that loads the module. Errors in the module are reported on that load.
  try {
    if (const isa::Variable* variable = parse(binary, kDefaultCapability).find_variable(name)) {
      const std::size_t bytes = std::min<std::size_t>(variable->initial.size(), size);
      if (bytes != 0) std::memcpy(const_cast<void*>(host), variable->initial.data(), bytes);
    } else {
      say_error(fmt::format(
          "managed variable '{}' is registered by the program but not in its device code, so host and device do not "
          "share it; if its type has no name, give it one",
          name));
    }
  } catch (const Error&) {
  }
}

void ModuleTable::add_managed_range(const void* begin, const void* end) {
  const std::pair range{reinterpret_cast<std::uint64_t>(begin), reinterpret_cast<std::uint64_t>(end)};
  if (std::find(managed_ranges_.begin(), managed_ranges_.end(), range) == managed_ranges_.end())
    managed_ranges_.push_back(range);
}

bool ModuleTable::is_managed(const void* host) const {
  const auto address = reinterpret_cast<std::uint64_t>(host);
  return std::any_of(managed_ranges_.begin(), managed_ranges_.end(),
                     [address](const auto& range) { return range.first <= address && address < range.second; });
}

void ModuleTable::add_managed_pointer(Binary* binary, void** host_pointer, const char* name, std::uint64_t size) {
  managed_pointers_.push_back({host_pointer, name, binary, size});
  variables_.insert_or_assign(host_pointer, VariableEntry{name, binary, size, false});
  binary->host_symbols.push_back(host_pointer);
}

void ModuleTable::add_texture(Binary* binary, const textureReference* host, const char* name, bool read_normalized) {
  textures_.insert_or_assign(host, TextureEntry{name, binary, read_normalized});
  binary->host_symbols.push_back(host);
}

void ModuleTable::add_surface(Binary* binary, const surfaceReference* host, const char* name) {
  textures_.insert_or_assign(host, TextureEntry{name, binary, false});
  binary->host_symbols.push_back(host);
}

// -- loading

std::shared_ptr<const isa::Module> ModuleTable::read_module(const void* data, const std::string& name,
                                                            unsigned capability) {
  const std::vector<DeviceImage> images = read_device_images(data, name);
  const DeviceImage& image = choose_image(images, capability, name);
  const bool known =
      std::any_of(digests_.begin(), digests_.end(), [&](const NamedDigest& d) { return d.name == name; });
  if (!known) digests_.push_back({name, sha256(image.text)});
  return isa::Module::parse(image.text, name);
}

const isa::Module& ModuleTable::parse(Binary* binary, unsigned capability) {
  if (binary->parsed == nullptr) {
    binary->parsed = read_module(binary->wrapper->data, binary->name, capability);
  }
  return *binary->parsed;
}

void ModuleTable::load(Binary* binary, const ModuleSite& site) {
  if (binary->loaded != nullptr) return;
  const FatBinaryWrapper& wrapper = *binary->wrapper;
  if (wrapper.magic != FatBinaryWrapper::kMagic) {
    fail(ExitCode::ptx, "{}: device code is registered in an unknown format (magic {:#x})", binary->name,
         wrapper.magic);
  }
  if (wrapper.version != 2 || wrapper.members == nullptr) {
    parse(binary, site.capability());
    binary->loaded = place(binary->parsed, site);
    return;
  }
  std::shared_ptr<LoadedModule>& group = groups_[wrapper.members];
  if (group == nullptr) {
    // Individually registered members keep their names; the others are numbered.
    std::vector<std::shared_ptr<const isa::Module>> modules;
    for (const void* const* member = wrapper.members; *member != nullptr; ++member) {
      const auto same = std::find_if(binaries_.begin(), binaries_.end(), [&](const auto& other) {
        return other->wrapper->data == *member && other->wrapper->members == wrapper.members;
      });
      const std::string name =
          same != binaries_.end() ? (*same)->name : fmt::format("{}#{}", binary->name, member - wrapper.members + 1);
      modules.push_back(read_module(*member, name, site.capability()));
    }
    group = place(isa::Module::link(modules, binary->name), site);
  }
  binary->loaded = group;
}

std::shared_ptr<LoadedModule> ModuleTable::place(std::shared_ptr<const isa::Module> module, const ModuleSite& site) {
  auto loaded = std::make_shared<LoadedModule>();
  loaded->module = std::move(module);
  for (const isa::Variable& variable : loaded->module->variables()) {
    if (variable.external) continue;
    loaded->addresses[variable.name] = place_variable(variable, site, *loaded);
  }
  for (const isa::Variable& variable : loaded->module->variables()) {
    if (!variable.external) loaded->relocate(variable);
  }
  return loaded;
}

std::uint64_t ModuleTable::place_variable(const isa::Variable& variable, const ModuleSite& site,
                                          const LoadedModule& loaded) {
  if (variable.space == isa::Space::texture) {
    gpu::Texture unbound;
    unbound.name = variable.name;
    return site.textures.add(std::move(unbound));
  }
  std::uint64_t address = 0;
  for (const auto& [host, entry] : variables_) {
    if (!entry.managed || entry.name != variable.name) continue;
    const bool here = entry.binary->parsed == loaded.module || entry.binary->wrapper->version == 2;
    if (!here) continue;
    // Shares the host's bytes, initialised when the variable was registered.
    address = reinterpret_cast<std::uint64_t>(host);
    site.memory.register_host(address, std::max<std::uint64_t>(entry.size, 1));
    return address;
  }
  const bool managed = std::any_of(managed_pointers_.begin(), managed_pointers_.end(),
                                   [&](const ManagedPointer& pointer) { return pointer.name == variable.name; });
  const auto kind = managed ? gpu::AllocationKind::managed : gpu::AllocationKind::variable;
  address = site.memory.allocate(variable.size, kind, variable.name, variable.alignment);
  if (address == 0) {
    say_error(fmt::format("{}: not enough memory for variable '{}' of {} bytes", loaded.module->name(), variable.name,
                          variable.size));
    throw ApiError(cudaErrorMemoryAllocation);
  }
  LoadedModule::write_initial(variable, address);
  for (const ManagedPointer& pointer : managed_pointers_) {
    if (pointer.name == variable.name) *pointer.host = reinterpret_cast<void*>(address);
  }
  return address;
}

// -- use

KernelEntry* ModuleTable::find_registered_kernel(const void* host) {
  const auto found = kernels_.find(host);
  return found == kernels_.end() ? nullptr : &found->second;
}

KernelEntry* ModuleTable::find_kernel(const void* host, const ModuleSite& site) {
  KernelEntry* entry = find_registered_kernel(host);
  if (entry == nullptr || entry->kernel != nullptr) return entry;
  load(entry->binary, site);
  std::function<std::uint32_t(const isa::Kernel&)> spill_limit;
  if (site.limits.spill_registers)
    spill_limit = [&](const isa::Kernel& kernel) { return gpu::register_limit(site.limits, kernel); };
  entry->kernel = lower(*entry, site, std::move(spill_limit));
  for (const std::string& note : entry->kernel->notes) say_note(note);
  return entry;
}

std::shared_ptr<const isa::Kernel> ModuleTable::lower(const KernelEntry& entry, const ModuleSite& site,
                                                      std::function<std::uint32_t(const isa::Kernel&)> spill_limit) {
  const LoadedModule& loaded = *entry.binary->loaded;
  // Linking may have renamed a kernel without linkage.
  const std::string renamed = entry.name + "@" + entry.binary->name;
  const std::string& name = loaded.module->find_kernel(renamed) != nullptr ? renamed : entry.name;
  if (loaded.module->find_kernel(name) == nullptr) {
    say_error(fmt::format("kernel '{}' is registered by the program but not in its device code ({})", entry.name,
                          loaded.module->name()));
    throw ApiError(cudaErrorInvalidDeviceFunction);
  }
  isa::LowerOptions options;
  options.stack_bytes =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(site.stack_bytes, kMaxStackBytes) + 15) & ~15u;
  options.spill_limit = std::move(spill_limit);
  options.code_order = site.limits.code_order;
  options.passes = site.limits.code_passes;
  return loaded.module->lower(name, loaded, options);
}

std::shared_ptr<const isa::Kernel> ModuleTable::fit(KernelEntry& entry, const ModuleSite& site, std::uint32_t threads,
                                                    std::uint64_t dynamic_shared) {
  const std::uint32_t registers =
      gpu::narrower_registers(site.limits, *entry.kernel, threads, static_cast<std::uint32_t>(dynamic_shared));
  if (registers == 0) return entry.kernel;
  auto& narrower = entry.narrower[registers];
  if (narrower == nullptr) {
    narrower = lower(entry, site, [&](const isa::Kernel&) { return registers; });
    for (const std::string& note : narrower->notes) {
      say_note(fmt::format("a block of {} threads leaves {} registers per thread; {}", threads, registers, note));
    }
  }
  return narrower;
}

const std::uint64_t* ModuleTable::address_of(const Binary& binary, const std::string& name) const {
  const auto& addresses = binary.loaded->addresses;
  auto found = addresses.find(name + "@" + binary.name);
  if (found == addresses.end()) found = addresses.find(name);
  return found == addresses.end() ? nullptr : &found->second;
}

bool ModuleTable::find_variable(const void* host, const ModuleSite& site, VariableRange& place) {
  const auto found = variables_.find(host);
  if (found == variables_.end()) return false;
  VariableEntry& entry = found->second;
  load(entry.binary, site);
  const std::uint64_t* address = address_of(*entry.binary, entry.name);
  if (address == nullptr) {
    say_error(fmt::format("variable '{}' is registered by the program but not in its device code ({})", entry.name,
                          entry.binary->loaded->module->name()));
    throw ApiError(cudaErrorInvalidSymbol);
  }
  place = {*address, entry.size};
  return true;
}

std::uint64_t ModuleTable::handle_of(const TextureEntry& entry, const ModuleSite& site) {
  load(entry.binary, site);
  const std::uint64_t* handle = address_of(*entry.binary, entry.name);
  return handle != nullptr ? *handle : 0;
}

std::uint64_t ModuleTable::find_texture(const textureReference* host, const ModuleSite& site, bool& read_normalized) {
  const auto found = textures_.find(host);
  if (found == textures_.end()) return 0;
  read_normalized = found->second.read_normalized;
  return handle_of(found->second, site);
}

std::uint64_t ModuleTable::find_surface(const surfaceReference* host, const ModuleSite& site) {
  const auto found = textures_.find(host);
  return found != textures_.end() ? handle_of(found->second, site) : 0;
}

void ModuleTable::unload_all() {
  groups_.clear();
  for (const auto& binary : binaries_) binary->loaded = nullptr;
  for (auto& [host, entry] : kernels_) {
    entry.kernel = nullptr;
    entry.narrower.clear();
  }
}

std::uint64_t ModuleTable::constant_bytes(const KernelEntry& entry) const {
  std::uint64_t bytes = 0;
  for (const isa::Variable& variable : entry.binary->loaded->module->variables()) {
    if (variable.space == isa::Space::constant) bytes += variable.size;
  }
  return bytes;
}

}  // namespace heddle::runtime
