// SPDX-License-Identifier: Apache-2.0
// Kernels on the functional machine with every access observed.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gpu/device_memory.h"
#include "gpu/functional/functional_machine.h"
#include "isa/module.h"
#include "sm/memory/coalescer.h"
#include "tb/device_port.h"

namespace heddle::studies {

/// The kernel of a module whose (mangled) name contains `part`.
inline std::shared_ptr<const isa::Kernel> kernel_of(const isa::Module& module, const std::string& part) {
  std::string name;
  for (const auto& kernel : module.kernels()) {
    if (kernel.name.find(part) == std::string::npos) continue;
    EXPECT_EQ(name, "") << part << " is part of two names";
    name = kernel.name;
  }
  return module.lower(name, tb::NoSymbols());
}

/// The kernels of a workload, as compiled.
inline const isa::Module& compiled(const std::string& workload) {
  static std::map<std::string, std::shared_ptr<const isa::Module>> modules;
  auto& module = modules[workload];
  if (!module) {
    std::ifstream file(HEDDLE_PTX "/" + workload + ".ptx");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    module = isa::Module::parse(text, workload + ".ptx");
  }
  return *module;
}

/// A kernel of these instructions with one parameter, the address of its memory, in %out; the lane in %t. Predicates,
/// 32-bit and 64-bit registers are %p, %r, %d; `box` is shared memory, the only.
inline std::shared_ptr<const isa::Kernel> kernel_of_text(const std::string& body) {
  const auto module = isa::Module::parse(
      ".version 6.4\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
      ".reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %d<20>; .reg .b64 %out; .reg .b32 %t;\n"
      ".shared .align 8 .b8 box[1024];\nld.param.u64 %out, [p];\nmov.u32 %t, %tid.x;\n" +
          body + "\nret;\n}\n",
      "test.ptx");
  return kernel_of(*module, "k");
}

/// One at a time, because device memory has a fixed address.
class KernelBench : private gpu::ExecutionObserver {
 public:
  using Heard = std::function<void(const isa::MicroOp&, const isa::WarpState&, const isa::Addresses&)>;

  KernelBench() : memory_({}), port_(memory_), machine_({}, memory_, port_) { machine_.observe(this); }

  gpu::DeviceMemory& memory() { return memory_; }
  /// Device memory that holds these words.
  std::uint64_t place(const std::vector<std::uint32_t>& words) {
    const std::uint64_t address = memory_.allocate(words.size() * 4, gpu::AllocationKind::device);
    std::memcpy(reinterpret_cast<void*>(address), words.data(), words.size() * 4);
    return address;
  }
  static std::uint32_t word(std::uint64_t address, std::size_t i) {
    return reinterpret_cast<const std::uint32_t*>(address)[i];
  }
  /// One block. parameters: 4 or 8 bytes each, aligned by the bench. Tells `heard` of every access.
  template <class... Parameters>
  void launch(std::shared_ptr<const isa::Kernel> kernel, unsigned threads, const Heard& heard,
              const Parameters&... parameters) {
    gpu::LaunchRequest request;
    request.kernel = std::move(kernel);
    request.grid = {1, 1, 1};
    request.block = {threads, 1, 1};
    (append(request.parameters, parameters), ...);
    ASSERT_EQ(request.parameters.size(), request.kernel->parameter_bytes);
    heard_ = heard;
    machine_.launch(request);
  }

 private:
  template <class T>
  static void append(std::vector<std::byte>& to, const T& value) {
    const std::size_t at = (to.size() + sizeof value - 1) / sizeof value * sizeof value;
    to.resize(at + sizeof value);
    std::memcpy(&to[at], &value, sizeof value);
  }
  void started(const isa::WarpState&) override {}
  void memory(const isa::MicroOp& op, const isa::WarpState& warp, const isa::Addresses& addresses) override {
    if (heard_) heard_(op, warp, addresses);
  }
  void met(const isa::WarpState&, std::uint32_t) override {}

  gpu::DeviceMemory memory_;
  tb::DevicePort port_;
  gpu::FunctionalMachine machine_;
  Heard heard_;
};

/// Transactions of 128-byte lines for an access.
inline unsigned lines_of(const isa::Addresses& addresses) {
  sm::Coalescer coalescer({sm::CoalescingRule::lines, 128});
  coalescer.start();
  coalescer.add(addresses, addresses.mask, addresses.bytes);
  return static_cast<unsigned>(coalescer.size());
}

}  // namespace heddle::studies
