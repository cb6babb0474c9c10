// SPDX-License-Identifier: Apache-2.0
// The smallest machine that runs a kernel given as PTX: SMs on a flat memory.
#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/dim3.h"
#include "core/kernel/services.h"
#include "flat_memory.h"
#include "gpu/gpu_parameters.h"
#include "gpu/memory_side.h"
#include "isa/module.h"

namespace heddle {

namespace gpu {
class Gpu;
struct BuildOptions;
}  // namespace gpu
namespace isa {
class MemoryPort;
}

class SmTest : public ::testing::Test {
 protected:
  SmTest();
  ~SmTest() override;

  /// Header and one kernel `k` with the given parameters and body.
  static std::string kernel(const std::string& parameters, const std::string& body);
  /// The parameters of a described machine.
  static gpu::GpuParameters parameters_of(const std::string& machine, const std::vector<std::string>& settings = {});
  /// A Gpu of parameters_, on a FlatMemory unless another memory side is given.
  void build();
  void build(const gpu::BuildOptions& options);
  void build_on(const gpu::MemorySideFactory& memory_side);
  void build_on(const gpu::MemorySideFactory& memory_side, const gpu::BuildOptions& options);
  /// Runs one launch; returns its cycles.
  Cycle run(const std::string& ptx, Dim3 grid, Dim3 block, const std::vector<std::uint64_t>& arguments,
            std::uint32_t dynamic_shared = 0);
  template <typename T>
  static std::uint64_t address(const T* pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer);
  }
  /// Builds the machine of a preset, with settings.
  void load(const std::string& machine, const std::vector<std::string>& settings = {});
  /// A statistic of SM 0, as in "issue.packets".
  double counted(const std::string& name) { return services_.statistics.total().value("sm0." + name); }
  sm::SmParameters& sm() { return parameters_.sm_classes.front().sm; }
  const FlatMemory& flat_memory() const { return *flat_memory_; }

  void SetUp() override { parameters_.sm_classes.front().count = 1; }

 private:
  std::unique_ptr<isa::MemoryPort> open_memory_;
  const FlatMemory* flat_memory_ = nullptr;
  std::uint64_t launches_ = 0;

 protected:
  gpu::GpuParameters parameters_;
  Services services_;
  Cycle memory_latency_ = 100;
  isa::MemoryPort& port_;  ///< kernels reach the test's own memory, unchecked
  std::unique_ptr<gpu::Gpu> gpu_;
  std::vector<std::shared_ptr<const isa::Kernel>> kernels_;
};

/// The text as the name of a test, which has letters, digits and underscores.
inline std::string test_name(std::string text) {
  for (char& c : text) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return text;
}

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
