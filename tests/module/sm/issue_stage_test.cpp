// SPDX-License-Identifier: Apache-2.0
// What the issue stage tells instructions and policies: simulated time, contexts launched and finished, elapsed cycles.
#include <fmt/format.h>

#include <algorithm>

#include "gpu/gpu.h"
#include "sm_fixture.h"

namespace heddle::sm {
namespace {

/// Notifications to the policies of all slots.
struct Told {
  unsigned launched = 0, finished = 0, wrong = 0;
};
Told told;

class TellingPolicy final : public OrderPolicy {
 public:
  explicit TellingPolicy(const SchedulerShape&) {}
  ContextId choose(const ContextTable& contexts, const ContextSet& candidates) const override {
    return oldest_of(contexts, candidates);
  }
  void issued(const ContextTable&, ContextId c) override { told.wrong += known_.test(c) ? 0 : 1; }
  void launched(const ContextTable& contexts, ContextId c) override {
    ++told.launched;
    told.wrong += known_.test(c) || !contexts.valid.test(c) ? 1 : 0;
    known_.set(c);
  }
  void finished(const ContextTable&, ContextId c) override {
    ++told.finished;
    told.wrong += known_.test(c) ? 0 : 1;
    known_.reset(c);
  }

 private:
  ContextSet known_;
};
HEDDLE_REGISTER(OrderPolicy, TellingPolicy, "telling", "the oldest; notes what it is told", "");

/// Holds everything back until a cycle.
class OpeningHours final : public Veto {
 public:
  static constexpr Cycle kOpens = 5000;
  explicit OpeningHours(const SchedulerShape&) {}
  const ContextSet& held(const ContextTable& contexts) override {
    held_ = now_ < kOpens ? contexts.valid : ContextSet{};
    return held_;
  }
  void advance(Cycle cycles) override { now_ += cycles; }
  Cycle next_event() const override { return now_ < kOpens ? kOpens : kNever; }

