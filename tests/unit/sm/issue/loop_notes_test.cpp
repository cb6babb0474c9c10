// SPDX-License-Identifier: Apache-2.0
// Which threads repeat their states, and whether any can still make progress.
#include "sm/issue/loop_notes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "issue_bench.h"

namespace heddle::sm {
namespace {

using isa::Opcode;

/// A loop of two instructions: register 0 is added to, and the branch back looks at predicate 0. Register 1 is in
/// nobody's way.
class LoopNotesTest : public ::testing::Test {
 protected:
  void build(unsigned threads) {
    bench_ = std::make_unique<IssueBench>(GroupingTraits{.contexts = 4});
    isa::MicroOp& add = bench_->add(Opcode::add, {IssueBench::register_at(1), IssueBench::register_at(1)},
                                    {IssueBench::register_at(1)});
    add.lane_function = [](const isa::MicroOp&, std::byte* const*, std::uint32_t) {};
    bench_->add(Opcode::bra).guard = IssueBench::predicate_at(0);
    bench_->add(Opcode::exit_);
    bench_->start(threads);
    notes_ = std::make_unique<LoopNotes>(bench_->sm, bench_->grouping, bench_->blocks);
    bench_->sm.progress.begin();
  }
  ContextTable& contexts() { return bench_->contexts(); }
  /// The context goes round the loop once.
  void turn(ContextId context = ContextId(0)) {
    const ThreadSet threads = contexts()[context].threads;
    for (const std::uint32_t pc : {0u, 1u}) {
      contexts().set(context, pc, threads);
      contexts()[context].next = &bench_->kernel.ops[pc];
      notes_->issued(context);
    }
    contexts().set(context, 0, threads);
    notes_->branched(context, 1, {{0, threads}});
  }
  void turns(unsigned count) {
    for (unsigned i = 0; i < count; ++i) turn();
  }

  std::unique_ptr<IssueBench> bench_;
  std::unique_ptr<LoopNotes> notes_;
};

TEST_F(LoopNotesTest, ThreadsThatComeBackToTheSameStateRepeat) {
  build(32);
  turn();
  EXPECT_FALSE(notes_->repeats()) << "it was there once";
  turns(4);
  EXPECT_TRUE(notes_->repeats());
  EXPECT_EQ(notes_->standstill({}), Standstill::for_ever);
}

TEST_F(LoopNotesTest, ThreadsWhoseBranchMayGoAnotherWayDoNot) {
  build(32);
  for (unsigned i = 0; i < 8; ++i) {
    bench_->predicate(bench_->warp(), 0) = i;
    turn();
  }
  EXPECT_FALSE(notes_->repeats());
  EXPECT_EQ(notes_->standstill({}), Standstill::none);
}

TEST_F(LoopNotesTest, ACountThatNoBranchLooksAtIsNoProgress) {
  build(32);
  for (unsigned i = 0; i < 8; ++i) {
    bench_->value(bench_->warp(), 1, 0) = i;
    turn();
  }
  EXPECT_TRUE(notes_->repeats());
}

TEST_F(LoopNotesTest, AChangeThatOthersSeeMakesTheLookInconclusive) {
  build(32);
  turns(5);
  bench_->sm.progress.changed();
  EXPECT_FALSE(notes_->repeats());
}

TEST_F(LoopNotesTest, ABranchForwardIsNoLoop) {
  build(32);
  for (unsigned i = 0; i < 8; ++i) {
    notes_->issued(ContextId(0));
    notes_->branched(ContextId(0), 0, {{2, contexts()[ContextId(0)].threads}});
  }
  EXPECT_FALSE(notes_->repeats());
}

TEST_F(LoopNotesTest, ThreadsThatLeaveTheLoopChangeItsState) {
  build(32);
  for (std::uint32_t left = ~0u; left != 0; left >>= 1) {
    contexts().set(ContextId(0), 0, ThreadSet::of_word(left));
    turn();
  }
  EXPECT_FALSE(notes_->repeats());
}

TEST_F(LoopNotesTest, AWarpsPathsRepeatTogether) {
  build(32);
  bench_->split(ContextId(0), ContextId(1), ThreadSet::of_word(0xffff), 0);
  for (unsigned i = 0; i < 5; ++i) {
    turn(ContextId(0));
    turn(ContextId(1));
  }
  EXPECT_TRUE(notes_->repeats());
  EXPECT_EQ(notes_->standstill({}), Standstill::for_ever);
}

TEST_F(LoopNotesTest, APathThatDidNotIssueIsWaitedForByTheMachine) {
  build(32);
  bench_->split(ContextId(0), ContextId(1), ThreadSet::of_word(0xffff), 0);
  contexts().hazard.set(1);
  turns(8);
  EXPECT_TRUE(notes_->repeats()) << "the others";
  EXPECT_EQ(notes_->standstill({}), Standstill::machine);
  turn(ContextId(1));
  EXPECT_FALSE(notes_->repeats()) << "now it has issued, and may have changed what the others look at";
}

TEST_F(LoopNotesTest, AReadyContextWaitsForTheMachineIfItsUnitAcceptsNobody) {
  build(64);
  ContextSet blocked;
  contexts()[ContextId(1)].next = &bench_->kernel.ops[0];
  contexts().ready.set(1);
  contexts().ready.set(0);
  blocked.set(1);
  contexts().at_barrier.set(WarpId(0), ThreadSet::first_n(32));
  EXPECT_EQ(notes_->standstill({}), Standstill::for_ever) << "the slots pass it over";
  EXPECT_EQ(notes_->standstill(blocked), Standstill::machine);
  contexts().at_barrier.set(WarpId(0), {});
  turns(8);
  EXPECT_EQ(notes_->standstill(blocked), Standstill::for_ever) << "its unit serves another context all the time";
}

TEST_F(LoopNotesTest, APathHeldBackByTheGroupingIsPartOfTheState) {
  build(32);
  for (std::uint32_t pc = 0; pc < 12; ++pc) {
    bench_->grouping.paths = {{pc, ThreadSet::of_word(0xff)}};
    turn();
  }
  EXPECT_FALSE(notes_->repeats());
}

TEST_F(LoopNotesTest, WithoutAThreadNothingMovesForEver) {
  build(32);
  contexts().set(ContextId(0), 0, {});
  EXPECT_EQ(notes_->standstill({}), Standstill::for_ever);
}

TEST_F(LoopNotesTest, ThreadsThatWaitForOthersMakeNoProgressByThemselves) {
  build(64);
  contexts().at_barrier.set(WarpId(0), ThreadSet::first_n(32));
  contexts().at_meeting.set(WarpId(1), ThreadSet::first_n(32));
  EXPECT_EQ(notes_->standstill({}), Standstill::for_ever);
  contexts().at_meeting.set(WarpId(1), ThreadSet::first_n(16));
  EXPECT_EQ(notes_->standstill({}), Standstill::machine) << "half of the warp did not arrive";
}

TEST_F(LoopNotesTest, AContextThatSleepsIsNotStuck) {
  build(64);
  contexts().at_barrier.set(WarpId(0), ThreadSet::first_n(32));
  contexts().asleep.set(1);
  EXPECT_EQ(notes_->standstill({}), Standstill::none);
}

TEST_F(LoopNotesTest, AContextThatIssuedOnceMakesProgressEvenIfItWaitsNow) {
  build(32);
  notes_->issued(ContextId(0));
  contexts().at_barrier.set(WarpId(0), ThreadSet::first_n(32));
  EXPECT_EQ(notes_->standstill({}), Standstill::none);
}

TEST_F(LoopNotesTest, ALookForgetsTheOneBefore) {
  build(32);
  turns(5);
  bench_->sm.progress.end();
  EXPECT_FALSE(bench_->sm.progress.on());
  bench_->sm.progress.begin();
  EXPECT_FALSE(notes_->repeats());
}

/// A store and a load by thread 0, whose address is register 0.
class ProgressWatchTest : public ::testing::Test {
 protected:
  void execute(Opcode opcode, isa::Space space, std::uint64_t address, std::uint32_t value) {
    bench_.launch.shared_bytes = 64;
    bench_.kernel.local_bytes = 64;
    isa::MicroOp& op = opcode == Opcode::st
                           ? bench_.add(opcode, {IssueBench::wide_register_at(0), IssueBench::register_at(2)})
                           : bench_.add(opcode, {IssueBench::wide_register_at(0)}, {IssueBench::register_at(2)});
    op.space = space;
    op.type = isa::DataType::u32;
    if (!bench_.blocks[BlockSlot(0)].used) bench_.start(32);
    std::memcpy(bench_.warp().registers, &address, sizeof address);
    bench_.value(bench_.warp(), 2, 0) = value;
    isa::Addresses addresses;
    isa::compute_addresses(op, bench_.warp(), 1, addresses);
    watch().execute(op, bench_.warp(), addresses, bench_.port);
  }
  ProgressWatch& watch() { return bench_.sm.progress; }
  std::uint64_t device() const { return reinterpret_cast<std::uint64_t>(&word_); }
  void begin() {
    watch().configure({device(), device() + sizeof word_}, 1);
    watch().begin();
  }

