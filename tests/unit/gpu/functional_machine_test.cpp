// SPDX-License-Identifier: Apache-2.0
// Small PTX kernels on a small machine: residency, splits, barriers, meetings, and detection of stuck kernels.
#include "gpu/functional/functional_machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "core/error.h"
#include "gpu/device_memory.h"
#include "gpu/run_control.h"
#include "isa/fault.h"
#include "isa/module.h"
#include "tb/device_port.h"

namespace heddle::gpu {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class FunctionalMachineTest : public testing::Test {
 protected:
  FunctionalMachineTest() : memory_({DeviceMemory::kDefaultBase, 1 << 20, 1 << 20}), port_(memory_) {
    parameters_.limits.sm_count = 2;
    parameters_.limits.max_blocks_per_sm = 2;
    out_ = memory_.allocate(65536, AllocationKind::device);
    std::memset(reinterpret_cast<void*>(out_), 0, 65536);
  }

  /// A kernel with one parameter, the address of the results, in %out; %tid in %t, %ctaid in %b.
  static std::shared_ptr<const isa::Kernel> kernel(const std::string& body) {
    const std::string text =
        ".version 6.4\n.target sm_70\n.address_size 64\n"
        ".visible .entry k(.param .u64 p)\n{\n"
        ".reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .b64 %out; .reg .b32 %t; .reg .b32 %b;\n"
        ".shared .align 4 .b8 box[4096];\n"
        "ld.param.u64 %out, [p];\ncvta.to.global.u64 %out, %out;\nmov.u32 %t, %tid.x;\nmov.u32 %b, %ctaid.x;\n" +
        body + "\nret;\n}\n";
    return isa::Module::parse(text, "test.ptx")->lower("k", tb::NoSymbols());
  }
  /// out[thread of the grid] = %r0, for blocks of 64 or fewer threads.
  static constexpr const char* kStoreR0 =
      "mov.u32 %r18, %ntid.x; mad.lo.s32 %r18, %b, %r18, %t; mul.wide.u32 %rd18, %r18, 4; add.s64 %rd18, %out, %rd18;\n"
      "st.global.u32 [%rd18], %r0;\n";

  LaunchReport launch(const std::string& body, std::uint32_t blocks, std::uint32_t threads, std::uint64_t limit = 0) {
    FunctionalMachine machine(parameters_, memory_, port_);
    LaunchRequest request;
    request.kernel = kernel(body);
    request.grid = {blocks, 1, 1};
    request.block = {threads, 1, 1};
    request.parameters.resize(8);
    request.max_thread_instructions = limit;
    std::memcpy(request.parameters.data(), &out_, 8);
    return machine.launch(request);
  }
  std::string failure(const std::string& body, std::uint32_t blocks, std::uint32_t threads, ExitCode code,
                      std::uint64_t limit = 0) {
    try {
      launch(body, blocks, threads, limit);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code);
      return error.what();
    }
    return "no error";
  }
  std::uint32_t out(std::size_t i) const { return reinterpret_cast<const std::uint32_t*>(out_)[i]; }

  FunctionalMachine::Parameters parameters_;
  DeviceMemory memory_;
  tb::DevicePort port_;
  std::uint64_t out_ = 0;
};

TEST_F(FunctionalMachineTest, EveryThreadOfEveryBlockRunsOnce) {
  launch(std::string("mad.lo.s32 %r0, %b, 1000, %t;\n") + kStoreR0, 9, 40);
  for (std::uint32_t i = 0; i < 9 * 40; ++i) EXPECT_EQ(out(i), i / 40 * 1000 + i % 40);
}

TEST_F(FunctionalMachineTest, CountsInstructionsOfActiveThreads) {
  // 4 instructions of the frame, one of the body, ret: 6 for 2 warps, 33 threads.
  const LaunchReport report = launch("mov.u32 %r0, 1;", 1, 33);
  const auto ops = kernel("mov.u32 %r0, 1;")->ops.size();
  EXPECT_EQ(report.warp_instructions, 2 * ops);
  EXPECT_EQ(report.thread_instructions, 33 * ops);
  EXPECT_FALSE(report.timed);
}

