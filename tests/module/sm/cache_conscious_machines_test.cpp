// SPDX-License-Identifier: Apache-2.0
// The victim tag array as it hears of a cache, and cache-conscious scheduling on a small machine: loads held in exactly
// the cycles expected, and warps that others wait for. Static limits by a profile.
// Source: docs/sources/cache-conscious-and-divergence-aware.md, 2.2, 2.3 and 3.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <map>

#include "cached_side.h"
#include "core/file.h"
#include "gpu/gpu.h"
#include "memory/cache/cache_parameters.h"
#include "memory/cache/tag_array.h"
#include "sm/issue/issue_kit.h"
#include "sm/scheduling/locality/gated_load.h"
#include "sm/scheduling/locality/victim_tag_array.h"
#include "sm/sm.h"
#include "sm_fixture.h"

namespace heddle::sm {
namespace {

// -- access shaping

/// Hits of a fully associative cache of four lines, whose warps each access four lines of their own at a time.
unsigned hits_of(const std::vector<unsigned>& order) {
  memory::TagArray tags({.sets = 1, .ways = 4, .line_bytes = 128});
  unsigned hits = 0;
  for (const unsigned warp : order) {
    for (std::uint64_t line = 4 * warp; line < 4 * warp + 4; ++line) {
      if (const auto place = tags.find(0, line); place != memory::TagArray::kNone) {
        ++hits;
        tags.touch(place);
        continue;
      }
      const auto room = tags.make_room(0);
      tags.allocate(room, line, {SmId(0), WarpId(warp)});
      tags.fill(room, 1);
    }
  }
  return hits;
}

TEST(AccessShaping, WorkedExample_CC1_TheOrderOfWarpsDecidesAboutHits) {
  EXPECT_EQ(hits_of({0, 1, 2, 0, 1, 2}), 0u);
  EXPECT_EQ(hits_of({0, 0, 1, 1, 2, 2}), 12u);
}

// -- the victim tag array

class VictimTags : public ::testing::Test, protected LostLocality {
 protected:
  using What = CacheEvent::What;
  void build(const VictimTagParameters& parameters) {
    array_ = std::make_unique<VictimTagArray>("victim_tags", context_, parameters, 4, "test");
    array_->scheduler.bind(*this);
    context_.events.l1d_built.tell({.lines = 2, .line_bytes = 128});
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  void tell(What what, unsigned warp, char line, unsigned owner, AccessKind kind = AccessKind::load) {
    context_.events.l1d.tell(
        {what, kind, static_cast<std::uint64_t>(line) * 128, {SmId(0), WarpId(warp)}, {SmId(0), WarpId(owner)}});
  }
  void evicted(unsigned warp, char line, unsigned owner) {
    tell(What::evict, warp, line, owner, AccessKind::write_back);
  }
  /// A load that misses; returns the number of times that the scheduler heard of lost locality.
  unsigned miss(unsigned warp, char line, What what = What::miss) {
    lost_.clear();
    tell(what, warp, line, warp);
    for (const unsigned of : lost_) EXPECT_EQ(of, warp);
    return static_cast<unsigned>(lost_.size());
  }
  double counted(const std::string& name) { return services_.statistics.total().value("sm0.victim_tags." + name); }
  bool holds(unsigned warp, char line) { return miss(warp, line, What::merge) != 0; }

  ClockTree tree_;
  ClockDomain core_{"core", tree_, 1000000};
  ClockGate gate_{core_};
  Services services_;
  StatisticsOwner owner_{services_.statistics, "sm0", "sm"};
  SmParameters parameters_;
  SmContext context_{SmId(0), parameters_, gate_, services_, owner_};
  std::unique_ptr<VictimTagArray> array_;
  std::vector<unsigned> lost_;

 private:
  void lost(const CacheEvent& event, Cycle) override { lost_.push_back(event.requester.warp); }
};

TEST_F(VictimTags, WorkedExample_CC6_Trace) {
  build({.entries = 0});
  EXPECT_EQ(miss(0, 'A'), 0u);
  EXPECT_EQ(miss(0, 'B'), 0u);
  evicted(1, 'A', 0);
  EXPECT_EQ(miss(1, 'C'), 0u);
  evicted(0, 'B', 0);
  EXPECT_EQ(miss(0, 'A'), 1u);
  evicted(1, 'C', 1);
  EXPECT_EQ(miss(1, 'B'), 0u) << "only warp 0 has lost it";
  evicted(1, 'A', 0);
  EXPECT_EQ(miss(1, 'C'), 1u);
  EXPECT_EQ(counted("refreshed"), 1) << "A is lost again";
  EXPECT_EQ(counted("hits"), 2);
  EXPECT_EQ(counted("hits_by_warp[w0]"), 1);
  EXPECT_EQ(counted("hits_by_warp[w1]"), 1);
  // A store finds the line in the cache, which evicts it.
  tell(What::write, 0, 'C', 1, AccessKind::store);
  evicted(0, 'C', 1);
  EXPECT_EQ(counted("removed"), 1);
  miss(0, 'D');
  EXPECT_FALSE(holds(1, 'C')) << "what a store evicts makes no room";
  EXPECT_TRUE(holds(0, 'A')) << "a tag that was found stays";
  EXPECT_TRUE(holds(0, 'B'));
}

TEST_F(VictimTags, AStoreRemovesTheLineOfEveryWarp) {
  build({});
  for (const unsigned warp : {0u, 1u, 2u}) {
    evicted(3, 'A', warp);
    miss(3, 'B');
  }
  tell(What::write, 3, 'A', 3, AccessKind::load);
  EXPECT_TRUE(holds(0, 'A')) << "a load that is passed on is no store";
  tell(What::write, 3, 'A', 3, AccessKind::atomic);
  for (const unsigned warp : {0u, 1u, 2u}) EXPECT_FALSE(holds(warp, 'A')) << warp;
}

TEST_F(VictimTags, AMissThatMergesOnlyProbes) {
  build({});
  evicted(1, 'A', 0);
  miss(1, 'B');
  EXPECT_EQ(miss(0, 'A', What::merge), 1u);
  EXPECT_EQ(counted("inserted"), 1);
  EXPECT_EQ(counted("probes"), 2);
}

TEST_F(VictimTags, OnlyLoadsReportLostLocality) {
  build({});
  evicted(0, 'A', 0);
  tell(What::miss, 0, 'B', 0, AccessKind::store);
  tell(What::miss, 0, 'A', 0, AccessKind::store);
  EXPECT_TRUE(lost_.empty());
  EXPECT_EQ(counted("probes"), 0);
  EXPECT_TRUE(holds(0, 'A')) << "what a store replaces is lost, too";
}

TEST_F(VictimTags, HitsAreOwnOrOfOthers) {
  build({});
  tell(What::hit, 0, 'A', 0);
  tell(What::hit, 0, 'A', 1);
  tell(What::hit, 0, 'A', 1, AccessKind::store);
  EXPECT_EQ(counted("own_hits"), 1);
  EXPECT_EQ(counted("other_hits"), 1);
}

TEST_F(VictimTags, TheTagsOfAWarpThatEndsStayUnlessTheyAreToBeCleared) {
  build({});
  evicted(1, 'A', 0);
  miss(1, 'B');
  array_->warp_ended(WarpId(0));
  EXPECT_TRUE(holds(0, 'A'));
}

TEST_F(VictimTags, TheTagsOfAWarpThatEndsAreCleared) {
  build({.clear_on_warp_exit = true});
  evicted(1, 'A', 0);
  miss(1, 'B');
  array_->warp_ended(WarpId(0));
  EXPECT_FALSE(holds(0, 'A'));
}

// -- on a machine

/// When things happened, by warp.
struct Watched {
  std::map<unsigned, std::vector<Cycle>> misses;  ///< loads that missed the L1 data cache
  std::map<unsigned, std::vector<Cycle>> loads;   ///< gated loads that issued
} watched;

class Recorder final : public Veto {
 public:
  explicit Recorder(const SchedulerShape&) {}
  void build(SmSite& site) override {
    site.events.l1d.add([&site](const CacheEvent& event) {
      if (event.what == CacheEvent::What::miss) watched.misses[event.requester.warp].push_back(site.gate.now());
    });
    site.events.issued.add([&site](const Packet& packet) {
      if (is_gated_load(*packet.op)) watched.loads[packet.warp].push_back(site.gate.now());
    });
  }
  const ContextSet& held(const ContextTable&) override { return none_; }

