// SPDX-License-Identifier: Apache-2.0
// Vectors of docs/sources/cache-conscious-and-divergence-aware.md 3 for the blocks of locality scheduling, used for the
// model and the RTL.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "sm/scheduling/locality/score_cutoff.h"
#include "sm/scheduling/locality/victim_set.h"

namespace heddle::sm {

using LookUpVictim = std::function<VictimSetAnswer(const VictimSetRequest&)>;
using AdmitWarps = std::function<WarpSet(const CutoffRequest&)>;

/// A set of victim tags that keeps its state.
class VictimTags {
 public:
  using What = VictimSetRequest::What;

  explicit VictimTags(LookUpVictim look_up) : look_up_(std::move(look_up)) {}

  VictimSetAnswer ask(What what, std::uint64_t tag) {
    const VictimSetAnswer answer = look_up_({what, tag, set_});
    if (what == What::insert) set_.tags[answer.way] = tag;
    set_.valid = answer.valid;
    set_.order = answer.order;
    return answer;
  }
  bool holds(std::uint64_t tag) { return ask(What::probe, tag).found; }
  const VictimSet& set() const { return set_; }

 private:
  LookUpVictim look_up_;
  VictimSet set_;
};

/// CC-6: two warps share a cache of one set of two ways. Lines A, B and C have the tags 10, 11 and 12.
inline void expect_victim_trace(const LookUpVictim& look_up) {
  using What = VictimTags::What;
  constexpr std::uint64_t kA = 10, kB = 11, kC = 12;
  VictimTags tags[] = {VictimTags(look_up), VictimTags(look_up)};
  struct Row {
    unsigned warp;
    std::uint64_t line;
    std::optional<std::pair<unsigned, std::uint64_t>> evicted;  ///< owner and line
    bool lost;                                                  ///< the warp had lost the line
    bool refreshed = false;                                     ///< the tag of the evicted line was there
  };
  const Row rows[] = {{0, kA, {}, false},       {0, kB, {}, false},        {1, kC, {{0, kA}}, false},
                      {0, kA, {{0, kB}}, true}, {1, kB, {{1, kC}}, false}, {1, kC, {{0, kA}}, true, true}};
  unsigned lost = 0;
  for (const Row& row : rows) {
    SCOPED_TRACE(&row - rows + 1);
    if (row.evicted) {
      EXPECT_EQ(tags[row.evicted->first].ask(What::insert, row.evicted->second).found, row.refreshed);
    }
    EXPECT_EQ(tags[row.warp].holds(row.line), row.lost);
    lost += row.lost;
  }
  EXPECT_EQ(lost, 2u);
  // A store to C.
  EXPECT_FALSE(tags[0].ask(What::remove, kC).found);
  EXPECT_TRUE(tags[1].ask(What::remove, kC).found);
  EXPECT_FALSE(tags[1].holds(kC));
  EXPECT_TRUE(tags[0].holds(kA) && tags[0].holds(kB));
}

/// CC-7, for eight ways, first in, first out.
inline void expect_first_of_nine_replaced(const LookUpVictim& look_up) {
  VictimTags tags(look_up);
  for (std::uint64_t tag = 1; tag <= 8; ++tag) EXPECT_FALSE(tags.ask(VictimTags::What::insert, tag).found);
  EXPECT_TRUE(tags.holds(1));
  EXPECT_FALSE(tags.ask(VictimTags::What::insert, 9).found);
  EXPECT_FALSE(tags.holds(1));
  for (std::uint64_t tag = 2; tag <= 9; ++tag) EXPECT_TRUE(tags.holds(tag)) << tag;
}

inline WarpSet warp_set(std::initializer_list<unsigned> members) {
  WarpSet set;
  for (const unsigned w : members) set.set(w);
  return set;
}

/// CC-2, for at least four warps with a base score of 100.
inline void expect_blocked_warps(CutoffRule rule, const AdmitWarps& admit) {
  const WarpSet all = WarpSet::first_n(4), without_w2 = warp_set({0, 1, 3});
  struct Row {
    const char* time;
    std::vector<std::uint32_t> scores;
    WarpSet active, by_crossing, by_inclusive;
  };
  const Row rows[] = {
      {"T0", {100, 100, 100, 100}, all, {}, {}},
      {"T1", {100, 100, 200, 100}, all, warp_set({3}), warp_set({3})},
      {"T2", {200, 100, 200, 100}, all, warp_set({1, 3}), warp_set({1, 3})},
      {"T2+49", {151, 100, 151, 100}, all, warp_set({3}), warp_set({1, 3})},
      {"T2+50", {150, 100, 150, 100}, all, warp_set({3}), warp_set({3})},
      {"T2+99", {101, 100, 101, 100}, all, {}, warp_set({3})},
      {"T3", {100, 100, 100, 100}, all, {}, {}},
      {"T4, LLDS 200", {200, 100, 0, 100}, without_w2, warp_set({3}), warp_set({3})},
      {"T4, LLDS 150", {150, 100, 0, 100}, without_w2, {}, warp_set({3})},
      {"extreme", {500, 100, 100, 100}, all, warp_set({1, 2, 3}), all},
  };
  for (const Row& row : rows) {
    const WarpSet blocked = row.active - admit({row.active, 100 * row.active.count(), row.scores});
    EXPECT_EQ(blocked, rule == CutoffRule::inclusive ? row.by_inclusive : row.by_crossing) << row.time;
  }
}

/// CC-4, for at least 32 warps.
inline void expect_admitted_counts(CutoffRule rule, const AdmitWarps& admit) {
  struct Row {
    unsigned raised, score;
    unsigned crossing, inclusive;
  };
  const Row rows[] = {
      {1, 200, 31, 31}, {1, 600, 27, 27}, {1, 1023, 23, 22}, {2, 200, 30, 30}, {2, 600, 22, 22}, {2, 1023, 14, 13},
      {3, 200, 29, 29}, {3, 600, 17, 17}, {3, 1023, 5, 4},   {4, 200, 28, 28}, {4, 600, 12, 12}, {4, 1023, 4, 3},
      {5, 200, 27, 27}, {5, 600, 7, 7},   {5, 1023, 4, 3},   {8, 200, 24, 24}, {8, 600, 6, 5},   {8, 1023, 4, 3},
  };
  for (const Row& row : rows) {
    CutoffRequest request{WarpSet::first_n(32), 3200, std::vector<std::uint32_t>(32, 100)};
    for (unsigned w = 0; w < row.raised; ++w) request.scores[3 * w % 32] = row.score;
    EXPECT_EQ(admit(request).count(), rule == CutoffRule::inclusive ? row.inclusive : row.crossing)
        << row.raised << " at " << row.score;
  }
}

}  // namespace heddle::sm