TEST_F(FunctionalMachineTest, DivergedThreadsMeetAgainBehindTheBranch) {
  const char* body =
      "setp.lt.u32 %p1, %t, 7;\n@%p1 bra LOW;\nmov.u32 %r0, 1;\nbra.uni JOIN;\nLOW:\nmov.u32 %r0, 2;\nJOIN:\n"
      "activemask.b32 %r1;\nadd.u32 %r0, %r0, %r1;\n";
  launch(std::string(body) + kStoreR0, 1, 32);
  EXPECT_EQ(out(0), 0xffffffffu + 2);
  EXPECT_EQ(out(31), 0xffffffffu + 1);
}

TEST_F(FunctionalMachineTest, ResidentBlocksShareTheMachineAndOthersWait) {
  // Each block waits until as many blocks as fit have arrived: 2 SMs x 2 blocks.
  const std::string body =
      "setp.ne.u32 %p1, %t, 0;\n@%p1 bra DONE;\natom.global.add.u32 %r1, [%out], 1;\n"
      "WAIT:\nld.volatile.global.u32 %r1, [%out];\nsetp.lt.u32 %p2, %r1, 4;\n@%p2 bra WAIT;\nDONE:\n";
  launch(body, 4, 32);
  EXPECT_EQ(out(0), 4u);
}

TEST_F(FunctionalMachineTest, SmAndWarpNumbersFollowThePlaceOfABlock) {
  const std::string body =
      "mov.u32 %r0, %smid;\nmov.u32 %r1, %nsmid;\nmad.lo.u32 %r0, %r1, 10, %r0;\n"
      "mov.u32 %r1, %warpid;\nmad.lo.u32 %r0, %r1, 100, %r0;\n";
  launch(body + kStoreR0, 4, 1);
  EXPECT_EQ(out(0), 20u);
  EXPECT_EQ(out(1), 21u);
  EXPECT_EQ(out(2), 120u);
  EXPECT_EQ(out(3), 121u);
}

TEST_F(FunctionalMachineTest, SharedMemoryStartsAtZeroInEveryBlock) {
  launch(std::string("mov.u32 %r1, box; ld.shared.u32 %r0, [%r1]; st.shared.u32 [%r1], 7;\n") + kStoreR0, 6, 1);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(out(i), 0u);
}

TEST_F(FunctionalMachineTest, BarrierWithCountTakesWholeWarps) {
  // 40 threads: the second warp has 8, and a barrier for 64 threads completes.
  launch(std::string("bar.sync 3, 64;\nmov.u32 %r0, 5;\n") + kStoreR0, 1, 40);
  EXPECT_EQ(out(39), 5u);
}

TEST_F(FunctionalMachineTest, AnArrivingPartialWarpCountsWholeToo) {
  const std::string body =
      "setp.ge.u32 %p1, %t, 32;\n@%p1 bra ARRIVE;\nbar.sync 3, 64;\nbra.uni JOIN;\nARRIVE:\nbar.arrive 3, 64;\nJOIN:\n"
      "mov.u32 %r0, 5;\n";
  launch(body + kStoreR0, 1, 40);
  EXPECT_EQ(out(0), 5u);
  EXPECT_EQ(out(39), 5u);
}

TEST_F(FunctionalMachineTest, BarrierReductionsSeeEveryThread) {
  const std::string body =
      "and.b32 %r1, %t, 1;\nsetp.eq.u32 %p1, %r1, 0;\nbar.red.popc.u32 %r0, 0, %p1;\n"
      "setp.lt.u32 %p2, %t, 64;\nbar.red.and.pred %p3, 0, %p2;\nsetp.gt.u32 %p2, %t, 70;\nbar.red.or.pred %p4, 0, "
      "%p2;\n"
      "selp.u32 %r2, 1000, 0, %p3;\nselp.u32 %r3, 5000, 0, %p4;\nadd.u32 %r0, %r0, %r2;\nadd.u32 %r0, %r0, %r3;\n";
  launch(body + kStoreR0, 1, 64);
  EXPECT_EQ(out(0), 32u + 1000u);
  launch(body + kStoreR0, 1, 80);
  EXPECT_EQ(out(79), 40u + 5000u);
}

TEST_F(FunctionalMachineTest, GuardedBarriersAreForThoseWhoseGuardHolds) {
  // Odd threads skip the barrier and exit; it then waits for no one else.
  const std::string body =
      "and.b32 %r1, %t, 1;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bar.sync 0;\n@!%p1 exit;\nmov.u32 %r0, 3;\n";
  launch(body + kStoreR0, 1, 64);
  EXPECT_EQ(out(62), 3u);
  EXPECT_EQ(out(63), 0u);
}

