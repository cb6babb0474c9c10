// SPDX-License-Identifier: Apache-2.0
// Races between warps: what orders two accesses and what does not, whichever the run executed first.
#include "gpu/checks/race_checker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "gpu/device_memory.h"
#include "gpu/functional/functional_machine.h"
#include "isa/module.h"
#include "tb/device_port.h"

namespace heddle::gpu {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class RaceCheckerTest : public testing::Test {
 protected:
  RaceCheckerTest() : memory_({DeviceMemory::kDefaultBase, 1 << 20, 1 << 20}), port_(memory_) {
    parameters_.limits.sm_count = 2;
    parameters_.limits.max_blocks_per_sm = 2;
    out_ = memory_.allocate(65536, AllocationKind::device);
    std::memset(reinterpret_cast<void*>(out_), 0, 65536);
  }

  /// The results' address is in %out; threads in %t, warps in %w, blocks in %b; %warp0 and %warp1 hold for these warps,
  /// %first for thread 0 of every warp; 'box' and 'flag' are shared.
  std::vector<Race> races(const std::string& body, std::uint32_t threads = 64, std::uint32_t blocks = 1,
                          bool global = false) {
    const std::string text =
        ".version 7.0\n.target sm_70\n.address_size 64\n"
        ".visible .entry k(.param .u64 p)\n{\n"
        ".reg .pred %p<9>, %warp0, %warp1, %first; .reg .b32 %r<20>, %t, %w, %b; .reg .b64 %rd<20>, %out;\n"
        ".shared .align 4 .b8 box[4096];\n.shared .align 4 .b8 flag[4];\n"
        "ld.param.u64 %out, [p];\ncvta.to.global.u64 %out, %out;\nmov.u32 %t, %tid.x;\nmov.u32 %b, %ctaid.x;\n"
        "shr.u32 %w, %t, 5; setp.eq.u32 %warp0, %w, 0; setp.eq.u32 %warp1, %w, 1;\n"
        "and.b32 %r19, %t, 31; setp.eq.u32 %first, %r19, 0;\n" +
        body + "\nret;\n}\n";
    RaceChecker checker(global, [this](std::uint64_t address) { return memory_.nearest(address); });
    FunctionalMachine machine(parameters_, memory_, port_);
    machine.observe(&checker);
    LaunchRequest request;
    request.kernel = isa::Module::parse(text, "test.ptx")->lower("k", tb::NoSymbols());
    request.grid = {blocks, 1, 1};
    request.block = {threads, 1, 1};
    request.parameters.resize(8);
    std::memcpy(request.parameters.data(), &out_, 8);
    machine.launch(request);
    return checker.races();
  }
  void expect_clean(const std::string& body, std::uint32_t threads = 64, std::uint32_t blocks = 1,
                    bool global = false) {
    for (const Race& race : races(body, threads, blocks, global)) ADD_FAILURE() << race.text();
  }
  /// Exactly one race, and no harmless ones.
  std::string expect_race(const std::string& body, std::uint32_t threads = 64, std::uint32_t blocks = 1,
                          bool global = false) {
    const std::vector<Race> found = races(body, threads, blocks, global);
    EXPECT_EQ(found.size(), 1u);
    if (found.empty()) return {};
    EXPECT_FALSE(found[0].harmless) << found[0].text();
    return found[0].text();
  }

