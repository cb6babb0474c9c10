// SPDX-License-Identifier: Apache-2.0
// rtl/score_cutoff.sv against admit_below_cutoff(): all requests of four warps with 2-bit scores, random ones of every
// size that machines use, and docs/sources/cache-conscious-and-divergence-aware.md CC-2, CC-4 and DA-2. rtl/
// prefix_cutoff.sv, its second half, alone.
#include "../../unit/sm/locality_vectors.h"
#include "PrefixCutoff4.h"
#include "ScoreCutoff4.h"
#include "ScoreCutoff8.h"
#include "rtl/score_cutoff_rtl.h"
#include "stand.h"
#ifndef HEDDLE_COVERED
#include "ScoreCutoff16.h"
#include "ScoreCutoff32.h"
#include "ScoreCutoff64.h"
#endif

namespace heddle::rtl {
namespace {

using sm::CutoffRequest;
using sm::CutoffRule;
using sm::WarpSet;

constexpr CutoffRule kRules[] = {CutoffRule::crossing_admitted, CutoffRule::inclusive};

class CutoffVectors : public BlockTest {
 protected:
  CutoffRequest random_request(unsigned warps) {
    CutoffRequest request;
    request.active = WarpSet::of_word(word() & ~std::uint64_t{0} >> (64 - warps));
    // Often the base score, often equal ones, and some that differ in any bit.
    const auto base = static_cast<std::uint32_t>(random_() % 4 ? 100 : random_() % 1024);
    const std::uint32_t other = (base + static_cast<std::uint32_t>(random_() % 4 ? random_() % 1024 : 1)) % 1024;
    std::uint64_t sum = 0;
    for (unsigned w = 0; w < warps; ++w) {
      const auto kind = random_() % 8;
      request.scores.push_back(kind < 3 ? base : kind < 6 ? other : static_cast<std::uint32_t>(random_() % 1024));
      if (request.active.test(w)) sum += request.scores.back();
    }
    const auto kind = random_() % 8;
    request.cutoff = kind < 3    ? std::max<std::uint64_t>(1, 100 * request.active.count())
                     : kind == 3 ? word()
                                 : random_() % (sum + 2);
    return request;
  }
  template <typename Cutoff, unsigned kWarps>
  void random_vectors() {
    for (const CutoffRule rule : kRules) {
      ScoreCutoffRtl<Cutoff, kWarps> test(rule, site_);
      rounds([&] {
        const CutoffRequest request = random_request(kWarps);
        ASSERT_EQ(test.admit(request), admit_below_cutoff(rule, request));
      });
    }
  }
  template <typename Cutoff, unsigned kWarps>
  void of_the_source() {
    for (const CutoffRule rule : kRules) {
      ScoreCutoffRtl<Cutoff, kWarps> test(rule, site_);
      const auto admit = [&](const CutoffRequest& request) { return test.admit(request); };
      sm::expect_blocked_warps(rule, admit);
      if (kWarps >= 32) sm::expect_admitted_counts(rule, admit);
    }
  }

  /// The lanes of four below a cutoff; numbers have 7 bits, sums 9.
  std::uint64_t below(std::initializer_list<unsigned> numbers, unsigned cutoff, bool inclusive = true) {
    std::array<std::uint64_t, 7> planes{};
    unsigned lane = 0;
    for (const unsigned number : numbers) {
      for (unsigned b = 0; b < planes.size(); ++b) planes[b] |= std::uint64_t{number >> b & 1} << lane;
      ++lane;
    }
    put64(adder_->values, 0, packed<4>(planes)[0]);
    put(adder_->cutoff, 0, cutoff);
    put(adder_->inclusive, 0, inclusive);
    adder_->eval();
    return get(adder_->below, 0);
  }

  VerilatedBlock<PrefixCutoff4> adder_;
};

TEST_F(CutoffVectors, AllRequestsOfFourWarps) {
  VerilatedBlock<ScoreCutoff4> cutoff;
  for (const CutoffRule rule : kRules) {
    put(cutoff->inclusive, 0, rule == CutoffRule::inclusive);
    for (std::uint32_t input = 0; input < 1u << 16; ++input) {
      CutoffRequest request{WarpSet::of_word(input & 15), input >> 4 & 15, {}};
      std::array<std::uint64_t, 2> planes{};
      for (unsigned w = 0; w < 4; ++w) {
        request.scores.push_back(input >> (8 + 2 * w) & 3);
        for (unsigned b = 0; b < 2; ++b) planes[b] |= std::uint64_t{request.scores[w] >> b & 1} << w;
      }
      put(cutoff->active, 0, input & 15);
      put(cutoff->cutoff, 0, input >> 4 & 15);
      put64(cutoff->scores, 0, packed<4>(planes)[0]);
      cutoff->eval();
      ASSERT_EQ(cutoff->admitted, admit_below_cutoff(rule, request).word(0)) << "request " << input;
    }
  }
}

TEST_F(CutoffVectors, RandomOfEightWarps) { random_vectors<ScoreCutoff8, 8>(); }
TEST_F(CutoffVectors, WorkedExample_CC2_OfEightWarps) { of_the_source<ScoreCutoff8, 8>(); }
#ifndef HEDDLE_COVERED
TEST_F(CutoffVectors, RandomOfSixteenWarps) { random_vectors<ScoreCutoff16, 16>(); }
TEST_F(CutoffVectors, RandomOfThirtyTwoWarps) { random_vectors<ScoreCutoff32, 32>(); }
TEST_F(CutoffVectors, RandomOfSixtyFourWarps) { random_vectors<ScoreCutoff64, 64>(); }
TEST_F(CutoffVectors, WorkedExamples_CC2_CC4_OfThirtyTwoWarps) { of_the_source<ScoreCutoff32, 32>(); }
TEST_F(CutoffVectors, WorkedExamples_CC2_CC4_OfSixtyFourWarps) { of_the_source<ScoreCutoff64, 64>(); }
#endif

// The order of the footprints, not the hardware, knows of ages.
TEST_F(CutoffVectors, WorkedExample_DA2_FootprintsInTheOrderOfAdmission) {
  EXPECT_EQ(below({0, 0, 0, 0}, 48), 0b1111u);
  EXPECT_EQ(below({32, 0, 0, 0}, 48), 0b1111u);
  EXPECT_EQ(below({32, 16, 0, 0}, 48), 0b1111u);
  for (const unsigned cutoff : {48u, 63u}) EXPECT_EQ(below({32, 16, 16}, cutoff) & 0b111, 0b011u) << "T3";
  EXPECT_EQ(below({16, 16, 16}, 48) & 0b111, 0b111u) << "T4";
  EXPECT_EQ(below({32, 32}, 48) & 0b11, 0b01u) << "the second in the order is blocked";
}

TEST_F(CutoffVectors, RandomSequencesBelowACutoff) {
  rounds([&] {
    const auto numbers = random_();
    const auto number = [&](unsigned lane) { return static_cast<unsigned>(numbers >> 8 * lane & 127); };
    const auto cutoff = static_cast<unsigned>(random_() % 512);
    unsigned starting = 0, ending = 0, sum = 0;
    for (unsigned lane = 0; lane < 4; ++lane) {
      starting |= (sum < cutoff ? 1u : 0u) << lane;
      sum += number(lane);
      ending |= (sum <= cutoff ? 1u : 0u) << lane;
    }
    ASSERT_EQ(below({number(0), number(1), number(2), number(3)}, cutoff, false), starting);
    ASSERT_EQ(below({number(0), number(1), number(2), number(3)}, cutoff, true), ending);
  });
}

}  // namespace
}  // namespace heddle::rtl
