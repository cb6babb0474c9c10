// SPDX-License-Identifier: Apache-2.0
#include "gpu/host/hosted_gpu.h"

#include "core/config/configuration.h"
#include "core/error.h"
#include "core/kernel/services.h"
#include "gpu/device_memory.h"
#include "gpu/host/host_interface.h"
#include "gpu/kernel_loader.h"
#include "gpu/timing_machine.h"
#include "isa/fault.h"

namespace heddle::gpu {

namespace {

constexpr std::uint64_t kVariableBytes = std::uint64_t{256} << 20;  // of address space after the platform's memory
constexpr std::uint64_t kPageBytes = 4096;

/// Gives kernels access to all of device memory. The platform manages allocations, so none can be checked.
class WholeMemory final : public isa::MemoryPort {
 public:
  WholeMemory(std::uint64_t begin, std::uint64_t end) : begin_(begin), end_(end) {}

  bool accessible(std::uint64_t lowest, std::uint64_t highest_end) const override {
    return lowest >= begin_ && highest_end <= end_ && lowest < highest_end;
  }
  std::string nearest(std::uint64_t) const override {
    return fmt::format("device memory is {:#x} to {:#x}", begin_, end_ - 1);
  }
  // The loader rejects kernels that use unsupported services.
  void texture(const isa::MicroOp&, isa::WarpState&, std::uint32_t) override {
    fail(ExitCode::internal, "a texture without a runtime library");
  }
  void system_call(const isa::MicroOp& op, isa::WarpState& warp, std::uint32_t) override {
    const isa::Kernel& kernel = *warp.block->launch->kernel;
    if (op.system_call == isa::SystemCall::assertfail) {
      throw isa::KernelFault(isa::FaultKind::assertion, fmt::format("{}:{}: kernel '{}': an assertion failed",
                                                                    kernel.ptx_name, op.ptx_line, kernel.name));
    }
  }

 private:
  std::uint64_t begin_, end_;
};

DeviceMemory::Parameters reservation(std::uint64_t base, std::uint64_t bytes) {
  if (base % kPageBytes != 0) {
    fail(ExitCode::configuration, "the base of device memory, {:#x}, is not a multiple of {}", base, kPageBytes);
  }
  DeviceMemory::Parameters parameters;
  if (base != 0) parameters.base = base;
  parameters.device_bytes = bytes;
  parameters.host_bytes = 0;
  return parameters;
}

struct Description {
  MachineParameters parameters;
  DeviceLimits limits;
  std::string configuration;
};

Description describe(const MachineRequest& request) {
  Description description;
  Configuration loaded(description.parameters);
  load_machine(description.parameters, loaded, request);
  description.limits = limits_of(description.parameters, loaded.name());
  description.configuration = loaded.resolved();
  return description;
}

}  // namespace

struct HostedGpu::State {
  State(const MachineRequest& request, std::uint64_t base)
      : description(describe(request)),
        usable(description.parameters.memory_bytes / kPageBytes * kPageBytes),
        memory(reservation(base, usable + kVariableBytes)),
        port(memory.base(), memory.base() + usable + kVariableBytes),
        machine(description.parameters, description.limits, memory, port, services, {}, request.recording),
        loader(machine.limits(), memory.base() + usable, memory.base() + usable + kVariableBytes),
        interface("host", {memory.base(), usable, usable + kVariableBytes}, machine, loader) {}

  Description description;
  std::uint64_t usable;  ///< bytes available to the platform
  Services services;
  DeviceMemory memory;
  WholeMemory port;
  TimingMachine machine;
  KernelLoader loader;
  HostInterface interface;
};

HostedGpu::HostedGpu(sc_core::sc_module_name module_name, const MachineRequest& request, std::uint64_t memory_base)
    : sc_module(module_name),
      registers("registers"),
      memory("memory"),
      interrupt("interrupt"),
      state_(std::make_unique<State>(request, memory_base)) {
  registers.bind(state_->interface.registers);
  memory.bind(state_->interface.memory);
  state_->interface.interrupt.bind(interrupt);
}

HostedGpu::~HostedGpu() = default;

const std::string& HostedGpu::configuration() const { return state_->description.configuration; }
Services& HostedGpu::services() { return state_->services; }
TimingMachine& HostedGpu::machine() { return state_->machine; }

}  // namespace heddle::gpu
