// SPDX-License-Identifier: Apache-2.0
// An SM between plain TLM-2.0 memories: a reply takes effect at the first edge after its time, however the target
// returns it.
#include <ostream>

#include "gpu/gpu.h"
#include "sm/sm.h"
#include "sm_fixture.h"
#include "tb/plain_memory.h"

namespace heddle {
namespace {

using sc_core::SC_NS;
using sc_core::SC_PS;
using sc_core::sc_time;
using tb::PlainMemory;
using Style = PlainMemory::Style;

/// A separate memory behind every socket of the SM, without data: kernels access theirs directly.
class PlainSide final : public gpu::MemorySide {
 public:
  PlainSide(Style style, const sc_time& latency)
      : data_("data", 0, style, latency),
        constant_("constant", 0, style, latency),
        texture_("texture", 0, style, latency),
        instructions_("instructions") {
    instructions_.bind(store_);
  }
  void bind(sm::Sm& sm) override {
    sm.data.bind(data_.socket);
    sm.constant.bind(constant_.socket);
    sm.texture.bind(texture_.socket);
    sm.instructions.bind(instructions_);
  }
  bool idle() const override { return true; }

 private:
  PlainMemory data_, constant_, texture_;
  PerfectInstructionStore store_;
  sc_core::sc_export<InstructionStore> instructions_;
};

struct Answer {
  Style style;
  bool gating;
};

void PrintTo(const Answer& answer, std::ostream* out) {
  static const char* const kStyles[] = {"Completes", "EarlyResponse", "AcceptsAtOnce", "FourPhases", "SkipsEndReq"};
  *out << kStyles[static_cast<int>(answer.style)] << (answer.gating ? "" : "Ungated");
}

class ForeignMemory : public SmTest, public ::testing::WithParamInterface<Answer> {
 protected:
  void build(const sc_time& latency) {
    parameters_.clocks.core = 1'000'000;
    gpu::BuildOptions options;
    options.gating = GetParam().gating;
    build_on([&](ClockTree&, ClockDomain&, unsigned) { return std::make_unique<PlainSide>(GetParam().style, latency); },
             options);
  }
  Cycle cycles_of(unsigned loads) {
    std::string chain = ".reg .b64 %rd<2>; ld.param.u64 %rd1, [p];";
    for (unsigned i = 0; i < loads; ++i) chain += "ld.global.u64 %rd1, [%rd1];";
    return run(kernel(".param .u64 p", chain + "st.global.u64 [%rd1], %rd1; ret;"), {1}, {32}, {address(&self_)});
  }
  /// From the issue of a load to that of an instruction that needs it.
  Cycle load_to_use() {
    cycles_of(1);
    const Cycle shorter = cycles_of(8), longer = cycles_of(40);
    EXPECT_EQ((longer - shorter) % 32, 0u);
    return (longer - shorter) / 32;
  }
  const void* const self_ = &self_;
};

// Issue, operands and memory take 2 cycles until the request, the way back through write-back 3: what a cycle takes in
// counts from the next.
constexpr Cycle kWay = 2 + 1 + 2;

TEST_P(ForeignMemory, AReplyOnAnEdgeCountsFromTheNext) {
  build(sc_time(20, SC_NS));
  EXPECT_EQ(load_to_use(), kWay + 20);
}

TEST_P(ForeignMemory, AReplyBetweenEdgesCountsFromTheFirstThatFollows) {
  build(sc_time(19'300, SC_PS));
  EXPECT_EQ(load_to_use(), kWay + 19);
}

INSTANTIATE_TEST_SUITE_P(Targets, ForeignMemory,
                         ::testing::Values(Answer{Style::completes, true}, Answer{Style::early_response, true},
                                           Answer{Style::accepts_at_once, true}, Answer{Style::four_phases, true},
                                           Answer{Style::skips_end_req, true}, Answer{Style::completes, false},
                                           Answer{Style::early_response, false}, Answer{Style::accepts_at_once, false},
                                           Answer{Style::four_phases, false}, Answer{Style::skips_end_req, false}),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace heddle
