// SPDX-License-Identifier: Apache-2.0
// rtl/gang_table.sv against GangIssueLogic: random calls of the sizes used by machines, all strobes in one cycle of a
// small table, and the vectors of docs/sources/variable-warp-size.md 3.2.
#include "../../unit/sm/ganging_vectors.h"
#include "GangTable8x4x2.h"
#include "rtl/gang_table_rtl.h"
#include "stand.h"
#ifndef HEDDLE_COVERED
#include "GangTable32x4x2.h"
#include "GangTable32x8x1.h"
#include "GangTable32x8x2.h"
#include "GangTable32x8x4.h"
#include "GangTable48x8x2.h"
#endif

namespace heddle::rtl {
namespace {

using sm::GangCandidates;
using sm::GangIssueLogic;
using sm::GangPicks;
using sm::kGangWays;
using sm::SliceMask;

class GangVectors : public BlockTest {
 protected:
  /// Calls use the sets of `pool` only, so that they meet often.
  void choose_pool(unsigned sets) {
    pool_.resize(1 + random_() % sets);
    for (unsigned& set : pool_) set = static_cast<unsigned>(random_() % sets);
  }
  unsigned any_set() { return pool_[random_() % pool_.size()]; }
  unsigned any_entry() { return any_set() * kGangWays + static_cast<unsigned>(random_() % kGangWays); }
  SliceMask any_members(unsigned slices) {
    const std::uint64_t mask = random_() % 4 == 0 ? 0 : random_() % 2 ? random_() & random_() : random_();
    return static_cast<SliceMask>(mask & ((1u << slices) - 1));
  }
  GangCandidates any_candidates(const GangIssueLogic& logic, unsigned slices) {
    GangCandidates candidates;
    candidates.free = static_cast<SliceMask>((random_() % 4 == 0 ? random_() : ~0u) & ((1u << slices) - 1));
    const unsigned share = static_cast<unsigned>(random_() % 5), kinds = static_cast<unsigned>(1 + random_() % 16);
    for (const unsigned set : pool_) {
      for (unsigned entry = set * kGangWays; entry < (set + 1) * kGangWays; ++entry) {
        if (logic.members(entry) != 0 && random_() % 4 < share) candidates.ready.set(entry);
        candidates.kinds[entry] = static_cast<std::uint8_t>(random_() % kinds);
      }
    }
    return candidates;
  }

  /// Writes, starts and picks, one after the other.
  template <typename Table, unsigned kSets, unsigned kSlices, unsigned kGangs>
  void random_calls() {
    GangTableRtl<Table, kSets, kSlices, kGangs> table(site_);
    GangIssueLogic logic({kSets, kSlices, kGangs, sm::GangOrder::big_then_oldest});
    std::uint64_t count = 0, picks = 0;
    rounds([&] {
      if (count++ % 256 == 0) choose_pool(kSets);
      const auto action = static_cast<unsigned>(random_() % 8);
      if (action == 0) {
        const unsigned set = any_set();
        table.start(set);
        logic.start(set);
      } else if (action <= 3) {
        const unsigned entry = any_entry();
        const SliceMask members = any_members(kSlices);
        table.write(entry, members);
        logic.write(entry, members);
      } else {
        const GangCandidates candidates = any_candidates(logic, kSlices);
        const GangPicks wanted = logic.pick(candidates);
        ASSERT_EQ(table.pick(candidates), wanted) << "call " << count;
        picks += wanted.count;
      }
    });
    std::printf("%llu gangs picked\n", static_cast<unsigned long long>(picks));
    EXPECT_GT(picks, count / 8);
  }

