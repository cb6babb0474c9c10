// SPDX-License-Identifier: Apache-2.0
// The blocks of locality scheduling in lockstep: model and RTL agree, a broken block is caught at its first difference,
// and the ports of the RTL are in the waveform.
#include "../../unit/sm/locality_vectors.h"
#include "BrokenScoreCutoff64.h"
#include "BrokenVictimLookup8.h"
#include "block_lockstep.h"
#include "rtl/score_cutoff_rtl.h"
#include "rtl/victim_lookup_rtl.h"

namespace heddle::rtl {
namespace {

using sm::CutoffRequest;
using sm::CutoffRule;
using sm::ScoreCutoff;
using sm::ScoreCutoffShape;
using sm::VictimLookup;
using sm::VictimReplacement;
using sm::VictimSetRequest;
using sm::VictimSetShape;
using sm::VictimTags;
using sm::WarpSet;
using What = VictimSetRequest::What;

class LocalityLockstep : public BlockLockstepTest {
 protected:
  static VictimTags tags_of(VictimLookup& lookup) {
    return VictimTags([&lookup](const VictimSetRequest& request) { return lookup.look_up(request); });
  }
};

TEST_F(LocalityLockstep, ModelAndRtlOfASetAgreeInEverySize) {
  for (const auto replacement : {VictimReplacement::fifo, VictimReplacement::lru}) {
    for (const unsigned ways : {1u, 2u, 4u, 8u, 16u}) {
      const bool lru = replacement == VictimReplacement::lru;
      if (lru && ways != 8) continue;
      site_.path = (lru ? "least_recent" : "first_in") + std::to_string(ways);
      const auto both = make(Mechanism<VictimLookup>("lockstep"), VictimSetShape{ways, 40, replacement}, site_);
      VictimTags tags = tags_of(*both);
      for (std::uint64_t tag = 1; tag <= ways; ++tag) tags.ask(What::insert, tag << 36);
      EXPECT_TRUE(tags.holds(std::uint64_t{1} << 36));
      tags.ask(What::insert, 5);
      EXPECT_EQ(tags.holds(std::uint64_t{1} << 36), lru) << ways << " ways";
      EXPECT_TRUE(tags.ask(What::remove, 5).found);
      EXPECT_FALSE(tags.holds(5));
      if (lru)
        expect_signals(
            {"insert", "remove", "tag", "tags", "valid", "order", "found", "way", "next_valid", "next_order"});
    }
  }
}

TEST_F(LocalityLockstep, ModelAndRtlOfTheCutoffAgreeInEverySize) {
  for (const CutoffRule rule : {CutoffRule::crossing_admitted, CutoffRule::inclusive}) {
    for (const unsigned warps : {4u, 8u, 16u, 32u, 48u, 64u}) {
      site_.path = (rule == CutoffRule::inclusive ? "inclusive" : "crossing") + std::to_string(warps);
      const auto both = make(Mechanism<ScoreCutoff>("lockstep"), ScoreCutoffShape{warps, 10, rule}, site_);
      const auto admit = [&](const CutoffRequest& request) { return both->admit(request); };
      expect_blocked_warps(rule, admit);
      if (warps >= 32) expect_admitted_counts(rule, admit);
      // The highest sum, and a cutoff that is beyond the width of sums.
      CutoffRequest request{WarpSet::first_n(warps), 1023 * warps, std::vector<std::uint32_t>(warps, 1023)};
      EXPECT_EQ(both->admit(request), request.active);
      request.cutoff = 1u << 20;
      EXPECT_EQ(both->admit(request), request.active);
      if (warps == 48) expect_signals({"active", "scores", "cutoff", "admitted"});
    }
  }
}

TEST_F(LocalityLockstep, ABrokenSetIsCaught) {
  const VictimSetShape shape{8, 40, VictimReplacement::fifo};
  VictimLookupLockstep both(shape, site_, make(Mechanism<VictimLookup>("model"), shape, site_),
                            std::make_unique<VictimLookupRtl<BrokenVictimLookup8, 8, false>>(site_));
  VictimTags tags = tags_of(both);
  for (std::uint64_t tag = 1; tag <= 9; ++tag) tags.ask(What::insert, tag);
  const std::string message = difference([&] { tags.ask(What::insert, 10); });
  EXPECT_EQ(message.find("block: RTL and model differ in cycle 0 at way, next_order\n"), 0u) << message;
  EXPECT_NE(message.find("inputs: insert=0x1 remove=0x0 tag=0x00000000000a tags=0x000000000008"), std::string::npos)
      << message;
  EXPECT_NE(message.find("000000000009 valid=0xff order=0x1"), std::string::npos) << message;
  EXPECT_NE(message.find("model:  found=0x0 way=0x1 next_valid=0xff next_order=0x2"), std::string::npos) << message;
  EXPECT_NE(message.find("RTL:    found=0x0 way=0x0 next_valid=0xff next_order=0x1"), std::string::npos) << message;
}

TEST_F(LocalityLockstep, ABrokenCutoffIsCaught) {
  const ScoreCutoffShape shape{64, 10, CutoffRule::crossing_admitted};
  ScoreCutoffLockstep both(shape, site_, make(Mechanism<ScoreCutoff>("model"), shape, site_),
                           std::make_unique<ScoreCutoffRtl<BrokenScoreCutoff64, 64>>(shape.rule, site_));
  CutoffRequest request{WarpSet::of_word(0b1011), 300, {100, 100, 0, 100}};
  EXPECT_EQ(both.admit(request), request.active);
  request.scores[0] = 200;
  const std::string message = difference([&] { both.admit(request); });
  EXPECT_EQ(message.find("block: RTL and model differ in cycle 0 at admitted\n"), 0u) << message;
  EXPECT_NE(message.find("inputs: active=0x000000000000000b scores=0x" + std::string(240, '0') +
                         "00640000006400c8 cutoff=0x012c inclusive=0x0"),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("model:  admitted=0x0000000000000003"), std::string::npos) << message;
  EXPECT_NE(message.find("RTL:    admitted=0x0000000000000009"), std::string::npos) << message;
}

TEST_F(LocalityLockstep, ShapesWithoutRtlAreRefused) {
  const ExitCode refused = ExitCode::configuration;
  EXPECT_EQ(message_of(refused,
                       [&] {
                         make(Mechanism<VictimLookup>("rtl"), VictimSetShape{3, 40, VictimReplacement::fifo}, site_);
                       }),
            "sm.blocks.victim_lookup: there is RTL for 1, 2, 4, 8 or 16 ways with 'fifo' and for 8 with 'lru'; this "
            "machine has 3 with 'fifo'");
  EXPECT_EQ(
      message_of(refused,
                 [&] {
                   make(Mechanism<VictimLookup>("lockstep"), VictimSetShape{4, 40, VictimReplacement::lru}, site_);
                 }),
      "sm.blocks.victim_lookup: there is RTL for 1, 2, 4, 8 or 16 ways with 'fifo' and for 8 with 'lru'; this "
      "machine has 4 with 'lru'");
  for (const ScoreCutoffShape shape : {ScoreCutoffShape{32, 31}, ScoreCutoffShape{96, 10}})
    EXPECT_EQ(message_of(refused, [&] { make(Mechanism<ScoreCutoff>("rtl"), shape, site_); }),
              "sm.blocks.score_cutoff: there is RTL for at most 64 warps with scores of at most 10 bits; this machine "
              "has " +
                  std::to_string(shape.warps) + " warps with scores of " + std::to_string(shape.score_bits) + " bits");
}

}  // namespace
}  // namespace heddle::rtl
