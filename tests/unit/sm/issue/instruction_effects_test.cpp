// SPDX-License-Identifier: Apache-2.0
// What an instruction changes as its packets issue, and what it leaves to the end of the cycle.
#include "sm/issue/instruction_effects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "isa/fault.h"
#include "issue_bench.h"
#include "sm/effects.h"

namespace heddle::sm {
namespace {

using isa::Opcode;
using testing::ElementsAre;

class InstructionEffectsTest : public ::testing::Test {
 protected:
  explicit InstructionEffectsTest(const GroupingTraits& traits = {.contexts = 4}) : bench_(traits) {
    bench_.launch.shared_bytes = 1024;
  }
  isa::MicroOp& add(Opcode opcode, isa::Space space, std::initializer_list<isa::Operand> sources,
                    std::initializer_list<isa::Operand> destinations = {}) {
    isa::MicroOp& op = bench_.add(opcode, sources, destinations);
    op.type = isa::DataType::u32;
    op.space = space;
    return op;
  }
  /// Executes the context's instruction for some of its threads, and goes to the next.
  Packet& execute(const ThreadSet& threads, ContextId context = ContextId(0)) {
    Packet& packet = bench_.packet(context, threads);
    effects_.execute(packet);
    return packet;
  }
  void next_instruction(ContextId context = ContextId(0)) {
    Context& c = bench_.contexts()[context];
    bench_.contexts().set(context, c.pc + 1, c.threads);
    c.next = &bench_.kernel.ops[c.pc];
  }
  std::uint32_t& value(unsigned number, unsigned lane) { return bench_.value(bench_.warp(), number, lane); }
  std::uint32_t shared(std::size_t at) {
    std::uint32_t value = 0;
    std::memcpy(&value, bench_.blocks[BlockSlot(0)].state.shared + at, 4);
    return value;
  }
  static isa::Operand reg(unsigned number) { return IssueBench::register_at(number); }

