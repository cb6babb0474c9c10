// SPDX-License-Identifier: Apache-2.0
// Divergence-aware scheduling on a small machine: who may load, from a profile and learned; and warps that wait for
// others whose loads are held.
// Source: docs/sources/cache-conscious-and-divergence-aware.md, 2.5 to 2.7.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <vector>

#include "cached_side.h"
#include "core/error.h"
#include "core/file.h"
#include "gpu/gpu.h"
#include "isa/analysis/loop_extents.h"
#include "memory/cache/cache_parameters.h"
#include "sm/scheduling/locality/gated_load.h"
#include "sm/scheduling/locality/kernel_profile.h"
#include "sm/sm.h"
#include "sm_fixture.h"
#include "tb/device_port.h"

namespace heddle::sm {
namespace {

constexpr unsigned kWordsPerLine = 32;

/// Each thread sums the words of a line of its own, `trips` of them. rd1: words_, rd4: the thread's line.
std::string row_sums(unsigned trips, const std::string& in_loop = "") {
  return "mul.wide.u32 %rd3, %r1, 128; add.u64 %rd4, %rd1, %rd3; mov.u64 %rd5, %rd4; mov.u32 %r3, 0; mov.u32 %r4, 0; "
         "LOOP: ld.global.u32 %r5, [%rd5]; add.u32 %r4, %r4, %r5; " +
         in_loop + "add.u64 %rd5, %rd5, 4; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, " + std::to_string(trips) +
         "; @%p1 bra LOOP; st.global.u32 [%rd4], %r4; ";
}

class DivergenceAwareMachines : public SmTest {
 protected:
  void SetUp() override {
    SmTest::SetUp();
    sm().schedulers = 1;
    sm().order.choose("gto");
    l1d_.tags.sets = 8;
    l1d_.tags.ways = 8;
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] = static_cast<std::uint32_t>(i);
  }
  void TearDown() override {
    if (!file_.empty()) std::filesystem::remove(file_);
  }

  static std::string whole(const std::string& body) {
    return kernel(".param .u64 pa",
                  ".reg .pred %p<8>; .reg .b32 %r<32>; .reg .b64 %rd<16>; .shared .align 4 .b32 met; "
                  "mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [pa]; " +
                      body + " ret;");
  }
  /// Sets the machine's veto; classes: "detected", or "profiled" by a file that says of every loop what `locality` says
  /// and that all loads diverge, each a line of its own. more: a further setting of the veto.
  void use(
      const std::string& classes, const std::string& body = "", const std::string& more = "",
      const std::function<bool(const isa::LoopExtent&)>& locality = [](const auto&) { return true; }) {
    std::vector<std::string> settings{R"(sm.vetoes=["divergence_aware"])", "sm.divergence_aware.classes=" + classes,
                                      "sm.divergence_aware.associativity_factor=1"};
    if (!more.empty()) settings.push_back("sm.divergence_aware." + more);
    if (classes == "profiled" && !body.empty()) {
      const tb::NoSymbols symbols;
      const auto lowered = isa::Module::parse(whole(body), "test.ptx")->lower("k", symbols);
      const isa::LoopExtents loops(*lowered);
      KernelProfile profile{"k", {}, {}};
      for (const isa::LoopExtent& loop : loops.all()) {
        LoopProfile& of = profile.loops.emplace_back(LoopProfile{loop.begin, 0, locality(loop), {}});
        for (const isa::MicroOp& op : lowered->ops) {
          if (is_gated_load(op) && loops.innermost(op.pc) == &loop)
            of.loads.push_back({op.pc, 0, true, static_cast<std::uint32_t>(of.loads.size())});
        }
      }
      file_ = fmt::format("{}/loops-{}.json", testing::TempDir(), getpid());
      write_file(file_, KernelProfiles({profile}).text());
      settings.push_back("sm.divergence_aware.profile=" + file_);
    }
    const auto loaded = parameters_of("small", settings);
    sm().vetoes = loaded.sm_classes.front().sm.vetoes;
  }
  Cycle run_body(const std::string& body, unsigned threads) {
    build_on(cached_side(memory_latency_, l1d_, services_));
    const Cycle cycles = run(whole(body), {1}, {threads}, {address(words())});
    gpu_->sms().front()->issue().slot_account().check();
    return cycles;
  }
  void expect_sums(unsigned threads, unsigned trips) {
    const std::uint32_t base = static_cast<std::uint32_t>(words() - words_.data());
    for (unsigned t = 0; t < threads; ++t) {
      const std::uint32_t first = base + t * kWordsPerLine;
      ASSERT_EQ(words()[t * kWordsPerLine], trips * first + trips * (trips - 1) / 2) << t;
    }
  }
  std::uint32_t* words() { return reinterpret_cast<std::uint32_t*>((address(words_.data()) + 127) / 128 * 128); }