 private:
  ContextSet none_;
};
HEDDLE_REGISTER(Veto, Recorder, "test_recorder", "records loads", "tests");

class CacheConsciousMachines : public SmTest {
 protected:
  void SetUp() override {
    SmTest::SetUp();
    watched = {};
    l1d_.tags.sets = 1;
    l1d_.tags.ways = 1;
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] = static_cast<std::uint32_t>(i);
  }
  void use(std::vector<std::string> settings) {
    settings.insert(settings.begin(),
                    {R"(sm.vetoes=["cache_conscious", "test_recorder"])", "sm.cache_conscious.k_throttle=1024"});
    sm() = parameters_of("small", settings).sm_classes.front().sm;
    sm().schedulers = 2;  // a slot for each warp
  }
  /// rd1: a line; r1: the thread; r2: its warp. A trip of wait() takes 19 cycles.
  Cycle run_body(const std::string& body, unsigned threads) {
    build_on(cached_side(memory_latency_, l1d_, services_));
    const Cycle cycles = run(kernel(".param .u64 pa",
                                    ".reg .pred %p<8>; .reg .b32 %r<32>; .reg .b64 %rd<16>; mov.u32 %r1, %tid.x; "
                                    "shr.u32 %r2, %r1, 5; ld.param.u64 %rd1, [pa]; " +
                                        body + " ret;"),
                             {1}, {threads}, {address(words())});
    gpu_->sms().front()->issue().slot_account().check();
    EXPECT_EQ(counted("issue.blocks_finished"), 1);
    return cycles;
  }
  static std::string wait(unsigned trips, const std::string& label) {
    return fmt::format("mov.u32 %r9, 0; {0}: add.u32 %r9, %r9, 1; setp.lt.u32 %p7, %r9, {1}; @%p7 bra {0}; ", label,
                       trips);
  }
  /// Loses the first line, and misses it.
  static std::string lose() {
    return "ld.global.u32 %r3, [%rd1]; add.u32 %r4, %r3, 1; ld.global.u32 %r3, [%rd1+128]; add.u32 %r4, %r4, %r3; "
           "ld.global.u32 %r3, [%rd1]; add.u32 %r4, %r4, %r3; ";
  }
  std::uint32_t* words() { return reinterpret_cast<std::uint32_t*>((address(words_.data()) + 127) / 128 * 128); }