  IssueBench bench_;
  InstructionEffects effects_{bench_.sm, bench_.meetings, bench_.calls.prefix_sum};
};

TEST_F(InstructionEffectsTest, AGuardLeavesThoseThreadsForWhichItHolds) {
  isa::MicroOp& op = bench_.add(Opcode::add);
  bench_.start(32);
  bench_.predicate(bench_.warp(), 0) = 0x0ff0;
  const ThreadSet all = ThreadSet::of_word(0xffff);
  const auto guarded = [&] { return text_of(effects_.guarded(ContextId(0), op, all)); };
  EXPECT_EQ(guarded(), "0-15");
  op.guard = IssueBench::predicate_at(0);
  EXPECT_EQ(guarded(), "4-11");
  op.guard.negate = true;
  EXPECT_EQ(guarded(), "0-3,12-15");
  op.opcode = Opcode::bra;
  EXPECT_EQ(guarded(), "0-15") << "those that fall through execute a branch, too";
}

TEST_F(InstructionEffectsTest, OnlyThreadsOfThePacketAddTheirRegisters) {
  isa::MicroOp& op = add(Opcode::add, isa::Space::none, {reg(0), reg(1)}, {reg(2)});
  op.lane_function = isa::lane_function(op);
  bench_.start(32);
  for (unsigned lane = 0; lane < 32; ++lane) value(0, lane) = lane, value(1, lane) = 100;
  execute(ThreadSet::of_word(0x2));
  EXPECT_EQ(value(2, 1), 101u);
  EXPECT_EQ(value(2, 2), 0u);
}

TEST_F(InstructionEffectsTest, AnInstructionThatReadsAClockMakesALookInconclusive) {
  isa::MicroOp& op = bench_.add(Opcode::special, {}, {reg(0)});
  op.special = isa::SpecialRegister::laneid;
  op.type = isa::DataType::u32;
  bench_.start(32);
  bench_.sm.progress.begin();
  execute(ThreadSet::first_n(32));
  EXPECT_EQ(value(0, 7), 7u);
  EXPECT_FALSE(bench_.sm.progress.saw_change());
  op.special = isa::SpecialRegister::clock;
  execute(ThreadSet::first_n(32));
  EXPECT_TRUE(bench_.sm.progress.saw_change());
}

TEST_F(InstructionEffectsTest, AVoteOfThreadsThatDidNotMeetIsTakenByThePacket) {
  isa::MicroOp& op = bench_.add(Opcode::vote, {IssueBench::predicate_at(0)}, {reg(1)});
  op.vote_mode = isa::VoteMode::ballot;
  bench_.start(32);
  bench_.predicate(bench_.warp(), 0) = 0xf0f0;
  execute(ThreadSet::of_word(0xff));
  EXPECT_EQ(value(1, 0), 0xf0u);
  EXPECT_EQ(value(1, 8), 0u);
}

TEST_F(InstructionEffectsTest, WhereItHasTakenEffectAtAMeetingItDoesNotAgain) {
  isa::MicroOp& op = bench_.add(Opcode::vote, {IssueBench::predicate_at(0)}, {reg(1)});
  op.vote_mode = isa::VoteMode::ballot;
  bench_.start(32);
  bench_.predicate(bench_.warp(), 0) = 0xf0f0;
  bench_.meetings.settle(bench_.meetings.arrive(bench_.warp(), op, 0xf, 0xf).meeting);
  execute(ThreadSet::of_word(0xff));
  EXPECT_EQ(value(1, 0), 0u) << "settled";
  EXPECT_EQ(value(1, 4), 0xf0u) << "the threads that did not meet vote among themselves";
  execute(ThreadSet::of_word(0xff));
  EXPECT_EQ(value(1, 0), 0xf0u) << "the next time";
}

TEST_F(InstructionEffectsTest, SharedMemoryChangesAsTheStoreIssues) {
  add(Opcode::st, isa::Space::shared, {reg(0), reg(1)});
  bench_.start(32);
  for (unsigned lane = 0; lane < 32; ++lane) value(0, lane) = 4 * lane, value(1, lane) = 100 + lane;
  const Packet& packet = execute(ThreadSet::of_word(0x6));
  EXPECT_EQ(shared(0), 0u);
  EXPECT_EQ(shared(4), 101u);
  EXPECT_EQ(shared(8), 102u);
  EXPECT_TRUE(bench_.sm.effects.empty());
  EXPECT_EQ(bench_.sink.count, 0u);
  EXPECT_EQ(packet.memory->addresses[0].mask, 0x6u);
}

class GlobalMemory : public InstructionEffectsTest {
 protected:
  /// Register pair 0 of thread i: address of word i.
  void start() {
    bench_.start(32);
    for (unsigned lane = 0; lane < 32; ++lane) {
      const std::uint64_t address = reinterpret_cast<std::uint64_t>(&words_[lane]);
      std::memcpy(bench_.warp().registers + 8 * lane, &address, 8);
      value(2, lane) = 100 + lane;
    }
  }
  std::array<std::uint32_t, 32> words_{};
};

TEST_F(GlobalMemory, ChangesAtTheEndOfTheCycle) {
  add(Opcode::st, isa::Space::global, {IssueBench::wide_register_at(0), reg(2)});
  start();
  execute(ThreadSet::of_word(0x3));
  EXPECT_EQ(words_[1], 0u);
  EXPECT_FALSE(bench_.sm.effects.empty());
  EXPECT_EQ(bench_.sink.count, 1u);
  bench_.sm.effects.apply(bench_.port, bench_.sm.progress, bench_.sm.gate.now());
  EXPECT_EQ(words_[0], 100u);
  EXPECT_EQ(words_[1], 101u);
  EXPECT_EQ(words_[2], 0u);
}

TEST_F(GlobalMemory, GetsInAWindowWhatRegistersAndAddressesHeldAtIssue) {
  const Outbox::Window window;
  add(Opcode::st, isa::Space::global, {IssueBench::wide_register_at(0), reg(2)});
  start();
  Packet& packet = execute(ThreadSet::of_word(0x3));
  EXPECT_EQ(bench_.sink.count, 1u);
  EXPECT_EQ(bench_.sink.waiting, 0u);
  value(2, 0) = 7;
  packet.memory->addresses[0].value[1] = reinterpret_cast<std::uint64_t>(&words_[9]);
  bench_.sm.effects.apply(bench_.port, bench_.sm.progress, bench_.sm.gate.now());
  EXPECT_EQ(words_[0], 100u);
  EXPECT_EQ(words_[1], 101u);
  EXPECT_EQ(words_[9], 0u);
  EXPECT_TRUE(bench_.sm.effects.empty());
}

TEST_F(GlobalMemory, ReachesRegistersLateInAWindow) {
  const Outbox::Window window;
  add(Opcode::ld, isa::Space::global, {IssueBench::wide_register_at(0)}, {reg(2)});
  start();
  execute(ThreadSet::of_word(0x3));
  EXPECT_EQ(bench_.sink.waiting, 0u);
  words_[1] = 55;
  EXPECT_EQ(value(2, 1), 101u);
  bench_.sm.effects.apply(bench_.port, bench_.sm.progress, bench_.sm.gate.now());
  EXPECT_EQ(value(2, 1), 55u);
}

TEST_F(GlobalMemory, StopsTheWindowOfAnAtomic) {
  const Outbox::Window window;
  add(Opcode::red, isa::Space::global, {IssueBench::wide_register_at(0), reg(2)}).atom_op = isa::AtomOp::add;
  start();
  execute(ThreadSet::of_word(0x3));
  EXPECT_EQ(bench_.sink.waiting, 1u);
  bench_.sm.effects.apply(bench_.port, bench_.sm.progress, bench_.sm.gate.now());
  EXPECT_EQ(words_[1], 101u);
}

TEST_F(GlobalMemory, IsNotAccessedByAPrefetch) {
  add(Opcode::prefetch, isa::Space::global, {IssueBench::wide_register_at(0)});
  start();
  const Packet& packet = execute(ThreadSet::of_word(0x3));
  EXPECT_EQ(packet.memory->addresses[0].mask, 0x3u);
  EXPECT_TRUE(bench_.sm.effects.empty());
}

TEST_F(GlobalMemory, IsReachedOnceMoreByAReplayWithoutAnEffect) {
  add(Opcode::st, isa::Space::global, {IssueBench::wide_register_at(0), reg(2)});
  start();
  const Packet& first = execute(ThreadSet::of_word(0xff));
  bench_.sm.effects.apply(bench_.port, bench_.sm.progress, bench_.sm.gate.now());
  words_.fill(0);
  Packet& again = bench_.packet(ContextId(0), ThreadSet::of_word(0x30));
  effects_.replay(again, first);
  EXPECT_EQ(again.memory->addresses[0].mask, 0x30u);
  for (const unsigned lane : {4u, 5u})
    EXPECT_EQ(again.memory->addresses[0].value[lane], reinterpret_cast<std::uint64_t>(&words_[lane]));
  EXPECT_EQ(again.memory->addresses[0].space, isa::Space::global);
  EXPECT_EQ(again.memory->addresses[0].bytes, 4u);
  EXPECT_EQ(again.memory->addresses[0].lowest, first.memory->addresses[0].lowest);
  EXPECT_TRUE(bench_.sm.effects.empty());
}

TEST_F(InstructionEffectsTest, SystemCallsWaitForTheEndOfTheCycle) {
  bench_.add(Opcode::syscall);
  bench_.start(32);
  execute(ThreadSet::of_word(0x1));
  EXPECT_FALSE(bench_.sm.effects.empty());
  EXPECT_EQ(bench_.sink.count, 1u);
}

TEST_F(InstructionEffectsTest, ATrapOfNobodyIsNone) {
  bench_.add(Opcode::trap);
  bench_.start(32);
  EXPECT_NO_THROW(execute({}));
  EXPECT_THROW(execute(ThreadSet::of_word(0x1)), isa::KernelFault);
}

/// A copy of 4 bytes from global to shared memory, its commit, and a wait for all groups but as many as given.
class Copies : public GlobalMemory {
 protected:
  void build(int groups_left) {
    add(Opcode::async_copy, isa::Space::global, {IssueBench::wide_register_at(0), reg(3)}).type = isa::DataType::b32;
    bench_.add(Opcode::async_commit);
    if (groups_left < 0) {
      bench_.add(Opcode::async_wait);
    } else {
      bench_.add(Opcode::async_wait, {bench_.constant(static_cast<unsigned>(groups_left))});
    }
    start();
    for (unsigned lane = 0; lane < 32; ++lane) value(3, lane) = 4 * lane;
  }
  bool waits(ContextId context = ContextId(0)) const { return effects_.waits_for_copies(context); }
};

TEST_F(Copies, AreWaitedForUntilTheirPacketEnds) {
  build(0);
  Packet& copy = execute(ThreadSet::of_word(0x1));
  EXPECT_FALSE(waits()) << "the next instruction is none that waits";
  next_instruction();
  execute(ThreadSet::first_n(32));
  next_instruction();
  EXPECT_TRUE(waits());
  EXPECT_TRUE(effects_.ended(copy));
  EXPECT_FALSE(waits());
}

TEST_F(Copies, OfTheYoungestGroupsMayStillBeInFlight) {
  build(1);
  Packet& copy = execute(ThreadSet::of_word(0x1));
  next_instruction();
  execute(ThreadSet::first_n(32));
  next_instruction();
  EXPECT_FALSE(waits()) << "one group";
  bench_.contexts().set(ContextId(0), 1, ThreadSet::first_n(32));
  execute(ThreadSet::first_n(32));
  next_instruction();
  EXPECT_TRUE(waits()) << "the copy is of the group before the last";
  effects_.ended(copy);
  EXPECT_FALSE(waits());
}

TEST_F(Copies, WithoutACommitAreWaitedForWhereAllAre) {
  build(-1);
  execute(ThreadSet::of_word(0x1));
  next_instruction();
  next_instruction();
  EXPECT_TRUE(waits());
}

TEST_F(Copies, OfOtherThreadsAreNotWaitedFor) {
  build(0);
  execute(ThreadSet::of_word(0x1));
  next_instruction();
  execute(ThreadSet::first_n(32));
  next_instruction();
  bench_.contexts().set(ContextId(0), 2, ThreadSet::of_word(0xfe));
  EXPECT_FALSE(waits());
  bench_.contexts().set(ContextId(0), 2, ThreadSet::of_word(0xff));
  EXPECT_TRUE(waits());
  bench_.kernel.ops[2].guard = IssueBench::predicate_at(0);
  bench_.predicate(bench_.warp(), 0) = ~1u;
  EXPECT_FALSE(waits()) << "the thread with the copy does not wait";
}

TEST_F(Copies, AreNoOtherPackets) {
  add(Opcode::ld, isa::Space::global, {IssueBench::wide_register_at(0)}, {reg(4)});
  start();
  EXPECT_FALSE(effects_.ended(execute(ThreadSet::of_word(0x1))));
}

class ConditionalAccumulate : public InstructionEffectsTest {
 protected:
  ConditionalAccumulate() {
    isa::MicroOp& op =
        add(Opcode::cond_acc, isa::Space::shared, {reg(0), IssueBench::predicate_at(0), reg(1)}, {reg(2)});
    op.sync_form = false;
    bench_.start(32);
    for (unsigned lane = 0; lane < 32; ++lane) value(1, lane) = 100 + lane;
    bench_.predicate(bench_.warp(), 0) = 0x0000'f0f1;
  }
};

TEST_F(ConditionalAccumulate, AsksTheNetworkForTheThreadsOfThePacket) {
  execute(ThreadSet::of_word(0xff));
  EXPECT_THAT(bench_.calls.network.summed, ElementsAre(0xf1));
  EXPECT_EQ(shared(0), 100u);
  EXPECT_EQ(shared(4), 104u) << "the second for which the predicate holds";
  EXPECT_EQ(value(2, 3), 5u) << "the count";
  EXPECT_EQ(value(2, 9), 0u);
}

TEST_F(ConditionalAccumulate, OfThreadsThatMetUsesThePredicatesOfTheMeeting) {
  isa::MicroOp& op = bench_.kernel.ops[0];
  bench_.meetings.settle(bench_.meetings.arrive(bench_.warp(), op, 0xffff, 0xffff).meeting, 0xf0f1);
  execute(ThreadSet::of_word(0xff00));
  EXPECT_EQ(value(2, 8), 9u) << "all that met";
  EXPECT_EQ(shared(20), 112u) << "behind the five of the others";
  execute(ThreadSet::of_word(0x00ff));
  EXPECT_EQ(shared(0), 100u);
  EXPECT_EQ(value(2, 0), 9u);
}

class TwoWords : public InstructionEffectsTest {
 protected:
  TwoWords() : InstructionEffectsTest({.contexts = 4, .granule = 64, .span = 64}) {}
};

TEST_F(TwoWords, AreGuardedAndExecutedEachForItself) {
  isa::MicroOp& op = add(Opcode::st, isa::Space::shared, {reg(0), reg(1)});
  op.guard = IssueBench::predicate_at(0);
  bench_.start(64);
  bench_.predicate(bench_.warp(1), 0) = 0x3;
  for (unsigned lane = 0; lane < 2; ++lane) {
    bench_.value(bench_.warp(1), 0, lane) = 8 + 4 * lane;
    bench_.value(bench_.warp(1), 1, lane) = 7 + lane;
  }
  const ThreadSet threads = effects_.guarded(ContextId(0), op, ThreadSet::first_n(64));
  EXPECT_EQ(text_of(threads), "32-33");
  const Packet& packet = execute(threads);
  EXPECT_EQ(shared(8), 7u);
  EXPECT_EQ(shared(12), 8u);
  EXPECT_EQ(packet.memory->addresses[0].mask, 0u);
  EXPECT_EQ(packet.memory->addresses[1].mask, 0x3u);
}

TEST(Effects, OfFewInstructionsMustNotComeLater) {
  std::vector<Opcode> others;
  for (unsigned i = 0; i < static_cast<unsigned>(Opcode::count); ++i) {
    if (!may_run_ahead(static_cast<Opcode>(i))) others.push_back(static_cast<Opcode>(i));
  }
  EXPECT_THAT(others, testing::UnorderedElementsAre(Opcode::syscall, Opcode::tex, Opcode::async_copy, Opcode::mbarrier,
                                                    Opcode::cond_acc));
}

}  // namespace
}  // namespace heddle::sm
