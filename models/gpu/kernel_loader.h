// SPDX-License-Identifier: Apache-2.0
// Modules and kernels by handle, for hosts that supply PTX text and manage device memory themselves: module variables
// are placed consecutively in a separate area.
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
  /// Variables are placed at addresses begin .. end - 1.
  KernelLoader(const DeviceLimits& limits, std::uint64_t begin, std::uint64_t end)
      : limits_(limits), begin_(begin), end_(end), next_(begin) {}

  /// Handle of the module, from 1. Throws Error(kPtx), or Error(kLaunch) if its variables do not fit.
  std::uint32_t load(std::string_view ptx);
  /// Handle of a kernel, from 1; the same for the same kernel. Throws Error(kPtx) if the module has no such kernel or
  /// it uses features of the runtime library (printf, malloc, textures), Error(kLaunch) for an invalid handle.
  std::uint32_t find_kernel(std::uint32_t module, std::string_view name);
  struct AddressRange {
    std::uint64_t address = 0, bytes = 0;
  };
  /// Throws as find_kernel().
  AddressRange find_variable(std::uint32_t module, std::string_view name) const;

  /// Throws Error(kLaunch) for an invalid handle.
  const std::shared_ptr<const isa::Kernel>& kernel(std::uint32_t handle) const;
  /// The kernel to run for blocks of this size: the kernel itself, or a version with fewer registers if the machine
  /// spills.
  std::shared_ptr<const isa::Kernel> fit(std::uint32_t handle, std::uint32_t threads, std::uint32_t dynamic_shared);

  /// Removes all modules; handles start at 1 again.
  void clear();

 private:
  struct Entry {
    std::uint32_t module = 0;
    std::string name;
    std::shared_ptr<const isa::Kernel> kernel;
    std::map<std::uint32_t, std::shared_ptr<const isa::Kernel>> narrower;  ///< by registers per thread
  };
  const LoadedModule& module(std::uint32_t handle) const;
  std::shared_ptr<const isa::Kernel> lower(const Entry& entry, isa::LowerOptions options) const;

  const DeviceLimits& limits_;
  std::uint64_t begin_, end_, next_;
  std::vector<std::unique_ptr<LoadedModule>> modules_;  ///< by handle - 1
  std::vector<Entry> kernels_;                          ///< by handle - 1
};

}  // namespace heddle::gpu