  FunctionalMachine::Parameters parameters_;
  DeviceMemory memory_;
  tb::DevicePort port_;
  std::uint64_t out_ = 0;
};

// Warp 0 stores first or second: what the run executes first is warp 0's.
const std::string kWriteBox = "st.shared.u32 [box+8], %t;\n", kReadBox = "ld.shared.u32 %r1, [box+8];\n";
const std::string kFirstOf0 = "@!%warp0 bra NOT0;\n@!%first bra NOT0;\n",
                  kFirstOf1 = "@!%warp1 bra NOT1;\n@!%first bra NOT1;\n";

TEST_F(RaceCheckerTest, NamesBothInstructionsThreadsThePlaceAndTheKind) {
  const std::string text = expect_race(kFirstOf0 + kWriteBox + "NOT0:\n" + kFirstOf1 + kReadBox + "NOT1:\n");
  EXPECT_THAT(text, AllOf(HasSubstr("kernel 'k'"), HasSubstr("shared variable 'box' at offset 8"),
                          HasSubstr("thread (0,0,0) of block (0,0,0) writes it at test.ptx:"),
                          HasSubstr("thread (32,0,0) of block (0,0,0) reads it at test.ptx:"),
                          HasSubstr("st.shared.u32 [box+8]"), HasSubstr("ld.shared.u32 %r1, [box+8]"),
                          HasSubstr("read-write, 1 time)")));
}

TEST_F(RaceCheckerTest, FindsTheSameWhenTheReaderRunsFirst) {
  EXPECT_THAT(expect_race(kFirstOf0 + kReadBox + "NOT0:\n" + kFirstOf1 + kWriteBox + "NOT1:\n"),
              AllOf(HasSubstr("(0,0,0) reads it"), HasSubstr("(32,0,0) of block (0,0,0) writes it")));
}

TEST_F(RaceCheckerTest, ABarrierOfTheBlockOrders) {
  expect_clean(kFirstOf0 + kWriteBox + "NOT0:\nbar.sync 0;\n" + kFirstOf1 + kReadBox + "NOT1:\n");
}

TEST_F(RaceCheckerTest, ThreadsOfOneWarpAreNotItsBusiness) {
  expect_clean("st.shared.u32 [box+8], %t;\nld.shared.u32 %r1, [box+8];\n", 32);
}

TEST_F(RaceCheckerTest, AMeetingOrdersAWarpOnly) {
  EXPECT_THAT(expect_race(kFirstOf0 + kWriteBox + "NOT0:\nbar.warp.sync -1;\n" + kFirstOf1 + kReadBox + "NOT1:\n"),
              HasSubstr("box"));
}

TEST_F(RaceCheckerTest, AStoreMadePublicByAThreadThatItsWarpMetIsOrdered) {
  // Lane 3 stores and synchronises with lane 0, which passes the order on.
  expect_clean("@!%warp0 bra NOT0;\nsetp.ne.u32 %p1, %t, 3;\n@%p1 bra MEET;\n" + kWriteBox +
               "MEET:\nbar.warp.sync -1;\n@!%first bra NOT0;\nmembar.cta;\nst.volatile.shared.u32 [flag], 1;\nNOT0:\n" +
               kFirstOf1 +
               "WAIT:\nld.volatile.shared.u32 %r2, [flag];\nsetp.eq.u32 %p2, %r2, 0;\n@%p2 bra WAIT;\nmembar.cta;\n" +
               kReadBox + "NOT1:\n");
}

const char* const kWait = "WAIT:\nld.volatile.shared.u32 %r2, [flag];\nsetp.eq.u32 %p2, %r2, 0;\n@%p2 bra WAIT;\n";

TEST_F(RaceCheckerTest, AFlagNeedsFencesOnBothSides) {
  const auto body = [&](const std::string& before, const std::string& behind) {
    return kFirstOf0 + kWriteBox + before + "st.volatile.shared.u32 [flag], 1;\nNOT0:\n" + kFirstOf1 + kWait + behind +
           kReadBox + "NOT1:\n";
  };
  expect_clean(body("membar.cta;\n", "membar.cta;\n"));
  expect_clean(body("membar.gl;\n", "membar.cta;\n"));
  expect_race(body("", "membar.cta;\n"));
  expect_race(body("membar.cta;\n", ""));
}

TEST_F(RaceCheckerTest, ReleaseAndAcquireNeedNone) {
  const auto body = [&](const std::string& store, const std::string& load) {
    return kFirstOf0 + kWriteBox + store + " [flag], 1;\nNOT0:\n" + kFirstOf1 + "WAIT:\n" + load +
           " %r2, [flag];\nsetp.eq.u32 %p2, %r2, 0;\n@%p2 bra WAIT;\n" + kReadBox + "NOT1:\n";
  };
  expect_clean(body("st.release.cta.shared.u32", "ld.acquire.cta.shared.u32"));
  expect_race(body("st.relaxed.cta.shared.u32", "ld.acquire.cta.shared.u32"));
  expect_race(body("st.release.cta.shared.u32", "ld.relaxed.cta.shared.u32"));
}

TEST_F(RaceCheckerTest, WhatIsStoredBehindTheFenceIsNotPassedOn) {
  expect_race(kFirstOf0 + "membar.cta;\n" + kWriteBox + "st.volatile.shared.u32 [flag], 1;\nNOT0:\n" + kFirstOf1 +
              kWait + "membar.cta;\n" + kReadBox + "NOT1:\n");
}

TEST_F(RaceCheckerTest, APlainFlagRacesItself) {
  const std::string text = expect_race(kFirstOf0 + "membar.cta;\nst.shared.u32 [flag], 1;\nNOT0:\n" + kFirstOf1 +
                                       "ld.shared.u32 %r2, [flag];\nNOT1:\n");
  EXPECT_THAT(text, HasSubstr("'flag'"));
}

TEST_F(RaceCheckerTest, AtomicsOfOnePlaceDoNotRaceButWithAPlainStoreTheyDo) {
  expect_clean("red.shared.add.u32 [flag], 1;\n", 128);
  // Thread 0 clears the counter and participates itself, which hides its store from the others' atomics.
  EXPECT_THAT(expect_race(kFirstOf0 + "st.shared.u32 [flag], 0;\nNOT0:\nred.shared.add.u32 [flag], 1;\n"),
              HasSubstr("red.shared"));
  expect_clean(kFirstOf0 + "st.shared.u32 [flag], 0;\nNOT0:\nbar.sync 0;\nred.shared.add.u32 [flag], 1;\n");
}

TEST_F(RaceCheckerTest, AnAtomicOrdersNothingWithoutFences) {
  const auto body = [&](const std::string& fence) {
    return kFirstOf0 + kWriteBox + fence + "atom.shared.exch.b32 %r3, [flag], 1;\nNOT0:\n" + kFirstOf1 +
           "WAIT:\natom.shared.cas.b32 %r2, [flag], 1, 2;\nsetp.ne.u32 %p2, %r2, 1;\n@%p2 bra WAIT;\n" + fence +
           kReadBox + "NOT1:\n";
  };
  expect_clean(body("membar.cta;\n"));
  expect_race(body(""));
}

TEST_F(RaceCheckerTest, ANamedBarrierOrdersWhoTakesPart) {
  // Warps 0 and 1 of three; warp 2 reads too.
  const std::string two = "setp.gt.u32 %p1, %w, 1;\n@%p1 bra THIRD;\n" + kFirstOf0 + kWriteBox +
                          "NOT0:\nbar.sync 1, 64;\n@!%warp1 bra DONE;\n" + kReadBox + "DONE:\nbra.uni END;\nTHIRD:\n";
  expect_clean(two + "END:\n", 96);
  const std::vector<Race> found = races(two + kReadBox + "END:\n", 96);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0].text(), HasSubstr("(64,0,0) of block (0,0,0) reads"));
}