TEST_F(FunctionalMachineTest, NamedThreadsMeetFromSeveralPlaces) {
  // The two shuffles use different registers.
  const std::string body =
      "setp.lt.u32 %p1, %t, 10;\nmov.u32 %r0, 0;\n@%p1 bra LOW;\n"
      "mov.u32 %r1, %t;\nshfl.sync.bfly.b32 %r2, %r1, 31, 31, -1;\nadd.u32 %r0, %r2, 1000;\nadd.u32 %r0, %r0, %r1;\n"
      "bra.uni JOIN;\nLOW:\n"
      "add.u32 %r3, %t, 100;\nshfl.sync.bfly.b32 %r4|%p2, %r3, 31, 31, -1;\nadd.u32 %r0, %r4, 2000;\nselp.u32 %r5, "
      "500, 0, %p2;\n"
      "add.u32 %r0, %r0, %r5;\nJOIN:\n";
  launch(body + kStoreR0, 1, 32);
  EXPECT_EQ(out(0), 31u + 2000 + 500);
  EXPECT_EQ(out(31), 100u + 1000 + 31);
  EXPECT_EQ(out(15), 16u + 1000 + 15);
}

TEST_F(FunctionalMachineTest, AMeetingGoesOnWhenAThreadItWaitsForLeaves) {
  // Lane 31 loops for a while and leaves; the others wait for it at the vote.
  const std::string body =
      "setp.eq.u32 %p1, %t, 31;\n@%p1 bra LATE;\nvote.sync.ballot.b32 %r0, 1, -1;\nbra.uni JOIN;\n"
      "LATE:\nmov.u32 %r1, 100;\nLOOP:\nsub.u32 %r1, %r1, 1;\nsetp.ne.u32 %p2, %r1, 0;\n@%p2 bra LOOP;\nexit;\nJOIN:\n";
  launch(body + kStoreR0, 1, 32);
  EXPECT_EQ(out(0), 0x7fffffffu);
}

// Thread i spins until thread i - 1 has had its turn.
constexpr const char* kInTurn =
    "mov.u32 %r0, 0;\nWAIT:\nld.volatile.global.u32 %r1, [%out+4096];\nsetp.ne.u32 %p2, %r1, %t;\n@%p2 bra WAIT;\n"
    "add.u32 %r1, %r1, 1;\nst.volatile.global.u32 [%out+4096], %r1;\nmov.u32 %r0, 9;\n";

TEST_F(FunctionalMachineTest, ThreadsOfAWarpMayWaitForEachOther) {
  launch(std::string(kInTurn) + kStoreR0, 1, 32);
  EXPECT_EQ(out(31), 9u);
}

TEST_F(FunctionalMachineTest, ClockCountsIssuedInstructions) {
  launch(std::string("mov.u32 %r1, %clock;\nmov.u32 %r3, 1;\nmov.u32 %r4, 2;\nst.global.u32 [%out+512], %r3;\n"
                     "mov.u32 %r2, %clock;\nsub.u32 %r0, %r2, %r1;\n") +
             kStoreR0,
         1, 1);
  EXPECT_GE(out(0), 2u);
  EXPECT_LE(out(0), 4u);
}

TEST_F(FunctionalMachineTest, DivergentBarrierNamesBothPlaces) {
  const std::string body =
      "setp.lt.u32 %p1, %t, 7;\n@%p1 bra LOW;\nbar.sync 0;\nbra.uni JOIN;\nLOW:\nbar.sync 0;\nadd.u32 %r1, %t, "
      "1;\nJOIN:\n";
  EXPECT_THAT(failure(body, 1, 32, ExitCode::no_progress),
              AllOf(HasSubstr("divergent barrier"), HasSubstr("threads 0-6 of block (0,0,0)"),
                    HasSubstr("threads 7-31"), HasSubstr("bar.sync 0")));
}

TEST_F(FunctionalMachineTest, AStuckBlockSaysWhoWaitsForWhat) {
  const std::string body =
      "setp.lt.u32 %p1, %t, 32;\n@%p1 bra LOW;\nbar.sync 1;\nbra.uni JOIN;\nLOW:\nbar.sync 2, 96;\nJOIN:\n";
  EXPECT_THAT(
      failure(body, 1, 64, ExitCode::no_progress),
      AllOf(HasSubstr("is stuck"),
            HasSubstr("threads 0-31 of block (0,0,0) wait at barrier 2 for 96 threads; 32 are there"),
            HasSubstr("threads 32-63 of block (0,0,0) wait at barrier 1 for every thread of the block; 32 are there")));
}

