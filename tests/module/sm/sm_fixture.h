// SPDX-License-Identifier: Apache-2.0
// The smallest machine that runs a kernel given as PTX: SMs on a flat memory.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "flat_memory.h"
#include "gpu/gpu.h"
#include "isa/module.h"
#include "tb/device_port.h"

namespace heddle {

/// Kernels reach the test's own memory, unchecked.
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

class SmTest : public ::testing::Test {
 protected:
  /// Header and one kernel `k` with the given parameters and body.
  static std::string kernel(const std::string& parameters, const std::string& body) {
    return ".version 6.4\n.target sm_70\n.address_size 64\n.visible .entry k(" + parameters + ")\n{\n" + body + "\n}\n";
  }
  void build(const gpu::BuildOptions& options = {}) {
    gpu_ = std::make_unique<gpu::Gpu>(
        "gpu", parameters_, services_,
        [this](ClockTree&, ClockDomain& core, unsigned sms) {
          auto side = std::make_unique<FlatSide>(core, sms, memory_latency_);
          side_ = side.get();
          return side;
        },
        options);
    gpu_->attach(port_);
  }
  /// Runs one launch; returns its cycles.
  Cycle run(const std::string& ptx, Dim3 grid, Dim3 block, const std::vector<std::uint64_t>& arguments,
            std::uint32_t dynamic_shared = 0) {
    auto module = isa::Module::parse(ptx, "test.ptx");
    kernels_.push_back(module->lower(module->kernels().front().name, symbols_));
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
  template <typename T>
  static std::uint64_t address(const T* pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer);
  }
  sm::SmParameters& sm() { return parameters_.sm_classes.front().sm; }

  void SetUp() override { parameters_.sm_classes.front().count = 1; }

  gpu::GpuParameters parameters_;
  Services services_;
  Cycle memory_latency_ = 100;
  OpenMemory port_;
  tb::NoSymbols symbols_;
  std::unique_ptr<gpu::Gpu> gpu_;
  const FlatSide* side_ = nullptr;
  std::vector<std::shared_ptr<const isa::Kernel>> kernels_;
  std::uint64_t launches_ = 0;
};

/// c[i] = a[i] + b[i] for i < n, one thread an element.
inline const char* const kVectorAdd = R"(
  .reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<12>; .reg .f32 %f<4>;
  ld.param.u64 %rd1, [pa]; ld.param.u64 %rd2, [pb]; ld.param.u64 %rd3, [pc]; ld.param.u64 %rd11, [pn];
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  cvt.u32.u64 %r5, %rd11;
  setp.ge.s32 %p1, %r4, %r5;
  @%p1 bra DONE;
  mul.wide.s32 %rd4, %r4, 4;
  add.s64 %rd5, %rd1, %rd4; add.s64 %rd6, %rd2, %rd4; add.s64 %rd7, %rd3, %rd4;
  ld.global.f32 %f1, [%rd5]; ld.global.f32 %f2, [%rd6];
  add.f32 %f3, %f1, %f2;
  st.global.f32 [%rd7], %f3;
DONE:
  ret;
)";

}  // namespace heddle
