// SPDX-License-Identifier: Apache-2.0
// rtl/secondary_lookup.sv against look_up_secondary(): all requests of three ways and two lanes, random ones of the
// sizes used by machines, and the vectors of docs/sources/branch-and-warp-interweaving.md V8.
#include "../../unit/sm/interweaving_vectors.h"
#include "SecondaryLookup24.h"
#include "SecondaryLookup3x2.h"
#include "rtl/secondary_lookup_rtl.h"
#include "stand.h"
#ifndef HEDDLE_COVERED
#include "SecondaryLookup16.h"
#include "SecondaryLookup32.h"
#include "SecondaryLookup48.h"
#endif

namespace heddle::rtl {
namespace {

using sm::LookupAnswer;
using sm::LookupRequest;

class LookupVectors : public BlockTest {
 protected:
  template <typename Lookup, unsigned kWays>
  void random_vectors() {
    SecondaryLookupRtl<Lookup, kWays> lookup(site_);
    rounds([&] {
      LookupRequest request;
      request.ready = word();
      request.same_unit = word();
      request.free = word();
      request.first = static_cast<unsigned>(random_() % kWays);
      // Often ways of equally many lanes, and often lanes that are all free.
      const std::uint64_t common = word();
      for (unsigned way = 0; way < kWays; ++way) {
        std::uint64_t& lanes = request.lanes[way];
        lanes = random_() % 2 ? std::rotl(common, static_cast<int>(random_() % 64)) : word();
        if (random_() % 4 != 0) lanes &= request.free;
      }
      ASSERT_EQ(lookup.look_up(request), look_up_secondary({kWays}, request));
    });
  }
};

TEST_F(LookupVectors, AllRequestsOfThreeWaysAndTwoLanes) {
  VerilatedBlock<SecondaryLookup3x2> lookup;
  for (unsigned first = 0; first < 3; ++first) {
    for (std::uint32_t input = 0; input < 1u << 14; ++input) {
      LookupRequest request;
      request.first = first;
      request.ready = input & 7;
      request.same_unit = input >> 3 & 7;
      request.free = input >> 6 & 3;
      for (unsigned way = 0; way < 3; ++way) request.lanes[way] = input >> (8 + 2 * way) & 3;
      put(lookup->first, 0, first);
      put(lookup->ready, 0, input & 7);
      put(lookup->same_unit, 0, input >> 3 & 7);
      put(lookup->free, 0, input >> 6 & 3);
      put(lookup->lanes, 0, input >> 8);
      lookup->eval();
      const LookupAnswer wanted = look_up_secondary({3}, request);
      ASSERT_EQ(lookup->hits, wanted.hits) << "request " << input << ", first " << first;
      ASSERT_EQ(lookup->best, wanted.best) << "request " << input << ", first " << first;
      ASSERT_EQ(lookup->any != 0, wanted.hits != 0) << "request " << input << ", first " << first;
    }
  }
}

TEST_F(LookupVectors, RandomOfTwentyFourWays) { random_vectors<SecondaryLookup24, 24>(); }
#ifndef HEDDLE_COVERED
TEST_F(LookupVectors, RandomOfSixteenWays) { random_vectors<SecondaryLookup16, 16>(); }
TEST_F(LookupVectors, RandomOfThirtyTwoWays) { random_vectors<SecondaryLookup32, 32>(); }
TEST_F(LookupVectors, RandomOfFortyEightWays) { random_vectors<SecondaryLookup48, 48>(); }
#endif

TEST_F(LookupVectors, OfTheSource) {
  SecondaryLookupRtl<SecondaryLookup24, 24> lookup(site_);
  expect_lookup_vectors(lookup);
}

}  // namespace
}  // namespace heddle::rtl