class EndlessLoops : public FunctionalMachineTest {
 protected:
  EndlessLoops() { parameters_.suspicion = 10000; }
};

TEST_F(EndlessLoops, AWaitForAValueThatNobodyWritesIsProven) {
  const std::string body = "WAIT:\nld.volatile.global.u32 %r0, [%out];\nsetp.eq.u32 %p2, %r0, 0;\n@%p2 bra WAIT;\n";
  EXPECT_THAT(failure(body, 3, 64, ExitCode::no_progress),
              AllOf(HasSubstr("makes no progress"), HasSubstr("threads 0-31 of block")));
}

TEST_F(EndlessLoops, LoopsOfDifferentLengthAreProven) {
  // Sampled at fixed numbers of instructions, loops of 37 and 41 would coincide only after 1,517 samples.
  std::string body = "and.b32 %r3, %t, 3;\nmov.u32 %r1, 0;\nsetp.eq.u32 %p3, %r3, 0;\n@%p3 bra OTHER;\n";
  const auto loop = [](const std::string& label, int length) {
    std::string text = label + ":\nld.volatile.global.u32 %r0, [%out];\n";
    for (int i = 0; i < length - 3; ++i) text += "xor.b32 %r1, %r1, %r0;\n";
    return text + "setp.eq.u32 %p2, %r0, 0;\n@%p2 bra " + label + ";\n";
  };
  body += loop("WAIT", 37) + "bra.uni JOIN;\n" + loop("OTHER", 41) + "JOIN:\n";
  EXPECT_THAT(failure(body, 1, 64, ExitCode::no_progress), HasSubstr("makes no progress"));
}

TEST_F(EndlessLoops, ASplitThatWaitsForAnotherOfItsWarpIsLeftAlone) {
  parameters_.suspicion = 100;  // before the waiting split is set aside for the first time
  launch(std::string(kInTurn) + kStoreR0, 1, 32);
  EXPECT_EQ(out(31), 9u);
}

TEST_F(EndlessLoops, ALockThatIsNeverFreedIsProven) {
  // The exchange writes 1 over 1: an atomic operation that changes nothing.
  const std::string body =
      "mov.u32 %r5, 1;\nst.global.u32 [%out], %r5;\nLOCK:\natom.global.exch.b32 %r0, [%out], %r5;\n"
      "setp.ne.u32 %p2, %r0, 0;\n@%p2 bra LOCK;\n";
  EXPECT_THAT(failure(body, 1, 32, ExitCode::no_progress), HasSubstr("makes no progress"));
}

/// Two warps: the upper polls a flag that the lower should set.
std::string poll(const std::string& lower, const std::string& upper) {
  return "mov.u32 %r0, 0;\nmov.u32 %r4, 0;\nmov.u32 %r5, 1;\nsetp.lt.u32 %p1, %t, 32;\n@%p1 bra LOWER;\nPOLL:\n" +
         upper +
         "ld.volatile.global.u32 %r1, [%out+512];\nsetp.eq.u32 %p2, %r1, 0;\n@%p2 bra POLL;\nbra.uni JOIN;\n"
         "LOWER:\n" +
         lower + "JOIN:\n";
}

TEST_F(EndlessLoops, TheMessageNamesWhatIsReadByWhomAndWhoWaits) {
  EXPECT_THAT(failure(poll("bar.sync 0;\n", ""), 1, 64, ExitCode::no_progress),
              AllOf(HasSubstr("threads 32-63 of block (0,0,0) repeat test.ptx:"),
                    HasSubstr("reading 0x200000000200 (at offset 512 of device allocation 1 of 65536 bytes"),
                    HasSubstr("by test.ptx:18 `ld.volatile.global.u32 %r1, [%out+512]"),
                    HasSubstr("threads 0-31 of block (0,0,0) wait at barrier 0")));
}

