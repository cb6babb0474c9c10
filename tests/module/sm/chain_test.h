// SPDX-License-Identifier: Apache-2.0
// A chain of dependent instructions whose cycles are known, for mechanisms that change when an instruction may issue.
#pragma once

#include <array>

#include "gpu/gpu.h"
#include "sm/sm.h"
#include "sm_fixture.h"

namespace heddle::sm {

/// r1 = ((tid + 1) * 3 + 1) * 3 ..., four times, loaded from and stored to `po`.
inline const char* const kChain = R"(
  .reg .b32 %r<4>; .reg .b64 %rd<4>;
  mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [po]; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;
  ld.global.u32 %r2, [%rd3];
  add.s32 %r2, %r2, 1; mul.lo.s32 %r2, %r2, 3;
  add.s32 %r2, %r2, 1; mul.lo.s32 %r2, %r2, 3;
  add.s32 %r2, %r2, 1; mul.lo.s32 %r2, %r2, 3;
  add.s32 %r2, %r2, 1; mul.lo.s32 %r2, %r2, 3;
  st.global.u32 [%rd3], %r2;
  ret;
)";

/// One warp, one scheduler. Instructions that wait for the one before: the sum of the address, the load, eight of the
/// chain, the store. The product of the address is there before the parameter.
inline constexpr Cycle kChainCycles = 391;
inline constexpr unsigned kDependent = 11;

class ChainTest : public SmTest {
 protected:
  void SetUp() override {
    SmTest::SetUp();
    sm().schedulers = 1;
  }
  /// Cycles of the chain on one block of `threads` threads; the result is checked.
  Cycle run_chain(unsigned threads) {
    build();
    // Kernels see host addresses: cycles are exact only where it is known which lines an array lies in.
    alignas(128) std::array<std::uint32_t, 256> values{};
    for (unsigned i = 0; i < threads; ++i) values[i] = 7 * i;
    const Cycle cycles = run(kernel(".param .u64 po", kChain), {1}, {threads}, {address(values.data())});
    for (unsigned i = 0; i < threads; ++i) {
      std::uint32_t expected = 7 * i;
      for (int step = 0; step < 4; ++step) expected = (expected + 1) * 3;
      EXPECT_EQ(values[i], expected) << i;
    }
    gpu_->sms().front()->issue().slot_account().check();
    return cycles;
  }
};

}  // namespace heddle::sm
