// SPDX-License-Identifier: Apache-2.0
#include "sm_fixture.h"

#include <algorithm>
#include <cstring>

#include "core/config/configuration.h"
#include "gpu/device.h"
#include "gpu/gpu.h"
#include "gpu/machine_selection.h"
#include "isa/execute.h"
#include "sm/sm.h"
#include "tb/device_port.h"

namespace heddle {
namespace {

class OpenMemory final : public isa::MemoryPort {
 public:
  bool accessible(std::uint64_t, std::uint64_t) const override { return true; }
  std::string nearest(std::uint64_t) const override { return "unknown"; }
  void texture(const isa::MicroOp&, isa::WarpState&, std::uint32_t) override {}
  void system_call(const isa::MicroOp&, isa::WarpState&, std::uint32_t) override {}
};

/// FlatMemory behind every SM.
class FlatSide final : public gpu::MemorySide {
 public:
  FlatSide(ClockDomain& core, unsigned sms, Cycle latency)
      : memory_("memory", core, 3 * sms, latency), instructions_("instructions") {
    instructions_.bind(store_);
  }
  void bind(sm::Sm& sm) override {
    sm.data.bind(memory_.socket(3 * sm.number()));
    sm.constant.bind(memory_.socket(3 * sm.number() + 1));
    sm.texture.bind(memory_.socket(3 * sm.number() + 2));
    sm.instructions.bind(instructions_);
  }
  bool idle() const override { return true; }
  const FlatMemory& memory() const { return memory_; }

 private:
  FlatMemory memory_;
  PerfectInstructionStore store_;
  sc_core::sc_export<InstructionStore> instructions_;
};

}  // namespace

SmTest::SmTest() : open_memory_(std::make_unique<OpenMemory>()), port_(*open_memory_) {}
SmTest::~SmTest() = default;

std::string SmTest::kernel(const std::string& parameters, const std::string& body) {
  return ".version 6.4\n.target sm_70\n.address_size 64\n.visible .entry k(" + parameters + ")\n{\n" + body + "\n}\n";
}

gpu::GpuParameters SmTest::parameters_of(const std::string& machine, const std::vector<std::string>& settings) {
  gpu::MachineParameters parameters;
  Configuration configuration(parameters);
  gpu::load_machine(parameters, configuration, {machine, settings});
  return parameters.gpu;
}

void SmTest::load(const std::string& machine, const std::vector<std::string>& settings) {
  parameters_ = parameters_of(machine, settings);
  build();
}

void SmTest::build() { build(gpu::BuildOptions{}); }

void SmTest::build(const gpu::BuildOptions& options) {
  build_on(
      [this](ClockTree&, ClockDomain& core, unsigned sms) {
        auto side = std::make_unique<FlatSide>(core, sms, memory_latency_);
        flat_memory_ = &side->memory();
        return side;
      },
      options);
}

void SmTest::build_on(const gpu::MemorySideFactory& memory_side) { build_on(memory_side, gpu::BuildOptions{}); }

void SmTest::build_on(const gpu::MemorySideFactory& memory_side, const gpu::BuildOptions& options) {
  gpu_ = std::make_unique<gpu::Gpu>("gpu", parameters_, services_, memory_side, options);
  gpu_->attach(port_);
}

Cycle SmTest::run(const std::string& ptx, Dim3 grid, Dim3 block, const std::vector<std::uint64_t>& arguments,
                  std::uint32_t dynamic_shared) {
  const tb::NoSymbols symbols;
  auto module = isa::Module::parse(ptx, "test.ptx");
  kernels_.push_back(module->lower(module->kernels().front().name, symbols));
  auto launch = std::make_shared<isa::LaunchState>();
  launch->kernel = kernels_.back().get();
  launch->grid = grid;
  launch->block = block;
  launch->id = ++launches_;
  launch->dynamic_shared_bytes = dynamic_shared;
  launch->shared_bytes = kernels_.back()->static_shared_bytes + dynamic_shared;
  launch->code_address = 0x3c00'0000'0000;
  launch->parameters.resize(std::max<std::size_t>(kernels_.back()->parameter_bytes, 8 * arguments.size()));
  if (!arguments.empty()) std::memcpy(launch->parameters.data(), arguments.data(), 8 * arguments.size());
  const auto outcome = gpu_->run(launch);
  gpu_->settle();
  return outcome.end - outcome.start;
}

}  // namespace heddle