TEST_F(EndlessLoops, BlocksThatHaveYetToBeginAreNamed) {
  // Four blocks fit, but not the last one, which sets the flag.
  const std::string body =
      "setp.eq.u32 %p1, %b, 9;\n@%p1 bra SET;\nPOLL:\nld.volatile.global.u32 %r1, [%out];\nsetp.eq.u32 %p2, %r1, 0;\n"
      "@%p2 bra POLL;\nbra.uni JOIN;\nSET:\nmov.u32 %r5, 1;\nst.volatile.global.u32 [%out], %r5;\nJOIN:\n";
  EXPECT_THAT(failure(body, 10, 32, ExitCode::no_progress),
              AllOf(HasSubstr("reading 0x200000000000"), HasSubstr("Blocks 4 to 9 have not started")));
}

TEST_F(EndlessLoops, APollThatCountsItsTurnsForLaterIsProven) {
  const std::string body = poll("bar.sync 0;\n", "add.u32 %r0, %r0, 1;\n");
  EXPECT_THAT(failure(body + kStoreR0, 1, 64, ExitCode::no_progress, 100000000), HasSubstr("makes no progress"));
}

TEST_F(EndlessLoops, APollWithADelayOfManyTurnsIsProven) {
  const std::string delay =
      "mov.u32 %r6, 0;\nDELAY:\nadd.u32 %r6, %r6, 1;\nsetp.lt.u32 %p3, %r6, 500;\n@%p3 bra DELAY;\n";
  EXPECT_THAT(failure(poll("bar.sync 0;\n", delay), 1, 64, ExitCode::no_progress, 100000000),
              HasSubstr("makes no progress"));
}

TEST_F(EndlessLoops, APollThatGivesUpAfterSoManyTurnsIsLeftAlone) {
  const std::string body = poll("", "add.u32 %r0, %r0, 1;\nsetp.gt.u32 %p4, %r0, 100000;\n@%p4 bra JOIN;\n");
  launch(body + kStoreR0, 1, 64);
  EXPECT_EQ(out(40), 100001u);
}

TEST_F(EndlessLoops, APollOfWhatAnotherWarpWritesAfterLongWorkIsLeftAlone) {
  const std::string work =
      "WORK:\nadd.u32 %r4, %r4, 1;\nsetp.lt.u32 %p3, %r4, 300000;\n@%p3 bra WORK;\n"
      "st.volatile.global.u32 [%out+512], %r5;\n";
  launch(poll(work, "") + kStoreR0, 1, 64);
  EXPECT_EQ(out(40), 0u);
}

TEST_F(EndlessLoops, ALoopOfBarriersThatAnotherWarpCountsIsLeftAlone) {
  // Seen between two barriers the upper warp repeats itself and the lower waits.
  const std::string work =
      "WORK:\nbar.sync 1;\nadd.u32 %r4, %r4, 1;\nsetp.lt.u32 %p3, %r4, 30000;\n@%p3 bra WORK;\n"
      "st.volatile.global.u32 [%out+512], %r5;\n";
  launch(poll(work, "bar.sync 1;\n") + kStoreR0, 1, 64);
  EXPECT_EQ(out(40), 0u);
}

TEST_F(EndlessLoops, ALongLoopThatEndsIsLeftAlone) {
  const std::string body =
      "mov.u32 %r0, 0;\nLOOP:\nadd.u32 %r0, %r0, 1;\nsetp.lt.u32 %p2, %r0, 100000;\n@%p2 bra LOOP;\n";
  launch(body + kStoreR0, 1, 32);
  EXPECT_EQ(out(5), 100000u);
}

TEST_F(EndlessLoops, ALoopWhoseOnlyStateIsMemoryIsLeftAlone) {
  // Registers repeat, but the counter is in memory.
  const std::string body =
      "LOOP:\natom.global.add.u32 %r0, [%out+1024], 1;\nmov.u32 %r0, 0;\nld.volatile.global.u32 %r1, [%out+1024];\n"
      "setp.lt.u32 %p2, %r1, 50000;\nmov.u32 %r1, 0;\n@%p2 bra LOOP;\nmov.u32 %r0, 6;\n";
  launch(body + kStoreR0, 1, 1);
  EXPECT_EQ(out(0), 6u);
}

TEST_F(EndlessLoops, AWaitForTimeIsLeftAlone) {
  const std::string body =
      "LOOP:\nmov.u32 %r1, %clock;\nsetp.lt.u32 %p2, %r1, 100000;\nmov.u32 %r1, 0;\n@%p2 bra LOOP;\nmov.u32 %r0, 6;\n";
  launch(body + kStoreR0, 1, 1);
  EXPECT_EQ(out(0), 6u);
}

