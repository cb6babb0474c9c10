// SPDX-License-Identifier: Apache-2.0
// Modules and kernels by handle, for a host that hands over PTX text and has no memory management of ours: variables
// lie behind one another in an area of their own.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/device.h"
#include "gpu/loaded_module.h"

namespace heddle::gpu {

class KernelLoader {
 public:
  /// Addresses begin .. end - 1 hold variables.
  KernelLoader(const DeviceLimits& limits, std::uint64_t begin, std::uint64_t end)
      : limits_(limits), begin_(begin), end_(end), next_(begin) {}

  /// Handle of the module, from 1. Throws Error(kPtx); Error(kLaunch) when its variables have no room.
  std::uint32_t load(std::string_view ptx);
  /// Handle of a kernel, from 1; the same for the same kernel. Throws Error(kPtx) when the module has none of the name,
  /// or it uses what only a program's runtime library can do (printf, malloc, textures); Error(kLaunch) for a handle
  /// that is none.
  std::uint32_t find_kernel(std::uint32_t module, std::string_view name);
  struct Place {
    std::uint64_t address = 0, bytes = 0;
  };
  /// Throws as find_kernel().
  Place find_variable(std::uint32_t module, std::string_view name) const;

  /// Throws Error(kLaunch) for a handle that is none.
  const std::shared_ptr<const isa::Kernel>& kernel(std::uint32_t handle) const;
  /// What runs for such blocks: the kernel, or the same with fewer registers where the machine spills.
  std::shared_ptr<const isa::Kernel> fit(std::uint32_t handle, std::uint32_t threads, std::uint32_t dynamic_shared);

  /// Forgets everything; handles begin at 1 again.
  void clear();

 private:
  struct Entry {
    std::uint32_t module = 0;
    std::string name;
    std::shared_ptr<const isa::Kernel> kernel;
    std::map<std::uint32_t, std::shared_ptr<const isa::Kernel>> narrower;  ///< by registers a thread
  };
  const LoadedModule& module(std::uint32_t handle) const;
  std::shared_ptr<const isa::Kernel> lower(const Entry& entry, isa::LowerOptions options) const;

  const DeviceLimits& limits_;
  std::uint64_t begin_, end_, next_;
  std::vector<std::unique_ptr<LoadedModule>> modules_;  ///< by handle - 1
  std::vector<Entry> kernels_;                          ///< by handle - 1
};

}  // namespace heddle::gpu
