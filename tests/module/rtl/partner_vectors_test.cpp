// SPDX-License-Identifier: Apache-2.0
// rtl/partner_synch.sv against PartnerSynchLogic: all requests in all states of two groups of two partners, random ones
// to tables of every size that machines use. rtl/mask_merge.sv against merge_masks(): random requests.
#include "MaskMerge8x8.h"
#include "PartnerSynch16x8.h"
#include "PartnerSynch2x2.h"
#include "rtl/mask_merge_rtl.h"
#include "rtl/partner_synch_rtl.h"
#include "stand.h"
#ifndef HEDDLE_COVERED
#include "MaskMerge2x8.h"
#include "MaskMerge4x16.h"
#include "MaskMerge4x8.h"
#include "PartnerSynch24x4.h"
#include "PartnerSynch32x4.h"
#include "PartnerSynch64x2.h"
#endif

namespace heddle::rtl {
namespace {

using sm::MergeRequest;
using sm::PartnerMask;
using sm::PartnerSynchAnswer;
using sm::PartnerSynchLogic;
using sm::PartnerSynchRequest;

class PartnerVectors : public BlockTest {
 protected:
  template <typename Table, unsigned kGroups, unsigned kPartners>
  void random_tables() {
    PartnerSynchRtl<Table, kGroups, kPartners> table(site_);
    PartnerSynchLogic model({kGroups, kPartners});
    constexpr auto kAll = static_cast<PartnerMask>((1u << kPartners) - 1);
    rounds([&] {
      PartnerSynchRequest request;
      // Few groups, so that their partners meet, and few program counters, which differ in one bit.
      request.group =
          static_cast<std::uint16_t>(random_() % 4 == 0 ? random_() % kGroups : kGroups - 1 - random_() % 2);
      request.arrives = random_() % 8 != 0;
      request.partner = static_cast<std::uint8_t>(random_() % kPartners);
      request.pc = 0x100 ^ (random_() % 3 == 0 ? 1u << random_() % 32 : 0);
      request.others = static_cast<PartnerMask>(word() & kAll);
      const PartnerSynchAnswer answer = table.update(request);
      ASSERT_EQ(answer, model.update(request));
    });
  }

  template <typename Merge, unsigned kPartners, unsigned kThreads>
  void random_merges() {
    MaskMergeRtl<Merge, kPartners, kThreads> merge(site_);
    rounds([&] {
      MergeRequest request;
      request.selected = static_cast<std::uint8_t>(random_() % kPartners);
      request.ready = static_cast<PartnerMask>((word() & ((1u << kPartners) - 1)) | 1u << request.selected);
      const auto base = static_cast<std::uint32_t>(random_()), other = base ^ 1u << random_() % 32;
      const bool together = random_() % 16 == 0;
      if (together) request.ready = static_cast<PartnerMask>((1u << kPartners) - 1);
      for (unsigned p = 0; p < kPartners; ++p) {
        request.pcs[p] = random_() % 4 == 0 ? static_cast<std::uint32_t>(random_()) : random_() % 2 != 0 ? base : other;
        if (together) request.pcs[p] = base;
        request.active[p] = static_cast<std::uint32_t>(word() & ((std::uint64_t{1} << kThreads) - 1));
      }
      const sm::LargeWarp expected = merge_masks(request);
      ASSERT_EQ(merge.merge(request), expected);
      ASSERT_EQ(merge.warp_size(), expected.size());
    });
  }
};

TEST_F(PartnerVectors, AllRequestsInAllStatesOfTwoPartners) {
  PartnerSynchRtl<PartnerSynch2x2, 2, 2, 1> table(site_);
  unsigned count = 0;
  // 0: the entry is free; otherwise partner (state - 1) % 2 waits at program counter (state - 1) / 2.
  for (unsigned states = 0; states < 25; ++states) {
    for (unsigned input = 0; input < 64 && !HasFailure(); ++input, ++count) {
      PartnerSynchLogic model({2, 2});
      for (unsigned group = 0; group < 2; ++group) {
        // Partners that cannot arrive any more free the entry.
        table.update({static_cast<std::uint16_t>(group), false, 0, 0, 0b11});
        const unsigned state = group == 0 ? states % 5 : states / 5;
        if (state == 0) continue;
        const PartnerSynchRequest arrival{static_cast<std::uint16_t>(group), true,
                                          static_cast<std::uint8_t>((state - 1) % 2), (state - 1) / 2, 0};
        ASSERT_EQ(table.update(arrival), model.update(arrival));
      }
      const PartnerSynchRequest request{static_cast<std::uint16_t>(input & 1), (input >> 1 & 1) != 0,
                                        static_cast<std::uint8_t>(input >> 2 & 1), input >> 3 & 1,
                                        static_cast<PartnerMask>(input >> 4)};
      ASSERT_EQ(table.update(request), model.update(request)) << "states " << states << ", input " << input;
      for (std::uint16_t group = 0; group < 2; ++group) {
        const PartnerSynchRequest look{group, false, 0, 0, 0};
        ASSERT_EQ(table.update(look), model.update(look)) << "states " << states << ", input " << input;
      }
    }
  }
  EXPECT_EQ(count, 25u * 64);
}

TEST_F(PartnerVectors, EveryEntryKeepsEveryBitOfAProgramCounter) {
  PartnerSynchRtl<PartnerSynch16x8, 16, 8> table(site_);
  PartnerSynchLogic model({16, 8});
  for (std::uint16_t group = 0; group < 16; ++group) {
    for (const std::uint32_t pc : {~0u, 0u, ~0u}) {
      for (const PartnerSynchRequest& request :
           {PartnerSynchRequest{group, true, 0, pc, 0}, PartnerSynchRequest{group, true, 1, pc ^ 1u << group, 0},
            PartnerSynchRequest{group, false, 0, 0, 0xff}}) {
        ASSERT_EQ(table.update(request), model.update(request)) << "group " << group << ", PC " << pc;
      }
    }
  }
}

TEST_F(PartnerVectors, RandomTablesOfSixteenGroupsOfEight) { random_tables<PartnerSynch16x8, 16, 8>(); }
TEST_F(PartnerVectors, RandomMergesOfEight) { random_merges<MaskMerge8x8, 8, 8>(); }
#ifndef HEDDLE_COVERED
TEST_F(PartnerVectors, RandomTablesOfGroupsOfFour) {
  random_tables<PartnerSynch24x4, 24, 4>();
  random_tables<PartnerSynch32x4, 32, 4>();
}
TEST_F(PartnerVectors, RandomTablesOfPairs) { random_tables<PartnerSynch64x2, 64, 2>(); }
TEST_F(PartnerVectors, RandomMergesOfFour) {
  random_merges<MaskMerge4x8, 4, 8>();
  random_merges<MaskMerge4x16, 4, 16>();
}
TEST_F(PartnerVectors, RandomMergesOfPairs) { random_merges<MaskMerge2x8, 2, 8>(); }
#endif

}  // namespace
}  // namespace heddle::rtl