TEST_F(RaceCheckerTest, ArrivingPassesOnAndDoesNotLearn) {
  // Warp 0 fills and arrives; warp 1 waits and reads. Then warp 0 fills again: with or without waiting for the reader.
  const auto body = [&](const std::string& reader, const std::string& writer) {
    return "@!%warp0 bra CONSUMER;\n@!%first bra FULL;\n" + kWriteBox + "FULL:\nbar.arrive 1, 64;\n" + writer +
           "@!%first bra END;\nst.shared.u32 [box+8], 77;\nbra.uni END;\nCONSUMER:\nbar.sync 1, 64;\n" + kReadBox +
           reader + "END:\n";
  };
  expect_clean(body("bar.arrive 2, 64;\n", "bar.sync 2, 64;\n"));
  EXPECT_THAT(expect_race(body("", "")), HasSubstr("read-write"));
}

TEST_F(RaceCheckerTest, DoubleBufferingNeedsOneBarrierARound) {
  // Round i fills buffer i % 2 and reads the neighbour warp's half of it after the barrier.
  const auto body = [](const std::string& buffers) {
    return "mov.u32 %r1, 0;\nLOOP:\nand.b32 %r2, %r1, " + buffers +
           ";\nshl.b32 %r2, %r2, 8;\nshl.b32 %r3, %t, 2;\nadd.u32 %r4, %r2, %r3;\nmov.u32 %r5, box;\n"
           "add.u32 %r4, %r4, %r5;\nst.shared.u32 [%r4], %r1;\nbar.sync 0;\nxor.b32 %r6, %r3, 128;\n"
           "add.u32 %r6, %r6, %r2;\nadd.u32 %r6, %r6, %r5;\nld.shared.u32 %r7, [%r6];\n"
           "add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 6;\n@%p1 bra LOOP;\n";
  };
  expect_clean(body("1"));
  EXPECT_THAT(expect_race(body("0")), HasSubstr("read-write"));
}

