// SPDX-License-Identifier: Apache-2.0
// Partners of dynamic warp resizing: the partner-synch table with its rules, the ignore list, the combiner.
// Source: docs/sources/dynamic-warp-resizing.md, 2.5 to 2.8 and 3.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <vector>

#include "sm/grouping/resizing/mask_merge.h"
#include "sm/grouping/resizing/partner_rules.h"
#include "sm/grouping/resizing/pc_table.h"

namespace heddle::sm {
namespace {

using Inserted = PcTable::Inserted;

/// The partners of some groups, as the synchroniser drives the rules.
class Partners {
 public:
  explicit Partners(unsigned partners, bool ignores_waits = true, const PcTableShape& list = {}, unsigned groups = 4)
      : partners_(partners), table_({groups, partners}), ilt_(list), rules_(groups, ignores_waits) {}

  enum class Status : std::uint8_t { ready, waits, combine_ready };

  /// A sub-warp reaches its barrier. False: the ignore list holds it, and the sub-warp goes on alone.
  bool reach(unsigned warp, std::uint32_t pc) {
    if (ilt_.look_up(pc)) return false;
    status_[warp] = Status::waits;
    pcs_[warp] = pc;
    const unsigned group = warp / partners_;
    take(group, rules_.arrive(table_, ilt_, group, warp % partners_, pc, situations_[group]));
    return true;
  }
  void waits(unsigned warp, bool does = true) { change(warp, does, &PartnerSituation::waiting); }
  void exits(unsigned warp) { change(warp, true, &PartnerSituation::exited); }
  void absent(unsigned warp) { change(warp, true, &PartnerSituation::absent); }

  /// The sub-warps that issue with this one, which is combine-ready.
  std::vector<unsigned> issues_with(unsigned warp) {
    const LargeWarp large = merged(warp);
    std::vector<unsigned> all;
    for_each_partner(large.members, [&](unsigned partner) {
      all.push_back(warp / partners_ * partners_ + partner);
      status_[all.back()] = Status::ready;
    });
    return all;
  }
  LargeWarp merged(unsigned warp, const std::map<unsigned, std::uint32_t>& active = {}) const {
    MergeRequest request{.selected = static_cast<std::uint8_t>(warp % partners_)};
    for (unsigned p = 0; p < partners_; ++p) {
      const unsigned other = warp / partners_ * partners_ + p;
      const auto found = status_.find(other);
      if (found == status_.end() || found->second != Status::combine_ready) continue;
      request.ready = static_cast<PartnerMask>(request.ready | 1u << p);
      request.pcs[p] = pcs_.at(other);
      const auto mask = active.find(other);
      request.active[p] = mask == active.end() ? 0xff : mask->second;
    }
    return merge_masks(request);
  }
  Status status(unsigned warp) const { return status_.contains(warp) ? status_.at(warp) : Status::ready; }
  const PartnerSynchEntry& entry(unsigned group = 0) const { return table_[group]; }
  bool ignored(std::uint32_t pc) { return ilt_.look_up(pc); }
  std::size_t ignored() const { return ilt_.size(); }
  ReleaseCause cause() const { return cause_; }

 private:
  void change(unsigned warp, bool does, PartnerMask PartnerSituation::*level) {
    const unsigned group = warp / partners_;
    PartnerMask& mask = situations_[group].*level;
    const auto bit = static_cast<PartnerMask>(1u << warp % partners_);
    mask = static_cast<PartnerMask>(does ? mask | bit : mask & ~bit);
    take(group, rules_.look(table_, ilt_, group, situations_[group]));
  }
  void take(unsigned group, const PartnerRelease& release) {
    if (release.released == 0) return;
    cause_ = release.cause;
    for_each_partner(release.released, [&](unsigned p) { status_[group * partners_ + p] = Status::combine_ready; });
  }

