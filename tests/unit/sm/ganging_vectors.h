// SPDX-License-Identifier: Apache-2.0
// Vectors of docs/sources/variable-warp-size.md 3.2 for the blocks of warp ganging, used for the model and the RTL.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sm/grouping/ganging/gang_issue_table.h"
#include "sm/grouping/ganging/pc_coalescer.h"

namespace heddle::sm {

/// Program counters as one letter per slice, slice 0 first; '.': no member. gangs: none are left out.
struct PcVector {
  const char* pcs;
  std::vector<unsigned> gangs;
  unsigned singles;
};
inline const std::vector<PcVector>& pc_vectors() {
  static const std::vector<PcVector> vectors = {
      {"AAAAAAAA", {0xff}, 0x00},
      {"AABBACBA", {0x93, 0x4c}, 0x20},
      {"ABABABAB", {0x55, 0xaa}, 0x00},
      {"AABBCCDD", {0x03, 0x0c, 0x30, 0xc0}, 0x00},
      {"ABCDEFGH", {}, 0xff},
      {"A.AB.B..", {0x05, 0x28}, 0x00},
      {"....AABC", {0x30}, 0xc0},
      // A branch that threads 10 and above take, and the sync behind it, where slice 2 pops to the other path.
      {"AABBBBBB", {0x03, 0xfc}, 0x00},
      {"..ABBBBB", {0xf8}, 0x04},
      // A gang of warps 0 and 1 and a single warp meet at a program counter; another one is elsewhere.
      {"AAA.B...", {0x07}, 0x10},
  };
  return vectors;
}

/// Equal letters are equal program counters; different ones differ in two bits.
inline CoalescePcs pcs_of(const std::string& letters) {
  CoalescePcs request;
  for (unsigned s = 0; s < letters.size(); ++s) {
    if (letters[s] == '.') continue;
    request.members = static_cast<SliceMask>(request.members | 1u << s);
    request.pcs[s] = std::uint64_t{0x80'0000'1000} ^ std::uint64_t{1} << 4 * (letters[s] - 'A' + 1);
  }
  return request;
}

inline void expect_pc_vectors(PcCoalescer& coalescer) {
  for (const PcVector& vector : pc_vectors()) {
    SCOPED_TRACE(vector.pcs);
    const PcGroups groups = coalescer.partition(pcs_of(vector.pcs));
    std::vector<unsigned> gangs;
    for (const SliceMask gang : groups.gangs) {
      if (gang != 0) gangs.push_back(gang);
    }
    EXPECT_EQ(gangs, vector.gangs);
    EXPECT_EQ(groups.singles, vector.singles);
  }
}

/// The gangs picked from the ready ones, in order of choice.
inline std::vector<unsigned> picked_from(GangIssueTable& table, const std::vector<unsigned>& ready,
                                         const std::vector<std::pair<unsigned, std::uint8_t>>& kinds = {},
                                         SliceMask free = 0xff) {
  GangCandidates candidates;
  candidates.free = free;
  for (const unsigned entry : ready) candidates.ready.set(entry);
  for (const auto& [entry, kind] : kinds) candidates.kinds[entry] = kind;
  const GangPicks picks = table.pick(candidates);
  return {picks.entries.begin(), picks.entries.begin() + picks.count};
}

/// Gangs g0 to g3 of 3.2, in entries 0, 4, 8 and 12 of a table that has issued none: each is of an original gang of its
/// own, and they started in this order.
inline void write_four_gangs(GangIssueTable& table) {
  for (unsigned set = 0; set < 4; ++set) table.start(set);
  table.write(0, 0x0f);
  table.write(4, 0x3c);
  table.write(8, 0xc0);
  table.write(12, 0x30);
}

/// 3.2 with BGTO and `gangs` a cycle, and what follows from 2.8. A table of at least four sets of eight slices.
inline void expect_big_then_oldest(GangIssueTable& table, unsigned gangs) {
  using Picks = std::vector<unsigned>;
  const auto at_most = [&](Picks picks) {
    if (picks.size() > gangs) picks.resize(gangs);
    return picks;
  };
  write_four_gangs(table);
  EXPECT_EQ(picked_from(table, {0, 4, 8, 12}), at_most({0, 8, 12})) << "g1 overlaps g0; g2 and g3 fit beside it";
  // Gang 0x0F with a member that is not ready is no candidate, and its slices stay free.
  EXPECT_EQ(picked_from(table, {4, 8, 12}), at_most({4, 8})) << "g1 is free to go, g3 overlaps it";
  EXPECT_EQ(picked_from(table, {0, 4, 8, 12}), at_most({4, 8})) << "g1 issued last of its size";
  EXPECT_EQ(picked_from(table, {0}), Picks{0});
  EXPECT_EQ(picked_from(table, {0, 4, 8, 12}), at_most({0, 8, 12})) << "now g0 did";
  EXPECT_EQ(picked_from(table, {0, 4, 8, 12}, {}, 0xfe), at_most({4, 8})) << "slice 0 is not free";
  EXPECT_EQ(picked_from(table, {0, 4, 8, 12}, {}, 0x7e), at_most({4})) << "nor is slice 7";
  EXPECT_EQ(picked_from(table, {0, 4, 8, 12}, {}, 0x80), Picks{});
  EXPECT_EQ(picked_from(table, {}), Picks{});
}

}  // namespace heddle::sm