  /// All ports of a small table in every cycle.
  template <typename Table, unsigned kSets, unsigned kSlices, unsigned kGangs>
  void random_cycles() {
    constexpr unsigned kEntries = kSets * kGangWays, kEntryBits = static_cast<unsigned>(std::bit_width(kEntries - 1));
    static_assert(kEntries == 32 && kSlices <= 8);
    VerilatedBlock<Table> table;
    std::optional<GangIssueLogic> logic;
    std::uint64_t count = 0;
    rounds([&] {
      const bool reset = count++ % 4096 == 0;
      if (reset) {
        logic.emplace(sm::GangIssueShape{kSets, kSlices, kGangs, sm::GangOrder::big_then_oldest});
        pool_.resize(kSets);
        for (unsigned s = 0; s < kSets; ++s) pool_[s] = s;
      }
      const bool write = random_() % 4 != 0, start = random_() % 8 == 0, issue = random_() % 4 != 0;
      const unsigned set = any_set();
      unsigned entry = any_entry();
      const SliceMask members = any_members(kSlices);
      const GangCandidates candidates = any_candidates(*logic, kSlices);
      GangIssueLogic issued = *logic;
      const GangPicks wanted = issued.pick(candidates);
      // Often frees what issues.
      if (wanted.count != 0 && random_() % 2) entry = wanted.entries[random_() % wanted.count];

      table->reset = reset;
      table->write = write;
      table->start = start;
      table->issue = issue;
      put(table->write_entry, 0, entry);
      put(table->write_members, 0, members);
      put(table->start_set, 0, set);
      put(table->free, 0, candidates.free);
      put(table->ready, 0, static_cast<std::uint32_t>(candidates.ready.word(0)));
      for (unsigned b = 0; b < kGangKindBits; ++b) {
        std::uint32_t plane = 0;
        for (unsigned e = 0; e < kEntries; ++e) plane |= (candidates.kinds[e] >> b & 1u) << e;
        put(table->kinds, b, plane);
      }
      table->clock = 0;
      table->eval();
      if (!reset) {
        GangPicks picks;
        const std::uint32_t valid = get(table->valid, 0);
        for (; picks.count < kGangs && (valid >> picks.count & 1) != 0; ++picks.count)
          picks.entries[picks.count] =
              static_cast<std::uint8_t>(bits(table->entries, picks.count * kEntryBits, kEntryBits));
        ASSERT_EQ(picks, wanted) << "cycle " << count;
        ASSERT_EQ(valid >> picks.count, 0u) << "cycle " << count;
        if (issue) logic.emplace(issued);
        if (write) logic->write(entry, members);
        if (start) logic->start(set);
      }
      table->clock = 1;
      table->eval();
      for (unsigned e = 0; e < kEntries; ++e) {
        unsigned stored = 0;
        for (unsigned s = 0; s < kSlices; ++s)
          stored |= static_cast<unsigned>(bits(table->members, s * kEntries + e, 1)) << s;
        ASSERT_EQ(stored, logic->members(e)) << "entry " << e << ", cycle " << count;
      }
    });
  }

  std::vector<unsigned> pool_;
};

TEST_F(GangVectors, RandomCyclesOfASmallTable) { random_cycles<GangTable8x4x2, 8, 4, 2>(); }
TEST_F(GangVectors, RandomCallsOfASmallTable) { random_calls<GangTable8x4x2, 8, 4, 2>(); }
#ifndef HEDDLE_COVERED
TEST_F(GangVectors, RandomOfFourSlices) { random_calls<GangTable32x4x2, 32, 4, 2>(); }
TEST_F(GangVectors, RandomOfOneGangPerCycle) { random_calls<GangTable32x8x1, 32, 8, 1>(); }
TEST_F(GangVectors, RandomOfTwoGangsPerCycle) { random_calls<GangTable32x8x2, 32, 8, 2>(); }
TEST_F(GangVectors, RandomOfFourGangsPerCycle) { random_calls<GangTable32x8x4, 32, 8, 4>(); }
TEST_F(GangVectors, RandomOfFortyEightSets) { random_calls<GangTable48x8x2, 48, 8, 2>(); }

TEST_F(GangVectors, OfTheSource) {
  GangTableRtl<GangTable32x8x2, 32, 8, 2> table(site_);
  sm::expect_big_then_oldest(table, 2);
}
TEST_F(GangVectors, OfTheSourceWithOneGangPerCycle) {
  GangTableRtl<GangTable32x8x1, 32, 8, 1> table(site_);
  sm::expect_big_then_oldest(table, 1);
}
TEST_F(GangVectors, OfTheSourceWithFourGangsPerCycle) {
  GangTableRtl<GangTable32x8x4, 32, 8, 4> table(site_);
  sm::expect_big_then_oldest(table, 4);
}
#endif

}  // namespace
}  // namespace heddle::rtl
