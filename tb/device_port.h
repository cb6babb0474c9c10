// SPDX-License-Identifier: Apache-2.0
// Minimal host services for tests that launch PTX without the runtime library: device memory with bounds checks, but no
// textures, system calls or variables.
#pragma once

#include <string>

#include "gpu/device_memory.h"
#include "isa/execute.h"
#include "isa/module.h"

namespace heddle::tb {

class DevicePort final : public isa::MemoryPort {
 public:
  explicit DevicePort(gpu::DeviceMemory& memory) : memory_(memory) {}
  bool accessible(std::uint64_t lowest, std::uint64_t end) const override { return memory_.accessible(lowest, end); }
  bool produce(std::uint64_t address, std::uint64_t bytes, void* to) const override {
    return memory_.produce(address, bytes, to);
  }
  std::string nearest(std::uint64_t address) const override { return memory_.nearest(address); }
  void texture(const isa::MicroOp&, isa::WarpState&, std::uint32_t) override {}
  void system_call(const isa::MicroOp&, isa::WarpState&, std::uint32_t) override {}

 private:
  gpu::DeviceMemory& memory_;
};

class NoSymbols final : public isa::SymbolResolver {
 public:
  std::uint64_t address(const isa::Variable&) const override { return 0; }
};

}  // namespace heddle::tb