TEST_F(RaceCheckerTest, StoresOfOneValueAreHarmless) {
  const std::vector<Race> same = races("st.shared.u32 [box], 7;\n");
  ASSERT_EQ(same.size(), 1u);
  EXPECT_TRUE(same[0].harmless);
  EXPECT_THAT(same[0].text(), HasSubstr("write-write"));
  EXPECT_THAT(expect_race("st.shared.u32 [box], %w;\n"), HasSubstr("write-write"));
}

TEST_F(RaceCheckerTest, BytesOfAWordAreDifferentPlaces) {
  expect_clean(
      "mov.u32 %r1, box;\nadd.u32 %r1, %r1, %w;\n@!%first bra DONE;\nst.shared.u8 [%r1], %t;\nld.shared.u8 %r2, "
      "[%r1];\n"
      "DONE:\n",
      128);
  expect_race(kFirstOf0 + "st.shared.u8 [box+9], 3;\nNOT0:\n" + kFirstOf1 + kReadBox + "NOT1:\n");
}

TEST_F(RaceCheckerTest, GlobalMemoryIsLookedAtWhenAskedFor) {
  const std::string body = "st.global.u32 [%out], %w;\n";
  expect_clean(body);
  EXPECT_THAT(expect_race(body, 64, 1, true), HasSubstr("device allocation 1"));
}

TEST_F(RaceCheckerTest, BlocksAreOrderedByNothingButFencesAndFlags) {
  // The last block to finish reads what all stored.
  const auto body = [](const std::string& before, const std::string& behind) {
    return "@!%first bra END;\n@!%warp0 bra END;\nmul.wide.u32 %rd1, %b, 4;\nadd.s64 %rd1, %out, %rd1;\n"
           "st.global.u32 [%rd1+64], %b;\n" +
           before + "atom.global.inc.u32 %r1, [%out], 100;\n" + behind +
           "setp.ne.u32 %p1, %r1, 8;\n@%p1 bra END;\nld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%out+64];\n"
           "ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [%out+80];\nEND:\n";
  };
  const auto fresh = [this] { std::memset(reinterpret_cast<void*>(out_), 0, 65536); };
  expect_clean(body("membar.gl;\n", "membar.gl;\n"), 64, 9, true);
  fresh();
  EXPECT_EQ(races(body("", "membar.gl;\n"), 64, 9, true).size(), 2u);
  fresh();
  EXPECT_EQ(races(body("membar.cta;\n", "membar.gl;\n"), 64, 9, true).size(), 2u) << "a fence of the block";
}

TEST_F(RaceCheckerTest, WhatAllFencedBeforeABarrierOneThreadPassesOn) {
  // Every thread stores and fences; after the barrier thread 0 counts its block; threads of the last one read.
  const std::string body =
      "mad.lo.u32 %r1, %b, 64, %t;\nmul.wide.u32 %rd1, %r1, 4;\nadd.s64 %rd1, %out, %rd1;\nst.global.u32 [%rd1+64], "
      "%t;\n"
      "membar.gl;\nbar.sync 0;\n@!%first bra NOT0;\n@!%warp0 bra NOT0;\natom.global.inc.u32 %r2, [%out], 100;\n"
      "st.shared.u32 [flag], %r2;\nNOT0:\nbar.sync 0;\nld.shared.u32 %r2, [flag];\nsetp.ne.u32 %p1, %r2, 2;\n"
      "@%p1 bra END;\nmul.wide.u32 %rd2, %t, 12;\nadd.s64 %rd2, %out, %rd2;\nld.global.u32 %r3, [%rd2+64];\nEND:\n";
  expect_clean(body, 64, 3, true);
}

