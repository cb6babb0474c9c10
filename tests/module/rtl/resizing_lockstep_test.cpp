// SPDX-License-Identifier: Apache-2.0
// The blocks of dynamic warp resizing in lockstep: model and RTL agree on the vectors of
// docs/sources/dynamic-warp-resizing.md 3, a broken block is caught at its first difference, and the ports of the RTL
// are in the waveform.
#include "BrokenMaskMerge8x8.h"
#include "BrokenPartnerSynch16x8.h"
#include "block_lockstep.h"
#include "rtl/mask_merge_rtl.h"
#include "rtl/partner_synch_rtl.h"
#include "rtl/resizing_blocks.h"

namespace heddle::rtl {
namespace {

using sm::LargeWarp;
using sm::MaskMerge;
using sm::MaskMergeShape;
using sm::MergeRequest;
using sm::PartnerMask;
using sm::PartnerSynch;
using sm::PartnerSynchAnswer;
using sm::PartnerSynchShape;

class ResizingLockstep : public BlockLockstepTest {
 protected:
  static PartnerSynchAnswer arrive(PartnerSynch& table, unsigned group, unsigned partner, std::uint32_t pc,
                                   PartnerMask others = 0) {
    return table.update({static_cast<std::uint16_t>(group), true, static_cast<std::uint8_t>(partner), pc, others});
  }
  static PartnerSynchAnswer look(PartnerSynch& table, unsigned group, PartnerMask others) {
    return table.update({static_cast<std::uint16_t>(group), false, 0, 0, others});
  }
};

// Source: 3.2, and 3.5 vectors 1, 3 and 5.
TEST_F(ResizingLockstep, ModelAndRtlOfTheTableAgree) {
  for (const PartnerSynchShape shape : {PartnerSynchShape{16, 8}, {24, 4}, {32, 4}, {64, 2}}) {
    SCOPED_TRACE(shape.partners);
    site_.path = "block" + std::to_string(shape.groups) + "x" + std::to_string(shape.partners);
    const auto both = make(Mechanism<PartnerSynch>("lockstep"), shape, site_);
    const unsigned last = shape.groups - 1;
    const auto all = static_cast<PartnerMask>((1u << shape.partners) - 1);
    for (unsigned p = 0; p + 1 < shape.partners; ++p)
      EXPECT_EQ(arrive(*both, last, p, 0x40),
                (PartnerSynchAnswer{false, false, static_cast<PartnerMask>((2u << p) - 1), 0x40}));
    EXPECT_EQ(arrive(*both, last, shape.partners - 1, 0x80), (PartnerSynchAnswer{true, true, all, 0x40}));
    EXPECT_EQ(look(*both, last, all), PartnerSynchAnswer{}) << "the entry is free";
    // The others have exited.
    EXPECT_EQ(arrive(*both, 0, 1, 0x40), (PartnerSynchAnswer{false, false, 0b10, 0x40}));
    EXPECT_EQ(look(*both, 0, static_cast<PartnerMask>(all & ~0b10)), (PartnerSynchAnswer{false, true, 0b10, 0x40}));
    if (shape.partners == 2)
      expect_signals({"group", "arrives", "partner", "pc", "others", "mismatch", "releases", "locked", "first_pc"});
  }
}

TEST_F(ResizingLockstep, ModelAndRtlOfTheCombinerAgree) {
  const auto both = make(Mechanism<MaskMerge>("lockstep"), MaskMergeShape{4, 8}, site_);
  // Source: 3.5, vector 1.
  const MergeRequest clean{1, 0b1111, {7, 7, 7, 7}, {0xff, 0x0f, 0xf0, 0x01}};
  EXPECT_EQ(both->merge(clean), (LargeWarp{0b1111, {0xff, 0x0f, 0xf0, 0x01}}));
  // Source: 3.5, vector 5: partners 0 and 3 at one PC.
  EXPECT_EQ(both->merge({3, 0b1111, {1, 2, 3, 1}, {0xff, 0xff, 0xff, 0xff}}), (LargeWarp{0b1001, {0xff, 0, 0, 0xff}}));
  EXPECT_EQ(both->merge({0, 0b0001, {1, 1, 1, 1}, {0xff, 0xff, 0xff, 0xff}}), (LargeWarp{0b0001, {0xff}}));
  expect_signals({"selected", "ready", "pcs", "active", "members", "mask", "warp_size"});
}

TEST_F(ResizingLockstep, ModelAndRtlOfTheCombinerAgreeInEverySize) {
  for (const MaskMergeShape shape : {MaskMergeShape{2, 8}, {8, 8}, {4, 16}}) {
    site_.path = "block" + std::to_string(shape.partners) + "x" + std::to_string(shape.threads);
    const auto both = make(Mechanism<MaskMerge>("lockstep"), shape, site_);
    const unsigned last = shape.partners - 1;
    MergeRequest request{static_cast<std::uint8_t>(last), static_cast<PartnerMask>(1u | 1u << last), {5}, {3}};
    request.pcs[last] = 5;
    request.active[last] = 1u << (shape.threads - 1);
    LargeWarp expected{request.ready, {3}};
    expected.active[last] = request.active[last];
    EXPECT_EQ(both->merge(request), expected);
  }
}

TEST_F(ResizingLockstep, ABrokenTableIsCaught) {
  constexpr PartnerSynchShape kShape{16, 8};
  PartnerSynchLockstep both(kShape, site_, make(Mechanism<PartnerSynch>("model"), kShape, site_),
                            std::make_unique<PartnerSynchRtl<BrokenPartnerSynch16x8, 16, 8>>(site_));
  arrive(both, 3, 0, 0x40);
  arrive(both, 3, 1, 0x40);
  const std::string message = difference([&] { arrive(both, 3, 2, 0x44); });
  EXPECT_EQ(message.find("block: RTL and model differ in cycle 0 at first_pc\n"), 0u) << message;
  EXPECT_NE(message.find("inputs: group=0x3 arrives=0x1 partner=0x2 pc=0x00000044 others=0x00"), std::string::npos)
      << message;
  EXPECT_NE(message.find("model:  mismatch=0x1 releases=0x0 locked=0x07 first_pc=0x00000040"), std::string::npos)
      << message;
  EXPECT_NE(message.find("RTL:    mismatch=0x1 releases=0x0 locked=0x07 first_pc=0x00000044"), std::string::npos)
      << message;
}

TEST_F(ResizingLockstep, ABrokenCombinerIsCaught) {
  constexpr MaskMergeShape kShape{8, 8};
  MaskMergeLockstep both(kShape, site_, make(Mechanism<MaskMerge>("model"), kShape, site_),
                         std::make_unique<MaskMergeRtl<BrokenMaskMerge8x8, 8, 8>>(site_));
  both.merge({0, 0b1111, {4, 4, 4, 4}, {1, 1, 1, 1}});
  const std::string message = difference([&] { both.merge({0, 0b1111, {4, 4, 4, 5}, {1, 1, 1, 1}}); });
  EXPECT_EQ(message.find("block: RTL and model differ in cycle 0 at members, mask\n"), 0u) << message;
  EXPECT_NE(message.find("model:  members=0x07 mask=0x0000000000010101"), std::string::npos) << message;
  EXPECT_NE(message.find("RTL:    members=0x0f mask=0x0000000001010101"), std::string::npos) << message;
}

TEST_F(ResizingLockstep, ShapesWithoutRtlAreRefused) {
  EXPECT_EQ(
      message_of(ExitCode::configuration,
                 [&] {
                   make(Mechanism<PartnerSynch>("rtl"), PartnerSynchShape{8, 8}, site_);
                 }),
      "sm.blocks.partner_synch: there is RTL for 16 groups of 8 partners, 24 or 32 of 4, and 64 of 2; this machine "
      "has 8 of 8");
  EXPECT_EQ(
      message_of(ExitCode::configuration,
                 [&] {
                   make(Mechanism<MaskMerge>("lockstep"), MaskMergeShape{8, 16}, site_);
                 }),
      "sm.blocks.mask_merge: there is RTL for 2, 4 or 8 partners of 8 threads and for 4 of 16; this machine has 8 "
      "of 16");
}

}  // namespace
}  // namespace heddle::rtl
