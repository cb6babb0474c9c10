// SPDX-License-Identifier: Apache-2.0
// Device code registered by the program, by host symbol, loaded on first use.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/statistics/run_json.h"
#include "gpu/device.h"
#include "gpu/device_memory.h"
#include "gpu/loaded_module.h"
#include "gpu/texture/texture_unit.h"
#include "isa/module.h"
#include "runtime/fat_binary.h"

struct textureReference;
struct surfaceReference;

namespace heddle::runtime {

using gpu::LoadedModule;

/// A kernel, identified by the host function that launches it.
struct KernelEntry {
  std::string name;
  struct Binary* binary = nullptr;
  std::shared_ptr<const isa::Kernel> kernel;  ///< null until first used
  /// Variants with fewer registers per thread, by limit, for blocks too large for `kernel`.
  std::map<std::uint32_t, std::shared_ptr<const isa::Kernel>> narrower{};
  std::uint32_t max_dynamic_shared = 0;  ///< cudaFuncAttributeMaxDynamicSharedMemorySize; 0: the default
  int preferred_carveout = -1;
};

struct VariableEntry {
  std::string name;
  struct Binary* binary = nullptr;
  std::uint64_t size = 0;
  bool managed = false;  ///< shares the host variable's bytes
};

struct TextureEntry {
  std::string name;
  struct Binary* binary = nullptr;
  bool read_normalized = false;
};

/// One registered fat binary.
struct Binary {
  const FatBinaryWrapper* wrapper = nullptr;
  std::string name;                      ///< for messages
  std::shared_ptr<LoadedModule> loaded;  ///< shared by the members of a group
  std::shared_ptr<const isa::Module> parsed;
  std::vector<const void*> host_symbols;  ///< removed when the binary is unregistered
};

/// Where modules are loaded.
struct ModuleSite {
  gpu::DeviceMemory& memory;
  gpu::TextureTable& textures;
  const gpu::DeviceLimits& limits;
  std::uint64_t stack_bytes;  ///< per thread, for recursion; applies to kernels on first use

  /// As in sm_70: 70.
  unsigned capability() const { return limits.capability_major * 10 + limits.capability_minor; }
};

class ModuleTable {
 public:
  // -- registration: before main, does not access the device
  Binary* add_binary(const FatBinaryWrapper* wrapper);
  void remove_binary(Binary* binary);
  /// Also frees the memory of its variables.
  void unload(Binary* binary, const ModuleSite& site);
  void add_kernel(Binary* binary, const void* host, const char* name);
  void add_variable(Binary* binary, const void* host, const char* name, std::uint64_t size);
  /// Declares host variables in this range as managed; see platforms/cuda/FLAGS.md.
  void add_managed_range(const void* begin, const void* end);
  /// A managed variable as compiled by nvcc: the host sees a pointer that is set when the module is loaded.
  void add_managed_pointer(Binary* binary, void** host_pointer, const char* name, std::uint64_t size);
  void add_texture(Binary* binary, const textureReference* host, const char* name, bool read_normalized);
  void add_surface(Binary* binary, const surfaceReference* host, const char* name);

  // -- use: loads on demand. Unknown host symbols give null; a symbol missing in its module throws ApiError.
  /// Throws heddle::Error(kPtx) when the module or the kernel cannot be loaded.
  KernelEntry* find_kernel(const void* host, const ModuleSite& site);
  KernelEntry* find_registered_kernel(const void* host);
  /// The variant to run for this block size and dynamic shared memory: the kernel itself or, if its registers leave no
  /// room for a single block and the machine spills, a variant that fits. The entry must have been found.
  std::shared_ptr<const isa::Kernel> fit(KernelEntry& entry, const ModuleSite& site, std::uint32_t threads,
                                         std::uint64_t dynamic_shared);
  struct VariableRange {
    std::uint64_t address = 0, size = 0;
  };
  bool find_variable(const void* host, const ModuleSite& site, VariableRange& place);
  /// Handle in the texture table; 0 when unknown.
  std::uint64_t find_texture(const textureReference* host, const ModuleSite& site, bool& read_normalized);
  std::uint64_t find_surface(const surfaceReference* host, const ModuleSite& site);
  void load(Binary* binary, const ModuleSite& site);
  /// Discards loaded modules, so that variables are reinitialised on the next load. The caller frees device memory.
  void unload_all();
  /// Total size of the constant variables in the kernel's module.
  std::uint64_t constant_bytes(const KernelEntry& entry) const;

  const std::vector<std::unique_ptr<Binary>>& binaries() const { return binaries_; }
  /// Whether the program has embedded kernels and thus uses the runtime API.
  void program_has_kernels(bool yes) { program_has_kernels_ = yes; }
  bool program_has_kernels() const { return program_has_kernels_; }
  /// Name and digest of every distinct PTX text read, including those of removed binaries.
  const std::vector<NamedDigest>& digests() const { return digests_; }

 private:
  struct ManagedPointer {
    void** host = nullptr;
    std::string name;
    Binary* binary = nullptr;
    std::uint64_t size = 0;
  };

  bool is_managed(const void* host) const;
  /// spill_limit: computes the register limit per thread from the partly lowered kernel; empty: no limit.
  static std::shared_ptr<const isa::Kernel> lower(const KernelEntry& entry, const ModuleSite& site,
                                                  std::function<std::uint32_t(const isa::Kernel&)> spill_limit);
  const isa::Module& parse(Binary* binary, unsigned capability);
  /// Reads the PTX module of one fat binary and records its digest.
  std::shared_ptr<const isa::Module> read_module(const void* data, const std::string& name, unsigned capability);
  std::shared_ptr<LoadedModule> place(std::shared_ptr<const isa::Module> module, const ModuleSite& site);
  std::uint64_t handle_of(const TextureEntry& entry, const ModuleSite& site);
  std::uint64_t place_variable(const isa::Variable& variable, const ModuleSite& site, const LoadedModule& loaded);
  const std::uint64_t* address_of(const Binary& binary, const std::string& name) const;

  std::vector<std::unique_ptr<Binary>> binaries_;
  std::vector<NamedDigest> digests_;
  std::map<const void*, std::shared_ptr<LoadedModule>> groups_;  ///< key: address of the member list
  std::map<const void*, KernelEntry> kernels_;
  std::map<const void*, VariableEntry> variables_;
  std::map<const void*, TextureEntry> textures_;  ///< texture and surface references
  std::vector<ManagedPointer> managed_pointers_;
  bool program_has_kernels_ = false;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> managed_ranges_;
};

}  // namespace heddle::runtime