  memory::CacheParameters l1d_;
  std::vector<std::uint32_t> words_ = std::vector<std::uint32_t>(4096);
};

/// Warp 0 loses a line, and computes for a long time; warp 1 wants to load meanwhile.
std::string loser_and_loader(const std::string& lose, const std::string& wait_0, const std::string& wait_1,
                             const std::string& end = "") {
  return "setp.eq.u32 %p1, %r2, 1; @%p1 bra OTHER; " + lose + wait_0 + "bra END; OTHER: " + wait_1 +
         "ld.global.u32 %r5, [%rd1+512]; add.u32 %r6, %r5, 1; END: " + end;
}

class HeldFor : public CacheConsciousMachines, public ::testing::WithParamInterface<unsigned> {};

TEST_P(HeldFor, ALoadIsHeldUntilTheScoreOfTheOtherWarpHasDecayed) {
  const unsigned latency = GetParam();
  use({fmt::format("sm.cache_conscious.latency={}", latency)});
  run_body(loser_and_loader(lose(), wait(80, "SPIN"), wait(25, "DELAY")), 64);
  ASSERT_EQ(watched.misses[0].size(), 3u);
  ASSERT_EQ(watched.loads[1].size(), 1u);
  // The score is 1023 from the next cycle on, decays in that cycle, too, and blocks as long as it is 200 or more.
  EXPECT_EQ(watched.loads[1][0] - watched.misses[0][2], latency + 823);
  EXPECT_EQ(counted("victim_tags.hits"), 1);
  EXPECT_EQ(counted("cache_conscious.held_loads"), 1);
  EXPECT_EQ(counted("cache_conscious.raised"), 1);
  EXPECT_EQ(counted("cache_conscious.let_go"), 0);
  const double held = counted("cache_conscious.descheduled_cycles");
  EXPECT_GT(held, 100);
  EXPECT_LT(held, 823);
  EXPECT_EQ(counted("cache_conscious.held_load_cycles"), held);
  EXPECT_EQ(counted("issue.slots.held"), held);
}
INSTANTIATE_TEST_SUITE_P(Latency, HeldFor, ::testing::Values(1u, 5u));

TEST_F(CacheConsciousMachines, DecayMayTakeSeveralCyclesAPoint) {
  use({"sm.cache_conscious.decay_cycles=2", "sm.cache_conscious.decay=4"});
  run_body(loser_and_loader(lose(), wait(80, "SPIN"), wait(25, "DELAY")), 64);
  ASSERT_EQ(watched.misses[0].size(), 3u);
  // 824 points in 206 steps, the first one in the cycle after the miss if that is even.
  const Cycle raised = watched.misses[0][2] + 1;
  EXPECT_EQ(watched.loads[1][0], (raised + 1) / 2 * 2 + 2 * 205);
}

TEST_F(CacheConsciousMachines, WithoutLostLocalityNothingIsHeld) {
  l1d_.tags.ways = 4;
  use({});
  run_body(loser_and_loader(lose(), wait(50, "SPIN"), wait(10, "DELAY")), 64);
  EXPECT_EQ(counted("victim_tags.hits"), 0);
  EXPECT_EQ(counted("victim_tags.own_hits"), 1);
  EXPECT_EQ(counted("cache_conscious.held_loads"), 0);
  EXPECT_EQ(counted("issue.slots.held"), 0);
  const double withheld =
      counted("cache_conscious.active_warp_cycles") - counted("cache_conscious.admitted_warp_cycles");
  EXPECT_LE(withheld, 2) << "the cutoff follows the number of warps a cycle later";
}

TEST_F(CacheConsciousMachines, OtherInstructionsAreNotHeld) {
  use({});
  run_body("setp.eq.u32 %p1, %r2, 1; @%p1 bra OTHER; " + lose() + wait(80, "SPIN") + "bra END; OTHER: " +
               wait(25, "DELAY") + "st.global.u32 [%rd1+512], %r1; atom.global.add.u32 %r5, [%rd1+1024], 1; END: ",
           64);
  EXPECT_EQ(counted("victim_tags.hits"), 1);
  EXPECT_EQ(counted("issue.slots.held"), 0);
}

TEST_F(CacheConsciousMachines, AWarpThatEndsHoldsNobody) {
  use({});
  run_body(loser_and_loader(lose(), "", wait(25, "DELAY")), 64);
  ASSERT_EQ(watched.misses[0].size(), 3u);
  EXPECT_LT(watched.loads[1][0] - watched.misses[0][2], 400u);
}

TEST_F(CacheConsciousMachines, WorkedExample_CC8_WarpsAtABarrierWaitForOneThatIsHeldUntilTheScoresHaveDecayed) {
  use({});
  const Cycle cycles = run_body(loser_and_loader(lose(), "", wait(25, "DELAY"), "bar.sync 0; "), 64);
  EXPECT_EQ(watched.loads[1][0] - watched.misses[0][2], 824u);
  EXPECT_LT(cycles, watched.misses[0][2] + 824 + 2 * memory_latency_ + 200);
}

TEST_F(CacheConsciousMachines, AllHeldEndsWithDecay) {
  // With this rule the loser itself is beyond the cutoff.
  use({"sm.cache_conscious.cutoff_rule=inclusive"});
  run_body(lose() + "ld.global.u32 %r5, [%rd1+256]; add.u32 %r6, %r5, 1; ", 32);
  ASSERT_EQ(watched.misses[0].size(), 4u);
  ASSERT_EQ(watched.loads[0].size(), 4u);
  EXPECT_EQ(watched.loads[0][3] - watched.misses[0][2], 923u) << "until the score is 100";
}

TEST_F(CacheConsciousMachines, AHeldPathIsLetGoWhenAnotherOfItsWarpWaitsForIt) {
  // Warp 1 loses a line. A path of warp 0 waits for the other, whose load is held.
  use({"sm.grouping=warp_subdivision", "sm.hazards=full_masks"});
  run_body("setp.eq.u32 %p1, %r2, 1; @%p1 bra OTHER; " + wait(25, "DELAY") +
               "and.b32 %r7, %r1, 31; setp.lt.u32 %p2, %r7, 16; @!%p2 bra LOADS; bar.warp.sync 0xffffffff; bra END; "
               "LOADS: " +
               wait(4, "LATE") +
               "ld.global.u32 %r5, [%rd1+512]; add.u32 %r6, %r5, 1; bar.warp.sync 0xffffffff; bra END; OTHER: " +
               lose() + wait(80, "SPIN") + "END: ",
           64);
  ASSERT_EQ(watched.misses[1].size(), 3u);
  ASSERT_EQ(watched.loads[0].size(), 1u);
  EXPECT_GT(watched.loads[0][0], watched.misses[1][2] + 100);
  EXPECT_LT(watched.loads[0][0], watched.misses[1][2] + 700);
  EXPECT_EQ(counted("cache_conscious.let_go"), 1);
}

// -- an active pool, of one

class ActivePool : public CacheConsciousMachines {
 protected:
  /// Two warps load a line, meet, and load it three times more.
  void run_pool(const std::string& leaves_on) {
    l1d_.tags.ways = 4;
    sm() = parameters_of("small", {R"(sm.vetoes=["test_recorder"])", "sm.order=two_level_active",
                                   "sm.two_level_active.active=1", "sm.two_level_active.leaves_on=" + leaves_on})
               .sm_classes.front()
               .sm;
    sm().schedulers = 1;
    const std::string load = "ld.global.u32 %r3, [%rd1]; add.u32 %r4, %r4, %r3; ";
    run_body("mov.u32 %r4, 0; " + load + "bar.sync 0; " + load + load + load, 64);
    for (unsigned warp = 0; warp < 2; ++warp) ASSERT_EQ(watched.loads[warp].size(), 4u);
    EXPECT_LT(watched.loads[1][0] - watched.loads[0][0], memory_latency_)
        << "warp 0 has left the pool: its load misses";
  }
  /// Whether one warp makes all of its later loads before the other.
  bool later_loads_stay_together() {
    const auto &a = watched.loads[0], &b = watched.loads[1];
    return a.back() < b[1] || b.back() < a[1];
  }
};

TEST_F(ActivePool, AWarpThatHitsLeavesIt) {
  run_pool("wait");
  EXPECT_FALSE(later_loads_stay_together());
}

TEST_F(ActivePool, AWarpMayLeaveItOnMissesOnly) {
  run_pool("miss");
  EXPECT_TRUE(later_loads_stay_together());
}

TEST_F(CacheConsciousMachines, CountsWhatIsLostAfterAWarpWasHeld) {
  // Warp 1 brings in a line, is held, and then finds that the line is gone.
  use({});
  run_body("setp.eq.u32 %p1, %r2, 1; @%p1 bra OTHER; " + wait(20, "LATER") + lose() + wait(80, "SPIN") +
               "bra END; OTHER: ld.global.u32 %r5, [%rd1+512]; add.u32 %r6, %r5, 1; " + wait(45, "DELAY") +
               "ld.global.u32 %r5, [%rd1+512]; add.u32 %r6, %r5, 1; END: ",
           64);
  EXPECT_EQ(counted("victim_tags.hits"), 2);
  EXPECT_EQ(counted("cache_conscious.held_loads"), 1);
  EXPECT_EQ(counted("cache_conscious.lost_after_descheduling"), 1);
}

// -- static limits

TEST_F(CacheConsciousMachines, WorkedExample_SW1_ALimitIsLiftedWhileTheLimitedWarpsAreAtABarrier) {
  use({R"(sm.vetoes=["static_limit", "test_recorder"])", "sm.static_limit.limit=2"});
  run_body(
      "ld.global.u32 %r3, [%rd1]; add.u32 %r4, %r3, 1; bar.sync 0; ld.global.u32 %r3, [%rd1+128]; "
      "add.u32 %r4, %r4, %r3; ",
      128);
  for (unsigned w = 0; w < 4; ++w) ASSERT_EQ(watched.loads[w].size(), 2u) << w;
  const auto last_of = [](unsigned load) { return std::max(watched.loads[0][load], watched.loads[1][load]); };
  for (const unsigned w : {2u, 3u}) {
    EXPECT_GT(watched.loads[w][0], last_of(0) + memory_latency_) << "once warps 0 and 1 are at the barrier";
    EXPECT_GT(watched.loads[w][1], last_of(1) + memory_latency_) << "once warps 0 and 1 have ended";
  }
}

class LimitProfile : public CacheConsciousMachines {
 protected:
  std::string profile(const std::string& kernel, unsigned limit) {
    file_ = fmt::format("{}/limits-{}.json", testing::TempDir(), getpid());
    write_file(file_, fmt::format(R"({{"format": 1, "kernels": [{{"kernel": "{}", "warp_limit": {}, "loops": []}}]}})",
                                  kernel, limit));
    return "sm.static_limit.profile=" + file_;
  }
  void TearDown() override { std::filesystem::remove(file_); }
  /// Cycles between the first and the last load of four warps.
  Cycle spread() {
    run_body("ld.global.u32 %r3, [%rd1]; add.u32 %r4, %r3, 1; ", 128);
    return watched.loads[3].at(0) - watched.loads[0].at(0);
  }
  std::string file_;
};

TEST_F(LimitProfile, GivesTheLimitOfAKernel) {
  use({R"(sm.vetoes=["static_limit", "test_recorder"])", profile("k", 1)});
  EXPECT_GT(spread(), 3 * memory_latency_);
}

TEST_F(LimitProfile, AKernelThatIsNotInItHasNoLimit) {
  use({R"(sm.vetoes=["static_limit", "test_recorder"])", "sm.static_limit.limit=1", profile("other", 1)});
  testing::internal::CaptureStderr();
  EXPECT_LT(spread(), memory_latency_);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("has no profile of kernel 'k'"), std::string::npos) << said;
}

}  // namespace
}  // namespace heddle::sm