  memory::CacheParameters l1d_;
  std::string file_;
  std::vector<std::uint32_t> words_ = std::vector<std::uint32_t>(1024 * kWordsPerLine + 64);
};

// -- what is shown

/// The values of all signals and of the entries of all structures that waveforms show.
std::vector<std::uint64_t> shown(const Services& services) {
  std::vector<std::uint64_t> values;
  for (const ProbeGroup* group : services.probes.groups()) {
    for (const ProbeSignal& signal : group->signals()) {
      if (!signal.read) continue;
      std::vector<std::uint64_t> words(signal.words());
      signal.read(words.data());
      values.insert(values.end(), words.begin(), words.end());
    }
  }
  for (const Structure* structure : services.structures.all()) {
    for (std::size_t entry = 0; structure->traced() && entry < structure->entries(); ++entry) {
      for (std::size_t field = 0; field < structure->fields().size(); ++field)
        values.push_back(structure->reader()(entry, field));
    }
  }
  return values;
}

// Results are written while a program runs, when so much time of the host has passed.
TEST_F(DivergenceAwareMachines, ReadingStatisticsChangesNothingThatIsShown) {
  use("detected");
  build_on(cached_side(memory_latency_, l1d_, services_));
  unsigned differ = 0, settled = 0;
  gpu_->core_clock().on_every_cycle([&](Cycle) {
    ++settled;
    const auto before = shown(services_);
    gpu_->settle();
    differ += shown(services_) == before ? 0 : 1;
  });
  run(whole(row_sums(32)), {1}, {256}, {address(words())});
  EXPECT_GT(settled, 50u);
  EXPECT_EQ(differ, 0u);
}

// -- throttling

TEST_F(DivergenceAwareMachines, WithoutItWarpsEvictEachOthersLines) {
  run_body(row_sums(32), 256);
  EXPECT_EQ(counted("l1d.read_misses"), 32 * 256) << "every trip loads its line anew";
  expect_sums(256, 32);
}

TEST_F(DivergenceAwareMachines, AProfileLetsInAsManyWarpsAsFit) {
  use("profiled", row_sums(32));
  run_body(row_sums(32), 256);
  EXPECT_EQ(counted("l1d.read_misses"), 256) << "64 lines hold those of two warps: each line is loaded once";
  EXPECT_EQ(counted("load_scheduler.most_lines"), 8 * 32);
  EXPECT_EQ(counted("load_scheduler.predictions"), 8 * 32);
  EXPECT_GT(counted("issue.slots.held"), 0);
  EXPECT_GT(counted("load_scheduler.blocked"), counted("load_scheduler.admitted")) << "mostly two of eight are in";
  EXPECT_EQ(counted("load_scheduler.let_go"), 0);
  expect_sums(256, 32);
}

// The warps that are not let in may not bring in the lines of their first trip either.
TEST_F(DivergenceAwareMachines, ALoadThatBeginsAnInnerLoopWaitsForItsFootprint) {
  constexpr unsigned kTrips = 8, kRounds = 3;
  const std::string body = fmt::format(
      "mul.wide.u32 %rd3, %r1, 128; add.u64 %rd4, %rd1, %rd3; mov.u32 %r4, 0; mov.u32 %r6, 0; "
      "OUTER: mov.u64 %rd5, %rd4; mov.u32 %r3, 0; "
      "LOOP: ld.global.u32 %r5, [%rd5]; add.u32 %r4, %r4, %r5; add.u64 %rd5, %rd5, 4; "
      "add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, {}; @%p1 bra LOOP; "
      "add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, {}; @%p2 bra OUTER; st.global.u32 [%rd4], %r4; ",
      kTrips, kRounds);
  use("profiled", body, "", [](const isa::LoopExtent& loop) { return loop.depth == 2; });
  run_body(body, 256);
  EXPECT_EQ(counted("l1d.read_misses"), 256) << "each line is loaded once";
  const auto base = static_cast<std::uint32_t>(words() - words_.data());
  for (unsigned t = 0; t < 256; ++t) {
    ASSERT_EQ(words()[t * kWordsPerLine], kRounds * (kTrips * (base + t * kWordsPerLine) + kTrips * (kTrips - 1) / 2))
        << t;
  }
}

TEST_F(DivergenceAwareMachines, WhatIsLearnedThrottlesToo) {
  use("detected");
  run_body(row_sums(32), 256);
  EXPECT_GE(counted("load_classifier.samplings"), 1);
  EXPECT_GT(counted("load_classifier.captured") + counted("load_classifier.lost"), 0);
  EXPECT_GE(counted("load_classifier.loads"), counted("load_classifier.captured") + counted("load_classifier.lost"));
  EXPECT_EQ(counted("load_classifier.no_entry"), 0);
  EXPECT_GT(counted("load_scheduler.blocked"), 0);
  EXPECT_LT(counted("l1d.read_misses"), 32 * 256 / 4) << "far fewer than without, although it had to learn first";
  expect_sums(256, 32);
}

TEST_F(DivergenceAwareMachines, LoopsWithoutLocalityAreLeftAlone) {
  use("profiled", row_sums(32), "", [](const auto&) { return false; });
  const Cycle with = run_body(row_sums(32), 256);
  EXPECT_EQ(counted("load_scheduler.predictions"), 0);
  EXPECT_EQ(counted("issue.slots.held"), 0);
  EXPECT_GT(with, 0u);
}

TEST_F(DivergenceAwareMachines, FewThreadsNeedFewLines) {
  use("profiled", row_sums(4));
  run_body(row_sums(4), 16);
  EXPECT_EQ(counted("load_scheduler.most_lines"), 16);
}

TEST_F(DivergenceAwareMachines, WithoutALookAtControlFlowAllThreadsCount) {
  use("profiled", row_sums(4), "ignore_control_flow=true");
  run_body(row_sums(4), 16);
  EXPECT_EQ(counted("load_scheduler.most_lines"), 32);
}

TEST_F(DivergenceAwareMachines, VictimTagsBesideAProfileOnlyCount) {
  use("profiled", row_sums(32), "count_lost_locality=true");
  run_body(row_sums(32), 256);
  EXPECT_EQ(counted("l1d.read_misses"), 256);
  EXPECT_EQ(counted("victim_tags.probes"), 256);
  EXPECT_EQ(counted("victim_tags.hits"), 0) << "nothing was lost";
}

TEST_F(DivergenceAwareMachines, NestedLoopsKeepTheInnerOnesFootprint) {
  // Four trips of a loop around a loop of eight.
  const std::string body =
      "mul.wide.u32 %rd3, %r1, 128; add.u64 %rd4, %rd1, %rd3; mov.u32 %r3, 0; mov.u32 %r4, 0; "
      "OUTER: mov.u32 %r6, 0; mov.u64 %rd5, %rd4; "
      "INNER: add.u32 %r6, %r6, 1; ld.global.u32 %r5, [%rd5]; add.u32 %r4, %r4, %r5; add.u64 %rd5, %rd5, 4; "
      "setp.lt.u32 %p1, %r6, 8; @%p1 bra INNER; "
      "add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, 4; @%p2 bra OUTER; st.global.u32 [%rd4], %r4; ";
  use("profiled", body);
  run_body(body, 128);
  // A warp's first trip of the outer loop has no load and so no footprint, the other three have that of the inner.
  EXPECT_EQ(counted("load_scheduler.predictions"), 4 * (4 * 8 + 3));
  EXPECT_EQ(counted("load_scheduler.kept_inner"), 4 * 3);
  EXPECT_EQ(counted("l1d.read_misses"), 128);
}

TEST_F(DivergenceAwareMachines, ALoadOutsideLoopsGetsTheFootprintOfTheClosest) {
  // The second half of the warps loads what an address depends on before it enters the loop.
  const std::string body = "mov.u32 %r7, 0; shr.u32 %r8, %r1, 7; setp.eq.u32 %p3, %r8, 0; @%p3 bra GO; " +
                           [] {
                             std::string waits;
                             for (unsigned i = 0; i < 200; ++i) waits += "add.u32 %r7, %r7, %r8; ";
                             return waits;
                           }() +
                           "mul.wide.u32 %rd6, %r7, 0; add.u64 %rd6, %rd6, %rd1; ld.global.u32 %r9, [%rd6]; "
                           "and.b32 %r9, %r9, 0; mul.wide.u32 %rd6, %r9, 4; add.u64 %rd1, %rd1, %rd6; GO: " +
                           row_sums(32);
  use("profiled", body);
  run_body(body, 256);
  EXPECT_GT(counted("load_scheduler.tentative"), 0);
  expect_sums(256, 32);
}

TEST_F(DivergenceAwareMachines, ACycleWithTwoEntriesIsCountedAndGetsNoFootprint) {
  const std::string body =
      "mul.wide.u32 %rd3, %r1, 128; add.u64 %rd4, %rd1, %rd3; mov.u32 %r3, 0; setp.lt.u32 %p1, %r1, 8; @%p1 bra "
      "SECOND; "
      "FIRST: ld.global.u32 %r5, [%rd4]; add.u32 %r3, %r3, %r5; or.b32 %r3, %r3, 1; "
      "SECOND: add.u32 %r3, %r3, 3; setp.lt.u32 %p2, %r3, 100; @%p2 bra FIRST; st.global.u32 [%rd4], %r3; ";
  use("detected");
  run_body(body, 64);
  EXPECT_EQ(counted("load_scheduler.irreducible_loops"), 1);
  EXPECT_EQ(counted("load_scheduler.predictions"), 0);
}

// -- warps that wait for others

TEST_F(DivergenceAwareMachines, WarpsAtABarrierInALoopLetTheOthersReachIt) {
  const std::string body = row_sums(8, "bar.sync 0; ");
  use("profiled", body);
  run_body(body, 256);
  EXPECT_GT(counted("load_scheduler.blocked"), 0);
  EXPECT_EQ(counted("issue.blocks_finished"), 1);
  expect_sums(256, 8);
}

TEST_F(DivergenceAwareMachines, ABlockedPathIsLetGoWhenAnotherOfItsWarpWaitsForIt) {
  // Warp 0 keeps its loop, and with it the cache, until warp 1 has met; warp 1 can meet only once its other path has
  // loaded, which the footprint of warp 0 forbids.
  sm().grouping.choose("warp_subdivision");
  sm().hazards.choose("full_masks");
  const std::string body =
      "mov.u32 %r10, met; mul.wide.u32 %rd3, %r1, 128; add.u64 %rd4, %rd1, %rd3; "
      "mov.u32 %r11, 0; setp.eq.u32 %p4, %r1, 0; @%p4 st.shared.u32 [%r10], %r11; bar.sync 0; "
      "shr.u32 %r2, %r1, 5; setp.eq.u32 %p1, %r2, 1; @%p1 bra PARTS; "
      // warp 0
      "SPIN: ld.global.u32 %r5, [%rd4]; ld.global.u32 %r6, [%rd4+4096]; atom.shared.or.b32 %r7, [%r10], 0; "
      "setp.eq.u32 %p2, %r7, 0; @%p2 bra SPIN; bra END; "
      // warp 1: the lower threads wait at once, the upper ones load in a loop before they come
      "PARTS: and.b32 %r3, %r1, 31; setp.lt.u32 %p3, %r3, 16; @%p3 bra MEET; mov.u32 %r8, 0; "
      "mov.u32 %r12, 0; DELAY: add.u32 %r12, %r12, 1; setp.lt.u32 %p6, %r12, 60; @%p6 bra DELAY; "
      "ROW: ld.global.u32 %r5, [%rd4]; add.u32 %r8, %r8, 1; setp.lt.u32 %p5, %r8, 4; @%p5 bra ROW; "
      // never taken, but it keeps paths from joining where they meet
      "setp.eq.u32 %p7, %r8, 99; @%p7 bra END; "
      "MEET: bar.warp.sync 0xffffffff; mov.u32 %r9, 1; st.shared.u32 [%r10], %r9; END: ";
  use("profiled", body);
  run_body(body, 64);
  EXPECT_GT(counted("load_scheduler.let_go"), 0);
  EXPECT_EQ(counted("issue.blocks_finished"), 1);
}

// -- refusals

TEST_F(DivergenceAwareMachines, SchedulingByAProfileNeedsOne) {
  use("profiled");
  try {
    run_body(row_sums(4), 32);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::configuration);
    EXPECT_NE(std::string(error.what()).find("sm.divergence_aware.profile: scheduling by a profile needs one"),
              std::string::npos)
        << error.what();
    EXPECT_NE(std::string(error.what()).find("heddle profile-loops"), std::string::npos);
  }
}

TEST_F(DivergenceAwareMachines, AMachineWithoutAnL1IsRefused) {
  use("detected");
  build();
  try {
    run(whole(row_sums(4)), {1}, {32}, {address(words())});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::configuration);
    EXPECT_NE(std::string(error.what()).find("needs an L1 data cache"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace heddle::sm