TEST_F(FunctionalMachineTest, TheInstructionLimitStopsALaunch) {
  EXPECT_THAT(failure("LOOP:\nadd.u32 %r0, %r0, 1;\nbra LOOP;\n", 1, 32, ExitCode::limit, 100000),
              HasSubstr("thread-instructions"));
}

TEST_F(FunctionalMachineTest, AnInterruptStopsALaunch) {
  interrupt_signal = 2;
  EXPECT_THAT(failure("LOOP:\nadd.u32 %r0, %r0, 1;\nbra LOOP;\n", 1, 32, ExitCode::interrupted), HasSubstr("signal 2"));
  interrupt_signal = 0;
}

TEST_F(FunctionalMachineTest, TrapNamesItsThreads) {
  try {
    launch("setp.eq.u32 %p1, %t, 5;\n@%p1 trap;\n", 1, 32);
    FAIL();
  } catch (const isa::KernelFault& fault) {
    EXPECT_EQ(fault.kind(), isa::FaultKind::trap);
    EXPECT_THAT(fault.what(), HasSubstr("threads 5 of block (0,0,0)"));
  }
}

TEST_F(FunctionalMachineTest, ABlockThatDoesNotFitIsRefused) {
  EXPECT_THAT(failure("", 1, 2048, ExitCode::launch), HasSubstr("2048 threads"));
}

TEST_F(FunctionalMachineTest, ABarrierOfPartnersHasNoEffectAndIsNoInstruction) {
  const std::string before = "setp.lt.u32 %p1, %t, 7;\n@%p1 bra OVER;\n", after = "mov.u32 %r1, 1;\nOVER:\n";
  const auto plain = launch(before + after, 2, 48);
  const auto with_barriers = launch(before + "bar.synch_partner 0;\n" + after + "bar.synch_partner 0;\n", 2, 48);
  EXPECT_EQ(with_barriers.thread_instructions, plain.thread_instructions);
  EXPECT_EQ(with_barriers.warp_instructions, plain.warp_instructions);
}

TEST_F(FunctionalMachineTest, AThreadThatSleepsGivesItsTurnToOthers) {
  // A flag set late by another warp, or by a path of the same warp that follows the poll.
  const auto body = [](const std::string& who, const std::string& sleep) {
    return who + "@!%p1 bra WRITE;\nPOLL:\n" + sleep +
           "ld.volatile.shared.u32 %r1, [box];\nsetp.eq.u32 %p2, %r1, 0;\n@%p2 bra POLL;\nbra.uni END;\nWRITE:\n"
           "mov.u32 %r2, 1;\nst.volatile.shared.u32 [box], %r2;\nEND:\n";
  };
  for (const std::string who : {"setp.lt.u32 %p1, %t, 32;\n", "and.b32 %r4, %t, 1;\nsetp.eq.u32 %p1, %r4, 0;\n"}) {
    const auto polls = launch(body(who, ""), 1, 64).thread_instructions;
    const auto sleeps = launch(body(who, "nanosleep.u32 20;\n"), 1, 64).thread_instructions;
    EXPECT_LT(sleeps, 64 * 40u) << who;
    EXPECT_GT(polls, 4 * sleeps) << who;
  }
}

TEST_F(FunctionalMachineTest, SleepersGiveTheirTurnToWhoIsNotYetWhereTheyAre) {
  // Three paths of a warp: two poll, and the first one in program order writes the awaited value, late.
  const std::string poll = "nanosleep.u32 20;\nld.volatile.shared.u32 %r1, [box];\nsetp.eq.u32 %p2, %r1, 0;\n@%p2 bra ";
  const auto instructions =
      launch(
          "setp.eq.u32 %p1, %t, 0;\nsetp.eq.u32 %p3, %t, 1;\nmov.u32 %r3, 0;\n@%p3 bra FIRST;\n@!%p1 bra SECOND;\n"
          "WORK:\nnanosleep.u32 1;\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p4, %r3, 50;\n@%p4 bra WORK;\n"
          "mov.u32 %r2, 1;\nst.volatile.shared.u32 [box], %r2;\nbra.uni END;\n"
          "FIRST:\n" +
              poll + "FIRST;\nbra.uni END;\nSECOND:\n" + poll + "SECOND;\nEND:\n",
          1, 32)
          .thread_instructions;
  EXPECT_LT(instructions, 32 * 1000u);
}

}  // namespace
}  // namespace heddle::gpu
