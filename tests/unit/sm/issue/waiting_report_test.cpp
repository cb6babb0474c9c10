// SPDX-License-Identifier: Apache-2.0
// What a message says of threads that make no progress.
#include "sm/issue/waiting_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "issue_bench.h"
#include "sm/issue/barrier_unit.h"
#include "sm/issue/loop_notes.h"

namespace heddle::sm {
namespace {

using isa::Opcode;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A barrier for all, one for 64 threads, and a loop of a single branch.
class WaitingReportTest : public ::testing::Test {
 protected:
  explicit WaitingReportTest(const GroupingTraits& traits = {.contexts = 4}) : bench_(traits) {
    for (unsigned i = 0; i < 2; ++i) {
      isa::MicroOp& bar = bench_.add(Opcode::bar, {bench_.constant(3 + i)});
      bar.bar_mode = isa::BarMode::sync;
      if (i == 0) continue;
      bar.sources[1] = bench_.constant(64);
      bar.source_count = 2;
    }
    bench_.add(Opcode::bra).target = 2;
    bench_.kernel.texts = {"bar.sync 3;", "bar.sync 4, 64;", "bra L;"};
  }
  void start(unsigned threads) {
    const BlockSlot slot = bench_.start(threads);
    barriers_.launched(slot, threads);
    bench_.contexts().valid.for_each([this](std::size_t c) { waiting_.launched(ContextId(c)); });
  }
  ContextTable& contexts() { return bench_.contexts(); }
  void arrive(ContextId context) { barriers_.arrive(context, bench_.packet(context)); }
  /// "WHO: WHAT".
  std::vector<std::string> said() {
    std::vector<isa::Situation> all;
    report_.describe(all);
    std::vector<std::string> lines;
    for (const isa::Situation& situation : all) lines.push_back(situation.who + ": " + situation.what);
    return lines;
  }