// -- mbarrier objects

const std::string kObject =
    ".shared .align 8 .b64 bar;\nsetp.eq.u32 %p8, %t, 0;\n@%p8 mbarrier.init.shared.b64 [bar], 1;\nbar.sync 0;\n";
const std::string kAwait = "SPIN:\nmbarrier.try_wait.parity.shared.b64 %p7, [bar], 0;\n@!%p7 bra SPIN;\n";

TEST_F(RaceCheckerTest, AnArrivalPassesOnToWhoFindsThePhaseComplete) {
  const std::string store = "st.shared.u32 [box+8], 7;\n";
  const auto body = [&](const std::string& before, const std::string& behind, const std::string& wait) {
    return kObject + kFirstOf0 + before + "mbarrier.arrive.shared.b64 %rd1, [bar];\n" + behind + "NOT0:\n" + kFirstOf1 +
           wait + kReadBox + "NOT1:\n";
  };
  expect_clean(body(store, "", kAwait));
  expect_race(body("", store, kAwait));
  expect_race(body(store, "", ""));
}

TEST_F(RaceCheckerTest, ARelaxedArrivalOrWaitWantsAFence) {
  const auto body = [&](const std::string& before, const std::string& order, const std::string& behind) {
    return kObject + kFirstOf0 + kWriteBox + before + "mbarrier.arrive" + order + ".shared.b64 %rd1, [bar];\nNOT0:\n" +
           kFirstOf1 + "SPIN:\nmbarrier.try_wait.parity" + order + ".shared.b64 %p7, [bar], 0;\n@!%p7 bra SPIN;\n" +
           behind + kReadBox + "NOT1:\n";
  };
  expect_clean(body("membar.cta;\n", ".relaxed.cta", "membar.cta;\n"));
  expect_race(body("", ".relaxed.cta", "membar.cta;\n"));
  expect_race(body("membar.cta;\n", ".relaxed.cta", ""));
}

TEST_F(RaceCheckerTest, AnArrivalOfTheNextPhaseIsNotPassedOnYet) {
  // Thread 0 completes phase 0, stores and arrives in phase 1, which has another arrival to come.
  const std::string object =
      ".shared .align 8 .b64 bar;\nsetp.eq.u32 %p8, %t, 0;\n"
      "@%p8 mbarrier.init.shared.b64 [bar], 2;\nbar.sync 0;\n";
  expect_race(object + kFirstOf0 + "mbarrier.arrive.shared.b64 %rd1, [bar], 2;\n" + kWriteBox +
              "mbarrier.arrive.shared.b64 %rd1, [bar];\nNOT0:\n" + kFirstOf1 + kAwait + kReadBox + "NOT1:\n");
}

TEST_F(RaceCheckerTest, AnObjectWantsABarrierBehindItsInitialisation) {
  const auto body = [](const std::string& barrier) {
    return ".shared .align 8 .b64 bar;\nsetp.eq.u32 %p8, %t, 0;\n@%p8 mbarrier.init.shared.b64 [bar], 64;\n" + barrier +
           "mbarrier.arrive.shared.b64 %rd1, [bar];\n";
  };
  expect_clean(body("bar.sync 0;\n"));
  EXPECT_THAT(expect_race(body("")),
              AllOf(HasSubstr("'bar'"), HasSubstr("mbarrier.init"), HasSubstr("mbarrier.arrive")));
}

// -- copies to shared memory

const std::string kCopy =
    "mov.u32 %r10, box;\nshl.b32 %r11, %t, 2;\nadd.u32 %r10, %r10, %r11;\ncvt.u64.u32 %rd5, %r11;\n"
    "add.u64 %rd5, %out, %rd5;\ncp.async.ca.shared.global [%r10], [%rd5], 4;\n";
const std::string kReadOwn = "ld.shared.u32 %r12, [%r10];\n",
                  kReadOther =
                      "mov.u32 %r13, box;\nxor.b32 %r14, %r11, 128;\nadd.u32 %r13, %r13, %r14;\n"
                      "ld.shared.u32 %r12, [%r13];\n";

