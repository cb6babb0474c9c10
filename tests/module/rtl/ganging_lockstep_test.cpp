// SPDX-License-Identifier: Apache-2.0
// The blocks of warp ganging in lockstep: model and RTL agree, a broken block is caught at its first difference, and
// the ports of the RTL are in the waveform.
#include "../../unit/sm/ganging_vectors.h"
#include "BrokenGangTable32x8x2.h"
#include "BrokenPcCoalescer8.h"
#include "block_lockstep.h"
#include "rtl/gang_table_rtl.h"
#include "rtl/pc_coalescer_rtl.h"

namespace heddle::rtl {
namespace {

using sm::GangIssueShape;
using sm::GangIssueTable;
using sm::GangOrder;
using sm::PcCoalescer;
using sm::PcCoalescerShape;
using Picks = std::vector<unsigned>;

class GangingLockstep : public BlockLockstepTest {};

TEST_F(GangingLockstep, ModelAndRtlOfTheCoalescerAgree) {
  const auto both = make(Mechanism<PcCoalescer>("lockstep"), PcCoalescerShape{8}, site_);
  sm::expect_pc_vectors(*both);
  expect_signals({"members", "pcs", "gangs", "singles"});
}

TEST_F(GangingLockstep, ModelAndRtlOfACoalescerOfFourSlicesAgree) {
  const auto both = make(Mechanism<PcCoalescer>("lockstep"), PcCoalescerShape{4}, site_);
  EXPECT_EQ(both->partition(sm::pcs_of("ABAB")), (sm::PcGroups{{0b0101, 0b1010}, 0}));
  EXPECT_EQ(both->partition(sm::pcs_of("AB.A")), (sm::PcGroups{{0b1001}, 0b0010}));
}

TEST_F(GangingLockstep, ModelAndRtlOfTheTableAgreeInEverySize) {
  for (const unsigned sets : {32u, 48u}) {
    for (const unsigned gangs : {1u, 2u, 4u}) {
      if (sets == 48 && gangs != 2) continue;
      site_.path = "block" + std::to_string(sets) + "x" + std::to_string(gangs);
      const auto both = make(Mechanism<GangIssueTable>("lockstep"), GangIssueShape{sets, 8, gangs}, site_);
      sm::expect_big_then_oldest(*both, gangs);
      if (sets == 48) expect_signals({"ready", "free", "kinds", "valid", "entries", "members"});
    }
  }
}

TEST_F(GangingLockstep, ModelAndRtlOfATableOfFourSlicesAgree) {
  const auto both = make(Mechanism<GangIssueTable>("lockstep"), GangIssueShape{32, 4, 2}, site_);
  for (const unsigned set : {31u, 2u}) both->start(set);
  both->write(125, 0b1010);
  both->write(9, 0b0101);
  EXPECT_EQ(sm::picked_from(*both, {9, 125}, {}, 0b1111), (Picks{125, 9})) << "set 31 started first";
  EXPECT_EQ(sm::picked_from(*both, {9, 125}, {{9, 1}, {125, 2}}, 0b1111), Picks{125}) << "two kinds of access";
}

TEST_F(GangingLockstep, ABrokenCoalescerIsCaught) {
  PcCoalescerLockstep both({8}, site_, make(Mechanism<PcCoalescer>("model"), PcCoalescerShape{8}, site_),
                           std::make_unique<PcCoalescerRtl<BrokenPcCoalescer8, 8>>(site_));
  both.partition(sm::pcs_of("AABBCCDD"));
  const std::string message = difference([&] { both.partition(sm::pcs_of("A.B..B..")); });
  EXPECT_EQ(message.find("block: RTL and model differ in cycle 0 at gangs, singles"), 0u) << message;
  EXPECT_NE(message.find("inputs: members=0x25 pcs=0x"), std::string::npos) << message;
  EXPECT_NE(message.find("model:  gangs=0x00000024 singles=0x01"), std::string::npos) << message;
  EXPECT_NE(message.find("RTL:    gangs=0x00000000 singles=0x25"), std::string::npos) << message;
}

TEST_F(GangingLockstep, ABrokenTableIsCaught) {
  constexpr GangIssueShape kShape{32, 8, 2};
  GangTableLockstep both(kShape, site_, make(Mechanism<GangIssueTable>("model"), kShape, site_),
                         std::make_unique<GangTableRtl<BrokenGangTable32x8x2, 32, 8, 2>>(site_));
  both.start(0);
  both.start(1);
  both.write(0, 0x0f);
  both.write(4, 0xf0);
  EXPECT_EQ(sm::picked_from(both, {4}), Picks{4});
  EXPECT_EQ(sm::picked_from(both, {0, 4}), (Picks{4, 0}));
  const std::string message = difference([&] { sm::picked_from(both, {0, 4}, {{4, 9}}); });
  EXPECT_EQ(message.find("block: RTL and model differ in cycle 0 at entries\n"), 0u) << message;
  EXPECT_NE(message.find("inputs: write=0x0 write_entry=0x00 write_members=0x00 start=0x0 start_set=0x00 issue=0x1 "
                         "ready=0x" +
                         std::string(30, '0') + "11 free=0xff kinds=0x" + std::string(30, '0') + "10" +
                         std::string(62, '0') + "00" + std::string(30, '0') + "10"),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("model:  valid=0x3 entries=0x0004"), std::string::npos) << message;
  EXPECT_NE(message.find("RTL:    valid=0x3 entries=0x0200"), std::string::npos) << message;
  EXPECT_NE(message.find("the last 7 calls"), std::string::npos) << message;
}

TEST_F(GangingLockstep, ShapesWithoutRtlAreRefused) {
  const ExitCode refused = ExitCode::configuration;
  EXPECT_EQ(message_of(refused, [&] { make(Mechanism<PcCoalescer>("rtl"), PcCoalescerShape{2}, site_); }),
            "sm.blocks.pc_coalescer: there is RTL for 4 or 8 slices, this machine has 2");
  EXPECT_EQ(
      message_of(
          refused,
          [&] {
            make(Mechanism<GangIssueTable>("rtl"), GangIssueShape{32, 8, 2, GangOrder::little_then_oldest}, site_);
          }),
      "sm.blocks.gang_issue: variable_warps.gang_order is 'lgto', but there is RTL for 'bgto' only; choose "
      "'model'");
  EXPECT_EQ(message_of(refused,
                       [&] {
                         make(Mechanism<GangIssueTable>("lockstep"), GangIssueShape{16, 8, 3}, site_);
                       }),
            "sm.blocks.gang_issue: with 8 slices there is RTL for 1, 2 or 4 gangs a cycle of 32 sets and for 2 of 48, "
            "with 4 slices for 2 of 32; this machine has 8 slices and issues 3 gangs a cycle of 16 sets");
}

}  // namespace
}  // namespace heddle::rtl