 private:
  Cycle now_ = 0;
  ContextSet held_;
};

HEDDLE_REGISTER(Veto, OpeningHours, "opening_hours", "nobody issues before cycle 5000", "");

/// A warp diverges eight times.
const char* const kDiverging = R"(
  .reg .pred %p<3>; .reg .b32 %r<8>; .reg .b64 %rd<4>;
  mov.u32 %r1, %tid.x; mov.u32 %r2, 0; mov.u32 %r3, 0;
LOOP:
  shr.u32 %r4, %r1, %r2;
  and.b32 %r4, %r4, 1;
  setp.eq.s32 %p1, %r4, 0;
  @%p1 bra EVEN;
  add.s32 %r3, %r3, 3; add.s32 %r3, %r3, 4;
  bra.uni NEXT;
EVEN:
  add.s32 %r3, %r3, 1;
NEXT:
  add.s32 %r2, %r2, 1;
  setp.lt.s32 %p2, %r2, 8;
  @%p2 bra LOOP;
  ld.param.u64 %rd1, [po]; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r3;
  ret;
)";

class IssueStageTest : public SmTest {
 protected:
  void run_diverging() {
    std::vector<std::uint32_t> out(256);
    run(kernel(".param .u64 po", kDiverging), {2}, {128}, {address(out.data())});
    for (unsigned i = 0; i < 128; ++i) ASSERT_EQ(out[i], 8u + 6u * static_cast<unsigned>(__builtin_popcount(i))) << i;
  }
};

TEST_F(IssueStageTest, PoliciesHearOfEveryContextThatComesAndGoes) {
  told = {};
  sm().order.choose("telling");
  sm().fill_order.choose("telling");
  sm().grouping.choose("branch_interweaving");
  sm().hazards.choose("full_masks");
  sm().warp_size = sm().simd_width = 64;
  sm().residency.threads = 512;
  build();
  run_diverging();
  EXPECT_GT(told.launched, 4u) << "a warp whose threads take two paths shows two contexts";
  EXPECT_EQ(told.launched, told.finished);
  EXPECT_EQ(told.wrong, 0u);
}

TEST_F(IssueStageTest, SlotsWithAllLanesAreToldFromThoseWithOneLess) {
  build();
  const auto slots = [&](const std::string& bucket) {
    return services_.statistics.total().value("sm0.issue.slot_lanes[" + bucket + "]");
  };
  run(kernel("", ".reg .b32 %r<2>; mov.u32 %r1, %tid.x; ret;"), {1}, {31}, {});
  EXPECT_EQ(slots("W29-31"), 2);
  EXPECT_EQ(slots("W32"), 0);
  run(kernel("", ".reg .b32 %r<2>; mov.u32 %r1, %tid.x; ret;"), {1}, {32}, {});
  EXPECT_EQ(slots("W29-31"), 2);
  EXPECT_EQ(slots("W32"), 2);
}

TEST_F(IssueStageTest, SlotsOfAWideWarpGoOnByItsThreads) {
  sm().warp_size = sm().simd_width = 64;
  sm().residency.threads = 512;
  build();
  const auto slots = [&](const std::string& bucket) {
    return services_.statistics.total().value("sm0.issue.slot_lanes[" + bucket + "]");
  };
  unsigned rounds = 0;
  for (const auto& [threads, bucket] :
       {std::pair{28u, "W25-28"}, {29u, "W29-31"}, {32u, "W32"}, {33u, "W33-36"}, {63u, "W61-63"}, {64u, "W64"}}) {
    run(kernel("", "ret;"), {1}, {threads}, {});
    EXPECT_EQ(slots(bucket), 1) << threads;
    EXPECT_EQ(services_.statistics.total().value("sm0.issue.warp_instructions"), ++rounds);
  }
}

TEST_F(IssueStageTest, AVetoHearsOfTimeAndIsAskedAgainWhenItSays) {
  sm().vetoes.choose({"opening_hours"});
  build();
  std::vector<std::uint32_t> out(256);
  const Cycle cycles = run(kernel(".param .u64 po", kDiverging), {1}, {128}, {address(out.data())});
  EXPECT_GE(cycles, OpeningHours::kOpens - 1);
  EXPECT_LT(cycles, OpeningHours::kOpens + 3000);
}

// Hazards by the names of PTX: the kernel names more predicates than fit the words of those it has allocated.
TEST_F(IssueStageTest, HazardsByNameTellManyPredicatesOfAWarpFromRegistersOfTheNext) {
  constexpr unsigned kPredicates = 130, kThreads = 256;
  sm().hazard_registers = "named";
  sm().hazards.choose("scoreboard");
  build();
  std::string body = ".reg .pred %p<130>; .reg .b32 %r<70>; .reg .b64 %rd<4>;\n  mov.u32 %r1, %tid.x;\n";
  for (unsigned i = 2; i < 70; ++i) body += fmt::format("  add.u32 %r{}, %r{}, {};\n", i, i - 1, i);
  for (unsigned i = 0; i < kPredicates; ++i)
    body += fmt::format("  setp.gt.s32 %p{0}, %r1, {0}; @%p{0} add.s32 %r1, %r1, %r{1};\n", i, 2 + i % 68);
  body +=
      "  ld.param.u64 %rd1, [po]; mov.u32 %r2, %tid.x; mul.wide.u32 %rd2, %r2, 4; add.s64 %rd3, %rd1, %rd2;\n"
      "  st.global.u32 [%rd3], %r1;\n  ret;\n";
  std::vector<std::uint32_t> out(kThreads), expected;
  run(kernel(".param .u64 po", body), {1}, {kThreads}, {address(out.data())});
  EXPECT_GE(kernels_.back()->named_predicates, kPredicates);
  EXPECT_LT(kernels_.back()->predicates, 64u);
  for (std::uint32_t t = 0; t < kThreads; ++t) {
    std::vector<std::uint32_t> r(70, t);
    for (unsigned i = 2; i < 70; ++i) r[i] = r[i - 1] + i;
    for (unsigned i = 0; i < kPredicates; ++i) {
      if (static_cast<std::int32_t>(r[1]) > static_cast<std::int32_t>(i)) r[1] += r[2 + i % 68];
    }
    expected.push_back(r[1]);
  }
  EXPECT_EQ(out, expected);
}

TEST_F(IssueStageTest, TheGlobalTimerTellsSimulatedNanoseconds) {
  parameters_.clocks.core = 700'000;
  build();
  std::vector<std::uint64_t> out(3);
  run(kernel(".param .u64 po", R"(
    .reg .b64 %rd<5>;
    mov.u64 %rd1, %globaltimer;
    mov.u64 %rd2, %clock64;
    mov.u64 %rd3, %globaltimer;
    ld.param.u64 %rd4, [po];
    st.global.u64 [%rd4], %rd1; st.global.u64 [%rd4+8], %rd2; st.global.u64 [%rd4+16], %rd3;
    ret;
  )"),
      {1}, {1}, {address(out.data())});
  EXPECT_GT(out[0], 0u);
  EXPECT_LE(out[0], out[1] * 10 / 7);
  EXPECT_GE(out[2], out[1] * 10 / 7);
  EXPECT_LT(out[2], out[0] + 1000);
}

TEST_F(IssueStageTest, AnArrivalAtAMeetingIsNoInstructionIssued) {
  build();
  std::vector<std::uint32_t> out(32);
  run(kernel(".param .u64 po", R"(
    .reg .pred %p<2>; .reg .b32 %r<5>; .reg .b64 %rd<4>;
    mov.u32 %r1, %tid.x;
    and.b32 %r2, %r1, 1;
    setp.eq.s32 %p1, %r2, 0;
    @%p1 bra EVEN;
    bar.warp.sync -1;
    bra.uni JOIN;
  EVEN:
    bar.warp.sync -1;
  JOIN:
    ld.param.u64 %rd1, [po]; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r1;
    ret;
  )"),
      {1}, {32}, {address(out.data())});
  const auto sample = services_.statistics.total();
  EXPECT_GE(sample.value("sm0.issue.slots.arrival"), 1);
  EXPECT_EQ(sample.value("sm0.issue.slots.issued"), sample.value("sm0.issue.warp_instructions"));
  gpu_->check_accounts();
}

}  // namespace
}  // namespace heddle::sm
