// SPDX-License-Identifier: Apache-2.0
// rtl/victim_lookup.sv against look_up_victim(): all requests to a set of three ways and 2-bit tags, random ones to
// sets of every size that machines use, and docs/sources/cache-conscious-and-divergence-aware.md CC-6 and CC-7.
#include "../../unit/sm/locality_vectors.h"
#include "VictimLookup3x2.h"
#include "VictimLookup8.h"
#include "VictimLookupLru3x2.h"
#include "VictimLookupLru8.h"
#include "rtl/victim_lookup_rtl.h"
#include "stand.h"
#ifndef HEDDLE_COVERED
#include "VictimLookup1.h"
#include "VictimLookup16.h"
#include "VictimLookup2.h"
#include "VictimLookup4.h"
#endif

namespace heddle::rtl {
namespace {

using sm::VictimReplacement;
using sm::VictimSetAnswer;
using sm::VictimSetRequest;
using sm::VictimSetShape;
using What = VictimSetRequest::What;

constexpr What kWhat[] = {What::probe, What::insert, What::remove};

class VictimVectors : public BlockTest {
 protected:
  /// A port's field is 2 bits, the model's 4 bits.
  static std::uint64_t model_order(std::uint64_t fields) {
    return (fields & 3) | (fields >> 2 & 3) << 4 | (fields >> 4 & 3) << 8;
  }
  /// Whether the order of three ways has each of them.
  static bool is_order(std::uint64_t fields) {
    unsigned ways = 0;
    for (unsigned place = 0; place < 3; ++place) ways |= 1u << ((fields >> 2 * place & 3) ^ place);
    return ways == 0b111;
  }

  template <typename Lookup>
  void all_requests(VictimReplacement replacement, unsigned orders, unsigned expected) {
    const bool lru = replacement == VictimReplacement::lru;
    VerilatedBlock<Lookup> lookup;
    unsigned count = 0;
    for (unsigned order = 0; order < orders; ++order) {
      if (lru ? !is_order(order) : order > 2) continue;
      for (unsigned input = 0; input < 3u << 11; ++input, ++count) {
        VictimSetRequest request;
        request.what = kWhat[input >> 11];
        request.tag = input & 3;
        for (unsigned way = 0; way < 3; ++way) request.set.tags[way] = input >> (2 + 2 * way) & 3;
        request.set.valid = input >> 8 & 7;
        request.set.order = lru ? model_order(order) : order;
        put(lookup->insert, 0, request.what == What::insert);
        put(lookup->remove, 0, request.what == What::remove);
        put(lookup->tag, 0, input & 3);
        put(lookup->tags, 0, input >> 2 & 63);
        put(lookup->valid, 0, input >> 8 & 7);
        put(lookup->order, 0, order);
        lookup->eval();
        const VictimSetAnswer answer{lookup->found != 0, lookup->way, lookup->next_valid,
                                     lru ? model_order(lookup->next_order) : lookup->next_order};
        ASSERT_EQ(answer, look_up_victim({3, 2, replacement}, request)) << "request " << input << ", order " << order;
      }
    }
    std::printf("%u requests\n", count);
    EXPECT_EQ(count, expected);
  }

  /// A set that lives through random requests, and that is another one now and then.
  template <typename Lookup, unsigned kWays, bool kLru>
  void random_vectors() {
    const VictimSetShape shape{kWays, sm::kVictimAddressBits, kLru ? VictimReplacement::lru : VictimReplacement::fifo};
    VictimLookupRtl<Lookup, kWays, kLru> lookup(site_);
    sm::VictimSet set;
    std::array<std::uint64_t, kWays + 3> tags{};
    rounds([&] {
      if (random_() % 64 == 0) {
        // Tags that differ in any bit.
        const std::uint64_t base = random_();
        for (std::uint64_t& tag : tags)
          tag = (random_() % 2 ? base ^ std::uint64_t{1} << random_() % 48 : word()) & ~std::uint64_t{0} >> 16;
        set.valid = static_cast<std::uint16_t>(word() & ((1u << kWays) - 1));
      }
      const VictimSetRequest request{kWhat[random_() % 8 < 5 ? 1 : random_() % 3], tags[random_() % tags.size()], set};
      const VictimSetAnswer answer = lookup.look_up(request);
      ASSERT_EQ(answer, look_up_victim(shape, request));
      if (request.what == What::insert) set.tags[answer.way] = request.tag;
      set.valid = answer.valid;
      set.order = answer.order;
    });
  }
};

TEST_F(VictimVectors, AllRequestsOfThreeWaysFirstInFirstOut) {
  all_requests<VictimLookup3x2>(VictimReplacement::fifo, 1u << 2, 3 * (3 << 11));
}
TEST_F(VictimVectors, AllRequestsOfThreeWaysLeastRecentlyUsed) {
  all_requests<VictimLookupLru3x2>(VictimReplacement::lru, 1u << 6, 6 * (3 << 11));
}
TEST_F(VictimVectors, RandomOfEightWaysFirstInFirstOut) { random_vectors<VictimLookup8, 8, false>(); }
TEST_F(VictimVectors, RandomOfEightWaysLeastRecentlyUsed) { random_vectors<VictimLookupLru8, 8, true>(); }
#ifndef HEDDLE_COVERED
TEST_F(VictimVectors, RandomOfOneWay) { random_vectors<VictimLookup1, 1, false>(); }
TEST_F(VictimVectors, RandomOfTwoWays) { random_vectors<VictimLookup2, 2, false>(); }
TEST_F(VictimVectors, RandomOfFourWays) { random_vectors<VictimLookup4, 4, false>(); }
TEST_F(VictimVectors, RandomOfSixteenWays) { random_vectors<VictimLookup16, 16, false>(); }
#endif

TEST_F(VictimVectors, WorkedExample_CC6_ATrace) {
  VictimLookupRtl<VictimLookup8, 8, false> lookup(site_);
  sm::expect_victim_trace([&](const VictimSetRequest& request) { return lookup.look_up(request); });
}
TEST_F(VictimVectors, WorkedExample_CC7_TheNinthTagReplacesTheFirst) {
  VictimLookupRtl<VictimLookup8, 8, false> lookup(site_);
  sm::expect_first_of_nine_replaced([&](const VictimSetRequest& request) { return lookup.look_up(request); });
}

}  // namespace
}  // namespace heddle::rtl