  const unsigned partners_;
  PartnerSynchLogic table_;
  PcTable ilt_;
  PartnerRules rules_;
  std::map<unsigned, PartnerSituation> situations_;
  std::map<unsigned, Status> status_;
  std::map<unsigned, std::uint32_t> pcs_;
  ReleaseCause cause_ = ReleaseCause::same_pc;
};

using Status = Partners::Status;
using Warps = std::vector<unsigned>;
constexpr std::uint32_t kX = 12, kY = 25, kZ = 38;

void expect_entry(const Partners& partners, bool valid, std::uint32_t pc, PartnerMask locked) {
  EXPECT_EQ(partners.entry().valid, valid);
  EXPECT_EQ(partners.entry().pc, pc);
  EXPECT_EQ(partners.entry().locked, locked);
}

TEST(PartnerRules, Listing2a_TwoBarriersOfDivergedPartnersReleaseEachOther) {
  Partners pair(2);
  EXPECT_TRUE(pair.reach(0, kX));
  expect_entry(pair, true, kX, 0b01);
  EXPECT_EQ(pair.ignored(), 0u);
  EXPECT_EQ(pair.status(0), Status::waits);
  EXPECT_TRUE(pair.reach(1, kY));
  expect_entry(pair, false, 0, 0);
  EXPECT_TRUE(pair.ignored(kY)) << "the late one's";
  EXPECT_FALSE(pair.ignored(kX));
  EXPECT_EQ(pair.cause(), ReleaseCause::different_pc);
  EXPECT_EQ(pair.status(0), Status::combine_ready);
  EXPECT_EQ(pair.status(1), Status::combine_ready);
  EXPECT_EQ(pair.issues_with(0), Warps{0}) << "two separate warps";
  EXPECT_EQ(pair.issues_with(1), Warps{1});
  EXPECT_FALSE(pair.reach(1, kY)) << "no lock, it goes alone";
  expect_entry(pair, false, 0, 0);
  EXPECT_TRUE(pair.reach(0, kX));
  expect_entry(pair, true, kX, 0b01);
  EXPECT_EQ(pair.status(0), Status::waits) << "for another barrier, the end of the block barrier's wait, or the exit";
  EXPECT_TRUE(pair.reach(1, kZ));
  EXPECT_EQ(pair.status(0), Status::combine_ready);
}

TEST(PartnerRules, Listing2a_InTheOtherOrderTheOtherIsIgnored) {
  Partners pair(2);
  pair.reach(1, kY);
  pair.reach(0, kX);
  EXPECT_TRUE(pair.ignored(kX));
  EXPECT_FALSE(pair.ignored(kY));
}

TEST(PartnerRules, Listing2b_APartnerAtABlockBarrierReleasesTheOther) {
  Partners pair(2);
  pair.reach(0, kX);
  pair.waits(1);
  EXPECT_EQ(pair.status(0), Status::combine_ready);
  EXPECT_EQ(pair.cause(), ReleaseCause::waiting);
  EXPECT_EQ(pair.issues_with(0), Warps{0});
  EXPECT_TRUE(pair.ignored(kX));
  EXPECT_EQ(pair.status(1), Status::ready) << "the block barrier holds it, not its partner";
}

TEST(PartnerRules, Listing2b_ToTheLetterIgnoresNothing) {
  Partners pair(2, false);
  pair.reach(0, kX);
  pair.waits(1);
  EXPECT_EQ(pair.status(0), Status::combine_ready);
  EXPECT_EQ(pair.ignored(), 0u);
}

TEST(PartnerRules, APartnerThatWaitsAlreadyReleasesAtOnceAndNoLongerOnceItGoesOn) {
  Partners pair(2);
  pair.waits(1);
  pair.reach(0, kX);
  EXPECT_EQ(pair.status(0), Status::combine_ready);
  pair.issues_with(0);
  pair.waits(1, false);
  pair.reach(0, kY);
  EXPECT_EQ(pair.status(0), Status::waits) << "a level, not an event";
}

TEST(PartnerRules, Vector1_CleanCombine) {
  Partners four(4);
  const PartnerMask locks[] = {0b0001, 0b0011, 0b0111};
  for (unsigned warp = 8; warp < 12; ++warp) {
    EXPECT_TRUE(four.reach(warp, kX));
    if (warp < 11) {
      EXPECT_EQ(four.entry(2).locked, locks[warp - 8]);
      EXPECT_EQ(four.status(8), Status::waits);
    }
  }
  EXPECT_EQ(four.entry(2).locked, 0) << "free again";
  EXPECT_EQ(four.cause(), ReleaseCause::same_pc);
  EXPECT_EQ(four.ignored(), 0u);
  const LargeWarp large = four.merged(10, {{8, 0xff}, {9, 0x0f}, {10, 0xf0}, {11, 0x01}});
  EXPECT_EQ(large.size(), 4u);
  std::uint32_t mask = 0;
  for (unsigned p = 0; p < 4; ++p) mask |= large.active[p] << (8 * p);
  EXPECT_EQ(mask, 0x01f00fffu);
}

TEST(PartnerRules, Vector2_WindowsDoNotMix) {
  Partners four(4);
  for (unsigned warp = 0; warp < 8; ++warp) four.reach(warp, kX);
  EXPECT_EQ(four.issues_with(3), (Warps{0, 1, 2, 3}));
  EXPECT_EQ(four.issues_with(4), (Warps{4, 5, 6, 7}));
}

TEST(PartnerRules, Vector3_AnExitBeforeOrAfterReleases) {
  Partners before(2);
  before.exits(1);
  before.reach(0, kX);
  EXPECT_EQ(before.status(0), Status::combine_ready);
  EXPECT_EQ(before.cause(), ReleaseCause::exit);
  EXPECT_EQ(before.issues_with(0), Warps{0});
  Partners after(2);
  after.reach(0, kX);
  EXPECT_EQ(after.status(0), Status::waits);
  after.exits(1);
  EXPECT_EQ(after.status(0), Status::combine_ready);
  EXPECT_EQ(after.ignored(), 0u) << "common at the end of a kernel, so not ignored";
}

TEST(PartnerRules, Vector4_ABlockSmallerThanItsGroup) {
  Partners eight(8);
  for (unsigned warp = 2; warp < 8; ++warp) eight.absent(warp);
  eight.reach(0, kX);
  EXPECT_EQ(eight.status(0), Status::waits);
  eight.reach(1, kX);
  EXPECT_EQ(eight.cause(), ReleaseCause::same_pc);
  EXPECT_EQ(eight.issues_with(0), (Warps{0, 1}));
}

TEST(PartnerRules, Vector5_ThreeWays) {
  Partners four(4);
  four.reach(0, kX);
  four.reach(1, kY);
  EXPECT_TRUE(four.ignored(kY));
  EXPECT_FALSE(four.reach(2, kY)) << "it goes on without a lock";
  four.reach(3, kX);
  expect_entry(four, true, kX, 0b1011);
  EXPECT_EQ(four.status(3), Status::waits);
  four.reach(2, kZ);
  EXPECT_TRUE(four.ignored(kZ));
  EXPECT_EQ(four.ignored(), 2u);
  EXPECT_EQ(four.cause(), ReleaseCause::different_pc);
  EXPECT_EQ(four.issues_with(3), (Warps{0, 3}));
  EXPECT_EQ(four.issues_with(1), Warps{1});
  EXPECT_EQ(four.issues_with(2), Warps{2});
}

TEST(PartnerRules, Vector5_AtABlockBarrierOrItsExitTheThirdReleasesToo) {
  for (const bool exits : {false, true}) {
    Partners four(4);
    four.reach(0, kX);
    four.reach(1, kY);
    four.reach(3, kX);
    if (exits) {
      four.exits(2);
    } else {
      four.waits(2);
    }
    EXPECT_EQ(four.issues_with(0), (Warps{0, 3}));
    EXPECT_EQ(four.issues_with(1), Warps{1});
  }
}

TEST(PartnerRules, NobodyIsReleasedWhereNobodyIsLocked) {
  Partners pair(2);
  pair.waits(0);
  pair.waits(1);
  EXPECT_EQ(pair.ignored(), 0u);
  expect_entry(pair, false, 0, 0);
}

TEST(PartnerRules, WhoeverWaitsElsewhereOrIsGoneNeverKeepsOthersLocked) {
  // Whatever happens, a sub-warp waits only as long as a partner is on its way.
  std::mt19937 random(5);
  for (unsigned round = 0; round < 500; ++round) {
    const unsigned n = 2u << (round % 3);
    Partners group(n, round % 2 == 0, {.sets = 1, .ways = round % 4});
    std::set<unsigned> gone, waiting;
    for (unsigned step = 0; step < 200 && gone.size() < n; ++step) {
      const unsigned warp = static_cast<unsigned>(random() % n);
      if (gone.contains(warp) || group.status(warp) == Status::waits) continue;
      if (group.status(warp) == Status::combine_ready) {
        group.issues_with(warp);
      } else if (waiting.contains(warp)) {
        waiting.erase(warp);
        group.waits(warp, false);
      } else if (const auto what = random() % 16; what == 0) {
        gone.insert(warp);
        group.exits(warp);
      } else if (what < 4) {
        waiting.insert(warp);
        group.waits(warp);
      } else {
        group.reach(warp, 10 + static_cast<std::uint32_t>(random() % 3));
      }
      bool locked = false, on_its_way = false;
      for (unsigned w = 0; w < n; ++w) {
        locked = locked || group.status(w) == Status::waits;
        on_its_way = on_its_way || (group.status(w) != Status::waits && !gone.contains(w) && !waiting.contains(w));
      }
      ASSERT_TRUE(!locked || on_its_way) << "round " << round << ", step " << step;
    }
  }
}

TEST(PartnerSynch, KeepsTheFirstProgramCounterAndTellsWhoDiffers) {
  PartnerSynchLogic table({4, 4});
  EXPECT_EQ(table.update({1, true, 2, kX, 0}), (PartnerSynchAnswer{false, false, 0b0100, kX}));
  EXPECT_EQ(table.update({1, true, 0, kY, 0}), (PartnerSynchAnswer{true, false, 0b0101, kX}));
  EXPECT_EQ(table.update({1, true, 1, kX, 0}), (PartnerSynchAnswer{false, false, 0b0111, kX}));
  EXPECT_EQ(table.update({0, false, 0, 0, 0b1111}), (PartnerSynchAnswer{})) << "another group, without locks";
  EXPECT_EQ(table.update({1, false, 0, 0, 0b1000}), (PartnerSynchAnswer{false, true, 0b0111, kX}));
  EXPECT_FALSE(table[1].valid);
}

TEST(MaskMerge, TakesReadyPartnersAtThePcOfTheSelectedOne) {
  MergeRequest request{.selected = 1, .ready = 0b1110, .pcs = {7, 7, 9, 7}, .active = {1, 2, 4, 8}};
  const LargeWarp warp = merge_masks(request);
  EXPECT_EQ(warp.members, 0b1010) << "partner 0 is not ready, partner 2 elsewhere";
  EXPECT_EQ(warp.active, (std::array<std::uint32_t, kMaxPartners>{0, 2, 0, 8}));
  EXPECT_EQ(warp.size(), 2u);
}

// -- 3.5, vector 6

TEST(PcTable, Vector6_NineInstructionsOfOneSetEvictTheLeastRecentlyUsed) {
  PcTable table({.sets = 4, .ways = 8});
  for (std::uint32_t pc = 0; pc < 32; pc += 4) EXPECT_EQ(table.insert(pc), Inserted::yes);
  EXPECT_TRUE(table.look_up(0)) << "now the most recently used one";
  EXPECT_EQ(table.insert(32), Inserted::evicting);
  EXPECT_FALSE(table.look_up(4));
  EXPECT_TRUE(table.look_up(0));
  EXPECT_TRUE(table.look_up(32));
  EXPECT_EQ(table.size(), 8u);
}

TEST(PcTable, Vector6_WithFourWaysTheFifthEvicts) {
  PcTable table({.sets = 4, .ways = 4});
  for (std::uint32_t pc = 0; pc < 16; pc += 4) EXPECT_EQ(table.insert(pc), Inserted::yes);
  EXPECT_EQ(table.insert(16), Inserted::evicting);
  EXPECT_FALSE(table.look_up(0));
  EXPECT_EQ(table.insert(17), Inserted::yes) << "another set";
}

TEST(PcTable, Vector6_EightEntriesAreIndexedByTheLowestBit) {
  PcTable table({.sets = 2, .ways = 4});
  for (const std::uint32_t pc : {0, 2, 4, 6}) EXPECT_EQ(table.insert(pc), Inserted::yes);
  EXPECT_EQ(table.insert(1), Inserted::yes);
  EXPECT_EQ(table.insert(8), Inserted::evicting);
  EXPECT_FALSE(table.look_up(0));
  EXPECT_TRUE(table.look_up(1));
}

TEST(PcTable, AnInstructionIsInsertedOnce) {
  PcTable table({});
  EXPECT_EQ(table.insert(5), Inserted::yes);
  EXPECT_EQ(table.insert(5), Inserted::no);
  EXPECT_EQ(table.size(), 1u);
}

TEST(PcTable, BytePcsWithoutAShiftShareASet) {
  PcTable plain({.sets = 4, .ways = 2}), shifted({.sets = 4, .ways = 2, .index_shift = 3});
  for (std::uint32_t pc = 0; pc < 32; pc += 8) {
    EXPECT_EQ(plain.insert(pc), pc < 16 ? Inserted::yes : Inserted::evicting);
    EXPECT_EQ(shifted.insert(pc), Inserted::yes);
  }
}

TEST(PcTable, MayBeEmptyOrUnlimited) {
  PcTable none({.sets = 4, .ways = 0}), all({.unlimited = true});
  for (std::uint32_t pc = 0; pc < 1000; ++pc) {
    EXPECT_EQ(none.insert(pc), Inserted::no);
    EXPECT_EQ(all.insert(pc), Inserted::yes);
  }
  EXPECT_FALSE(none.look_up(5));
  EXPECT_TRUE(all.look_up(5));
  EXPECT_EQ(all.size(), 1000u);
  all.clear();
  EXPECT_FALSE(all.look_up(5));
}

TEST(PcTable, TagsAreWhatIsLeftOfThePc) {
  EXPECT_EQ((PcTableShape{.sets = 4, .ways = 8}).tag_bits(), 30u);
  EXPECT_EQ((PcTableShape{.sets = 2, .ways = 4}).tag_bits(), 31u);
}

}  // namespace
}  // namespace heddle::sm