  IssueBench bench_;
  std::uint32_t word_ = 5;
};

TEST_F(ProgressWatchTest, AValueThatIsWrittenAgainIsNoChange) {
  begin();
  execute(Opcode::st, isa::Space::global, device(), 5);
  execute(Opcode::ld, isa::Space::global, device(), 0);
  EXPECT_FALSE(watch().saw_change());
  EXPECT_TRUE(watch().looking());
  execute(Opcode::st, isa::Space::global, device(), 6);
  EXPECT_TRUE(watch().saw_change());
  EXPECT_FALSE(watch().looking());
  EXPECT_EQ(word_, 6u);
}

TEST_F(ProgressWatchTest, AnotherValueInSharedMemoryIs) {
  begin();
  execute(Opcode::st, isa::Space::shared, 8, 0);
  EXPECT_FALSE(watch().saw_change());
  execute(Opcode::st, isa::Space::shared, 8, 1);
  EXPECT_TRUE(watch().saw_change());
}

TEST_F(ProgressWatchTest, LocalMemoryIsTheThreadsOwn) {
  begin();
  execute(Opcode::st, isa::Space::local, 8, 1);
  EXPECT_FALSE(watch().saw_change());
}

TEST_F(ProgressWatchTest, AnAccessToMemoryThatTheHostMayWriteIsInconclusive) {
  std::uint32_t outside = 5;
  begin();
  execute(Opcode::ld, isa::Space::global, reinterpret_cast<std::uint64_t>(&outside), 0);
  EXPECT_TRUE(watch().saw_change());
}

TEST_F(ProgressWatchTest, AUnitMayHaveSeveralWarps) {
  bench_.add(Opcode::add);
  bench_.start(128);
  watch().configure({}, 2);
  watch().begin();
  EXPECT_EQ(watch().find(bench_.warp(0)), nullptr);
  const ProgressWatch::Unit& unit = watch().unit(bench_.warp(1));
  EXPECT_EQ(watch().find(bench_.warp(0)), &unit);
  EXPECT_EQ(watch().find(bench_.warp(2)), nullptr);
  EXPECT_NE(&watch().unit(bench_.warp(2)), &unit);
}

}  // namespace
}  // namespace heddle::sm