TEST_F(RaceCheckerTest, AThreadWaitsForItsOwnCopy) {
  expect_clean(kCopy + "cp.async.wait_all;\n" + kReadOwn);
  expect_clean(kCopy + "cp.async.commit_group;\ncp.async.wait_group 0;\n" + kReadOwn);
  const std::string text = expect_race(kCopy + kReadOwn);
  EXPECT_THAT(text, AllOf(HasSubstr("copies to it at test.ptx:"), HasSubstr("`cp.async.ca.shared.global"),
                          HasSubstr("reads it at"),
                          HasSubstr("without a wait for the copy by the first: use cp.async.wait_group")));
  EXPECT_THAT(expect_race(kCopy + "cp.async.commit_group;\ncp.async.wait_group 1;\n" + kReadOwn),
              HasSubstr("without a wait for the copy"));
  EXPECT_THAT(expect_race(kCopy + "cp.async.wait_group 0;\n" + kReadOwn), HasSubstr("without a wait for the copy"))
      << "not of a group yet";
}

TEST_F(RaceCheckerTest, OtherThreadsWantTheWaitAndThenABarrier) {
  expect_clean(kCopy + "cp.async.wait_all;\nbar.sync 0;\n" + kReadOther);
  EXPECT_THAT(expect_race(kCopy + "bar.sync 0;\n" + kReadOther), HasSubstr("without a wait for the copy"));
  EXPECT_THAT(expect_race(kCopy + "bar.sync 0;\n" + kReadOther + "bar.sync 0;\ncp.async.wait_all;\n"),
              HasSubstr("without a wait for the copy"));
  EXPECT_THAT(expect_race(kCopy + "cp.async.wait_all;\n" + kReadOther), HasSubstr("without synchronisation"));
}

TEST_F(RaceCheckerTest, ABarrierBeforeTheWaitDoesNotOrderTheCopy) {
  // Only warp 0 copies; warp 1 passes the barrier, then both increment a flag, so that it reads after the wait.
  EXPECT_THAT(expect_race("@!%warp0 bra MEET;\n" + kCopy +
                          "MEET:\nshl.b32 %r11, %t, 2;\nbar.sync 0;\n"
                          "cp.async.wait_all;\n@!%warp1 bra END;\n" +
                          kReadOther + "END:\n"),
              HasSubstr("box"));
}

TEST_F(RaceCheckerTest, ReadersGiveTheBufferBackBeforeItIsFilledAgain) {
  const auto body = [&](const std::string& barrier) {
    return kCopy + "cp.async.wait_all;\nbar.sync 0;\n" + kReadOther + barrier +
           "cp.async.ca.shared.global [%r10], [%rd5], 4;\n";
  };
  expect_clean(body("bar.sync 0;\n"));
  EXPECT_THAT(expect_race(body("")), HasSubstr("read-write"));
}

TEST_F(RaceCheckerTest, CopiesThatArriveAtAnObjectAreOrderedForWhoWaitsThere) {
  const auto body = [&](const std::string& wait) {
    return ".shared .align 8 .b64 bar;\nsetp.eq.u32 %p8, %t, 0;\n@%p8 mbarrier.init.shared.b64 [bar], 64;\n"
           "bar.sync 0;\n" +
           kCopy + "cp.async.mbarrier.arrive.noinc.shared.b64 [bar];\n" + wait + kReadOther;
  };
  expect_clean(body(kAwait));
  EXPECT_THAT(expect_race(body("bar.sync 0;\n")), HasSubstr("without a wait for the copy"));
}

TEST_F(RaceCheckerTest, ACopyThatReadsNothingWritesZeros) {
  const std::string copy =
      "mov.u32 %r10, box;\nshl.b32 %r11, %t, 2;\nadd.u32 %r10, %r10, %r11;\n"
      "cp.async.ca.shared.global [%r10], [%out], 4, 0;\n";
  expect_clean(copy + "cp.async.wait_all;\n" + kReadOwn);
  EXPECT_THAT(expect_race(copy + kReadOwn), HasSubstr("without a wait for the copy"));
}

}  // namespace
}  // namespace heddle::gpu
