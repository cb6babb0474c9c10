// SPDX-License-Identifier: Apache-2.0
#include "memory/cache/tag_array.h"

#include <gtest/gtest.h>

#include <set>

namespace heddle::memory {
namespace {

TagArrayParameters shape(unsigned sets, unsigned ways, const std::string& replacement = "lru") {
  TagArrayParameters parameters;
  parameters.sets = sets;
  parameters.ways = ways;
  parameters.replacement.choose(replacement);
  return parameters;
}

/// Allocates and fills a line; returns the evicted one.
TagArray::Evicted bring(TagArray& tags, std::uint64_t line, Requester owner = {}) {
  const auto place = tags.make_room(tags.set_of(line));
  EXPECT_NE(place, TagArray::kNone);
  auto gone = tags.allocate(place, line, owner);
  tags.fill(place, 1);
  return gone;
}

TEST(TagArray, FindsALineOnlyAfterItIsAllocated) {
  TagArray tags(shape(4, 2));
  EXPECT_EQ(tags.find(tags.set_of(5), 5), TagArray::kNone);
  bring(tags, 5);
  EXPECT_NE(tags.find(tags.set_of(5), 5), TagArray::kNone);
  EXPECT_EQ(tags.find(tags.set_of(9), 9), TagArray::kNone) << "same set, other line";
}

TEST(TagArray, FreePlacesAreUsedBeforeAnythingIsEvicted) {
  TagArray tags(shape(1, 4));
  for (std::uint64_t line = 0; line < 4; ++line) EXPECT_FALSE(bring(tags, line).any);
  EXPECT_TRUE(bring(tags, 4).any);
  EXPECT_EQ(tags.occupied(), 4u);
}

TEST(TagArray, LruEvictsTheLineUsedLongestAgo) {
  TagArray tags(shape(1, 3));
  for (std::uint64_t line : {0, 1, 2}) bring(tags, line);
  tags.touch(tags.find(0, 0));
  EXPECT_EQ(bring(tags, 3).line, 1u);
  EXPECT_EQ(bring(tags, 4).line, 2u);
  EXPECT_EQ(bring(tags, 5).line, 0u);
}

TEST(TagArray, FifoEvictsTheLineAllocatedFirstWhateverWasHit) {
  TagArray tags(shape(1, 3, "fifo"));
  for (std::uint64_t line : {0, 1, 2}) bring(tags, line);
  tags.touch(tags.find(0, 0));
  EXPECT_EQ(bring(tags, 3).line, 0u);
}

TEST(TagArray, PseudoLruPointsAwayFromTheLastUse) {
  TagArray tags(shape(1, 4, "pseudo_lru"));
  for (std::uint64_t line : {0, 1, 2, 3}) bring(tags, line);
  // The tree after 0, 1, 2, 3 points at the lower half, and in it at way 0.
  EXPECT_EQ(bring(tags, 4).line, 0u);
  // Way 0 was used last: the tree points at the upper half, and in it at way 2.
  EXPECT_EQ(bring(tags, 5).line, 2u);
}

TEST(TagArray, PseudoLruNeverNamesAWayThatDoesNotExist) {
  TagArray tags(shape(1, 3, "pseudo_lru"));
  for (std::uint64_t line = 0; line < 100; ++line) bring(tags, line);
  EXPECT_EQ(tags.occupied(), 3u);
}

TEST(TagArray, RandomReplacementRepeatsWithTheSeedAndUsesEveryWay) {
  const auto victims = [](std::uint64_t seed) {
    TagArray tags(shape(1, 4, "random"), seed);
    std::vector<std::uint64_t> gone;
    for (std::uint64_t line = 0; line < 200; ++line) {
      const auto place = tags.make_room(0);
      tags.allocate(place, line, {});
      tags.fill(place, 1);
      gone.push_back(place);
    }
    return gone;
  };
  EXPECT_EQ(victims(1), victims(1));
  EXPECT_NE(victims(1), victims(2));
  const auto places = victims(1);
  EXPECT_EQ(std::set<std::uint64_t>(places.begin(), places.end()).size(), 4u);
}

TEST(TagArray, LinesOnTheirWayAreNeverEvicted) {
  TagArray tags(shape(1, 2));
  for (std::uint64_t line : {0, 1}) {
    const auto place = tags.make_room(0);
    tags.allocate(place, line, {});
    tags.reserve(place, 1);
  }
  EXPECT_EQ(tags.make_room(0), TagArray::kNone);
  tags.fill(tags.find(0, 1), 1);
  EXPECT_EQ(tags.make_room(0), tags.find(0, 1));
}

TEST(TagArray, EvictionTellsOwnerAndDirtySectors) {
  auto parameters = shape(1, 1);
  parameters.sector_bytes = 32;
  TagArray tags(parameters);
  EXPECT_EQ(tags.sectors(), 4u);
  tags.allocate(tags.make_room(0), 7, {SmId(4), WarpId(2)});
  tags.fill(0, 0b1111);
  tags.write(0, 0b0100, false);
  const auto gone = bring(tags, 8);
  EXPECT_EQ(gone.line, 7u);
  EXPECT_EQ(gone.state.owner, (Requester{SmId(4), WarpId(2)}));
  EXPECT_EQ(gone.state.dirty, 0b0100u);
}

TEST(TagArray, InvalidationKeepsWhatIsOnItsWay) {
  TagArray tags(shape(1, 2));
  const auto place = tags.make_room(0);
  tags.allocate(place, 3, {});
  tags.reserve(place, 1);
  bring(tags, 4);
  unsigned gone = 0;
  tags.invalidate_all([&](const TagArray::Evicted& evicted) {
    EXPECT_EQ(evicted.line, 4u);
    ++gone;
  });
  EXPECT_EQ(gone, 1u);
  EXPECT_EQ(tags.find(0, 3), place);
  EXPECT_EQ(tags.occupied(), 1u);
}

TEST(TagArray, ACancelledLineFreesItsPlace) {
  TagArray tags(shape(1, 1));
  tags.allocate(0, 3, {});
  tags.reserve(0, 1);
  tags.cancel(0, 1);
  EXPECT_EQ(tags.occupied(), 0u);
}

TEST(IndexHash, XorSpreadsLinesAPowerOfTwoApart) {
  auto parameters = shape(32, 4);
  TagArray plain(parameters);
  parameters.index_hash = IndexHash::xor_;
  TagArray hashed(parameters);
  std::set<unsigned> plain_sets, hashed_sets;
  for (std::uint64_t i = 0; i < 32; ++i) {
    plain_sets.insert(plain.set_of(i * 32));
    hashed_sets.insert(hashed.set_of(i * 32));
  }
  EXPECT_EQ(plain_sets.size(), 1u);
  EXPECT_EQ(hashed_sets.size(), 32u);
}

TEST(IndexHash, FermiCombinesTheBitsThatWereMeasured) {
  auto parameters = shape(32, 4);
  parameters.index_hash = IndexHash::fermi;
  TagArray small(parameters);
  const auto set = [&](std::uint64_t address) { return small.set_of(address >> 7); };
  EXPECT_EQ(set(1U << 7), 1u);
  EXPECT_EQ(set(1U << 12), 0u) << "bit 12 does not take part with 32 sets";
  EXPECT_EQ(set(1U << 13), 1u);
  EXPECT_EQ(set(1U << 14), 2u);
  EXPECT_EQ(set(1U << 15), 4u);
  EXPECT_EQ(set(1U << 16), 0u);
  EXPECT_EQ(set(1U << 17), 8u);
  EXPECT_EQ(set(1U << 18), 0u);
  EXPECT_EQ(set(1U << 19), 16u);
  EXPECT_EQ(set((1U << 7) | (1U << 13)), 0u);
  parameters.sets = 64;
  TagArray large(parameters);
  EXPECT_EQ(large.set_of((1U << 12) >> 7), 32u);
}

TEST(IndexHash, EveryHashUsesEverySetAsOftenOverAnAlignedRegion) {
  for (IndexHash hash : {IndexHash::none, IndexHash::xor_, IndexHash::fermi}) {
    auto parameters = shape(64, 4);
    parameters.index_hash = hash;
    TagArray tags(parameters);
    std::vector<unsigned> used(64, 0);
    for (std::uint64_t line = 0; line < 64 * 128; ++line) ++used[tags.set_of(line)];
    for (unsigned count : used) EXPECT_EQ(count, 128u);
  }
}

TEST(TagArray, SetsNeedNotBeAPowerOfTwo) {
  TagArray tags(shape(12, 1));
  EXPECT_EQ(tags.set_of(12), 0u);
  EXPECT_EQ(tags.set_of(35), 11u);
}

TEST(TagArray, AnUnlimitedOneEvictsNothingAndUsesFreedPlacesAgain) {
  TagArray tags(shape(1, 1), 0, true);
  for (std::uint64_t line = 0; line < 1000; ++line) EXPECT_FALSE(bring(tags, line).any);
  EXPECT_EQ(tags.occupied(), 1000u);
  for (std::uint64_t line = 0; line < 1000; ++line) {
    const TagArray::Place place = tags.find(0, line);
    ASSERT_NE(place, TagArray::kNone);
    EXPECT_EQ(tags.tag(place), line);
  }
  const TagArray::Place freed = tags.find(0, 7);
  EXPECT_EQ(tags.invalidate(freed).line, 7u);
  EXPECT_EQ(tags.find(0, 7), TagArray::kNone);
  bring(tags, 2000);
  EXPECT_EQ(tags.find(0, 2000), freed);
  unsigned gone = 0;
  tags.invalidate_all([&gone](const TagArray::Evicted&) { ++gone; });
  EXPECT_EQ(gone, 1000u);
  EXPECT_EQ(tags.occupied(), 0u);
  EXPECT_EQ(tags.find(0, 2000), TagArray::kNone);
}

TEST(TagArray, ALineOfAnUnlimitedOneThatIsInvalidatedOnItsWayKeepsItsPlace) {
  TagArray tags(shape(1, 1), 0, true);
  const TagArray::Place place = tags.make_room(0);
  tags.allocate(place, 5, {});
  tags.reserve(place, 1);
  tags.invalidate(place);
  EXPECT_EQ(tags.find(0, 5), place);
  tags.cancel(place, 1);
  EXPECT_EQ(tags.find(0, 5), TagArray::kNone);
}

}  // namespace
}  // namespace heddle::memory
