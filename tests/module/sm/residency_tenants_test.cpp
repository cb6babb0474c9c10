// SPDX-License-Identifier: Apache-2.0
// A residency that starts and ends warps one by one: a block for which not all registers are free comes in part, and
// the SM starts its other warps as registers come free.
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "core/error.h"
#include "gpu/gpu.h"
#include "sm/residency/residency.h"
#include "sm/sm.h"
#include "sm_fixture.h"

namespace heddle::sm {
namespace {

class ByWarp final : public Residency {
 public:
  using Residency::Residency;
  static ResidencyTraits traits() { return {.by_granule = true}; }
  unsigned room(const BlockNeed& need) const override {
    return in_part_ || !used_.fits_but_for_granules(need) ? 0 : used_.granules_that_fit(need);
  }
  void come(const BlockKey& block, const BlockNeed& need, unsigned granules) override {
    used_.take_block(need);
    used_.take_granules(need, granules);
    held_[{block.launch, block.block}] = {need, granules};
    if (granules < need.granules) in_part_ = GranuleRange{block, granules, 1};
  }
  void granule_ended(const BlockKey& block) override {
    Held& held = held_.at({block.launch, block.block});
    used_.release_granules(held.need, 1);
    --held.granules;
  }
  void leave(const BlockKey& block, const BlockNeed& need) override {
    const auto held = held_.find({block.launch, block.block});
    used_.release_granules(need, held->second.granules);
    used_.release_block(need);
    held_.erase(held);
  }
  std::optional<GranuleRange> start_more() override {
    if (!in_part_) return std::nullopt;
    Held& held = held_.at({in_part_->block.launch, in_part_->block.block});
    if (used_.granules_that_fit(held.need) == 0) return std::nullopt;
    used_.take_granules(held.need, 1);
    ++held.granules;
    const GranuleRange started = *in_part_;
    if (++in_part_->first == held.need.granules) in_part_.reset();
    return started;
  }

 private:
  struct Held {
    BlockNeed need;
    unsigned granules = 0;  ///< started and not ended
  };
  std::map<std::pair<std::uint64_t, std::uint64_t>, Held> held_;
  std::optional<GranuleRange> in_part_;  ///< the next granule of the block that came in part
};
HEDDLE_REGISTER(Residency, ByWarp, "test_by_warp", "warps start and end one by one", "tests");

/// Warp w of a block counts to 20 (w + 1); the sum goes to po[thread of the grid].
const char* const kCounting = R"(
  .reg .pred %p<2>; .reg .b32 %r<12>; .reg .b64 %rd<4>;
  mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;
  mad.lo.u32 %r4, %r2, %r3, %r1;
  shr.u32 %r5, %r1, 5; add.u32 %r5, %r5, 1; mul.lo.u32 %r5, %r5, 20;
  mov.u32 %r6, 0; mov.u32 %r7, 0;
LOOP:
  add.u32 %r6, %r6, 1; add.u32 %r7, %r7, %r6;
  setp.lt.u32 %p1, %r6, %r5;
  @%p1 bra LOOP;
  BARRIER
  ld.param.u64 %rd1, [po]; mad.wide.u32 %rd2, %r4, 4, %rd1;
  st.global.u32 [%rd2], %r7;
  ret;
)";

class ResidencyTenants : public SmTest {
 protected:
  static constexpr unsigned kBlocks = 12, kThreads = 128;

  /// Cycles of 12 blocks of four warps on an SM whose registers suffice for six warps.
  Cycle count(const std::string& policy, const std::string& barrier) {
    sm().residency.policy.choose(policy);
    build_for_six_warps();
    std::string text = kCounting;
    text.replace(text.find("BARRIER"), 7, barrier);
    alignas(128) std::array<std::uint32_t, kBlocks * kThreads> sums{};
    const Cycle cycles = run(kernel(".param .u64 po", text), {kBlocks}, {kThreads}, {address(sums.data())});
    for (unsigned i = 0; i < sums.size(); ++i) {
      const unsigned n = 20 * (i % kThreads / 32 + 1);
      EXPECT_EQ(sums[i], n * (n + 1) / 2) << i;
    }
    EXPECT_EQ(counted("issue.blocks_finished"), kBlocks);
    EXPECT_EQ(counted("issue.most_contexts"), policy == "by_block" ? 4 : 6);
    gpu_->sms().front()->issue().slot_account().check();
    return cycles;
  }
  void build_for_six_warps() {
    // The kernel needs up to 8 registers a thread.
    sm().residency.register_unit = 256;
    sm().residency.registers = 6 * 256;
    build();
  }
};

TEST_F(ResidencyTenants, ByBlockOneBlockAtATimeFits) { EXPECT_EQ(count("by_block", ""), 22227u); }
TEST_F(ResidencyTenants, ByWarpTheNextBlockStartsInPart) { EXPECT_EQ(count("test_by_warp", ""), 10963u); }
TEST_F(ResidencyTenants, WarpsWaitAtABarrierForThoseThatHaveYetToStart) {
  EXPECT_EQ(count("test_by_warp", "bar.sync 0;"), 22187u);
}

TEST_F(ResidencyTenants, AGroupingThatMixesWarpsOfABlockIsRefused) {
  sm().residency.policy.choose("test_by_warp");
  sm().grouping.choose("thread_block_compaction");
  sm().hazards.choose("full_masks");
  try {
    build();
    FAIL() << "a warp of a compacted block does not end by itself";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::configuration);
    EXPECT_NE(std::string(error.what()).find("sm.residency.policy: test_by_warp"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace heddle::sm