  IssueBench bench_;
  WaitingThreads waiting_{bench_.sm, bench_.grouping, bench_.meetings};
  BarrierUnit barriers_{bench_.sm, bench_.events, waiting_, bench_.group};
  WaitingReport report_{bench_.sm, bench_.grouping, bench_.blocks, waiting_, barriers_.barriers(), bench_.meetings};
};

TEST_F(WaitingReportTest, OfAnEmptySmNothingIsSaid) { EXPECT_THAT(said(), IsEmpty()); }

TEST_F(WaitingReportTest, NamesThreadsAtABarrierAndHowManyAreThere) {
  start(96);
  arrive(ContextId(1));
  EXPECT_THAT(said(), ElementsAre(HasSubstr("threads 0-31 of block (0,0,0)"), HasSubstr("threads 64-95"),
                                  "threads 32-63 of block (0,0,0): wait at barrier 3 for every thread of the block; "
                                  "32 are there: k.ptx:1 `bar.sync 3;`"));
}

TEST_F(WaitingReportTest, NamesTheNumberThatABarrierWaitsFor) {
  start(32);
  contexts().set(ContextId(0), 1, ThreadSet::first_n(32));
  arrive(ContextId(0));
  EXPECT_THAT(said(), ElementsAre("threads 0-31 of block (0,0,0): wait at barrier 4 for 64 threads; 32 are there: "
                                  "k.ptx:2 `bar.sync 4, 64;`"));
}

TEST_F(WaitingReportTest, NamesWhatAContextWaitsFor) {
  start(32);
  const auto says = [&](const std::string& what) {
    EXPECT_THAT(said(), ElementsAre("threads 0-31 of block (0,0,0): " + what + ": k.ptx:1 `bar.sync 3;`"));
  };
  says("wait for instructions");
  contexts().buffered.set(0);
  says("run");
  contexts().ready.set(0);
  says("could issue");
  contexts().hazard.set(0);
  says("wait for a result");
  contexts().long_latency.set(0);
  says("wait for data from memory");
  contexts().pipeline.set(0);
  says("wait for their instruction to leave the pipeline");
  contexts().branch.set(0);
  says("wait for their branch to resolve");
}

TEST_F(WaitingReportTest, NamesTheThreadsThatAMeetingMisses) {
  isa::MicroOp& copy = bench_.add(Opcode::bar_warp);
  isa::MicroOp& other = bench_.add(Opcode::bar_warp);
  start(64);
  bench_.kernel.texts.resize(5, "bar.warp.sync %r1;");
  bench_.meetings.arrive(bench_.warp(1), copy, 0x3, 0xff);
  bench_.meetings.arrive(bench_.warp(1), other, 0x4, 0xff);
  contexts().at_meeting.set(WarpId(1), ThreadSet::of_word(0x7));
  contexts().set(ContextId(0), 0, {});
  contexts().set(ContextId(1), 3, ThreadSet::of_word(0x7));
  EXPECT_THAT(said(), ElementsAre("threads 32-33 of block (0,0,0): wait for the threads 35-39 named in the mask: "
                                  "k.ptx:4 `bar.warp.sync %r1;`",
                                  "threads 34 of block (0,0,0): wait for the threads 35-39 named in the mask: "
                                  "k.ptx:5 `bar.warp.sync %r1;`"));
}

TEST_F(WaitingReportTest, NamesPathsThatAreHeldBackOncePerWarp) {
  start(32);
  bench_.split(ContextId(0), ContextId(1), ThreadSet::of_word(0x3), 2);
  bench_.grouping.paths = {{1, ThreadSet::of_word(0xf0)}};
  std::size_t found = 0;
  for (const std::string& line : said()) {
    if (line.find("for their turn") == std::string::npos) continue;
    ++found;
    EXPECT_EQ(line,
              "threads 4-7 of block (0,0,0): wait for their turn while others of their warp run: k.ptx:2 `bar.sync 4, "
              "64;`");
  }
  EXPECT_EQ(found, 1u);
  contexts().at_barrier.set(WarpId(0), ThreadSet::of_word(0xf0));
  for (const std::string& line : said()) EXPECT_THAT(line, testing::Not(HasSubstr("for their turn")));
}

TEST_F(WaitingReportTest, NamesPathsThatCouldGoOnButAreNotRunWhileOthersWait) {
  LoopNotes notes(bench_.sm, bench_.grouping, bench_.blocks);
  start(32);
  contexts().set(ContextId(0), 0, ThreadSet::of_word(0xf));
  bench_.grouping.paths = {{1, ThreadSet::of_word(0xf0)}};
  EXPECT_TRUE(notes.held_back());
  arrive(ContextId(0));
  EXPECT_THAT(said(),
              testing::Contains(AllOf(HasSubstr("threads 4-7 of block (0,0,0): could go on, but grouping "),
                                      HasSubstr(" does not run them while others of their warp wait: k.ptx:2 "))));
  EXPECT_TRUE(notes.held_back());
  contexts().at_barrier.set(WarpId(0), ThreadSet::of_word(0xff));
  EXPECT_FALSE(notes.held_back()) << "all of them wait";
}

TEST_F(WaitingReportTest, NamesTheLoopThatThreadsRepeat) {
  LoopNotes notes(bench_.sm, bench_.grouping, bench_.blocks);
  start(32);
  bench_.sm.progress.begin();
  contexts().set(ContextId(0), 2, ThreadSet::first_n(32));
  contexts()[ContextId(0)].next = &bench_.kernel.ops[2];
  for (unsigned i = 0; i < 5; ++i) {
    notes.issued(ContextId(0));
    notes.branched(ContextId(0), 2, {{2, ThreadSet::first_n(32)}});
  }
  bench_.grouping.paths = {{0, ThreadSet::of_word(0xf)}};
  EXPECT_THAT(said(), ElementsAre(HasSubstr("threads 0-31 of block (0,0,0): repeat k.ptx:3 `bra L;` to k.ptx:3"),
                                  HasSubstr("grouping scripted does not run them")));
  bench_.sm.progress.changed();
  EXPECT_THAT(said()[0], HasSubstr("wait for instructions")) << "the look is inconclusive";
}

TEST_F(WaitingReportTest, NamesThreadsThatHaveNotStarted) {
  start(96);
  bench_.blocks[BlockSlot(0)].started = 64;
  EXPECT_THAT(said().back(),
              "threads 64 to 95 of block 0: have not started: others hold the threads or registers of "
              "the SM");
}

TEST_F(WaitingReportTest, NamesBlocksByTheirIndex) {
  start(32);
  start(32);
  contexts().set(ContextId(0), 0, {});
  EXPECT_THAT(said(), ElementsAre(HasSubstr("block (1,0,0)")));
}

}  // namespace
}  // namespace heddle::sm
