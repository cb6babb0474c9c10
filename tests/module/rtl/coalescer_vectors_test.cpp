// SPDX-License-Identifier: Apache-2.0
// rtl/pc_coalescer.sv against coalesce_pcs(): all partitions of all sets of members, random program counters, and the
// vectors of docs/sources/variable-warp-size.md 3.2.
#include "../../unit/sm/ganging_vectors.h"
#include "PcCoalescer8.h"
#include "rtl/pc_coalescer_rtl.h"
#include "stand.h"
#ifndef HEDDLE_COVERED
#include "PcCoalescer4.h"
#endif

namespace heddle::rtl {
namespace {

using sm::CoalescePcs;
using sm::kGangPcBits;

class CoalescerVectors : public BlockTest {
 protected:
  std::uint64_t pc() { return random_() >> (64 - kGangPcBits); }

  /// Calls visit(classes) for every partition of kSlices slices: classes are numbered in order of their lowest slice.
  template <unsigned kSlices, typename Visit>
  static void partitions(Visit&& visit) {
    std::array<unsigned, kSlices> classes{};
    while (true) {
      visit(classes);
      // The next one: the last slice that can still move to the next class does, and those behind it begin again.
      unsigned s = kSlices;
      while (--s > 0) {
        const unsigned next = 1 + *std::max_element(classes.begin(), classes.begin() + s);
        if (classes[s] < next) break;
      }
      if (s == 0) return;
      ++classes[s];
      std::fill(classes.begin() + s + 1, classes.end(), 0);
    }
  }

  template <typename Coalescer, unsigned kSlices>
  void all_partitions(unsigned expected) {
    PcCoalescerRtl<Coalescer, kSlices> coalescer(site_);
    unsigned count = 0;
    partitions<kSlices>([&](const std::array<unsigned, kSlices>& classes) {
      // Program counters that differ in one bit or two.
      const std::uint64_t base = pc();
      const auto first = static_cast<unsigned>(random_() % kGangPcBits);
      CoalescePcs request;
      for (unsigned s = 0; s < kSlices; ++s)
        request.pcs[s] = base ^ (classes[s] == 0 ? 0 : std::uint64_t{1} << (first + classes[s]) % kGangPcBits);
      for (unsigned members = 0; members < 1u << kSlices && !HasFailure(); ++members, ++count) {
        request.members = static_cast<sm::SliceMask>(members);
        ASSERT_EQ(coalescer.partition(request), coalesce_pcs(request)) << "members " << members;
      }
    });
    std::printf("%u requests\n", count);
    EXPECT_EQ(count, expected);
  }

  template <typename Coalescer, unsigned kSlices>
  void random_vectors() {
    PcCoalescerRtl<Coalescer, kSlices> coalescer(site_);
    rounds([&] {
      CoalescePcs request;
      request.members = static_cast<sm::SliceMask>((random_() | random_()) & ((1u << kSlices) - 1));
      // Few different program counters, which differ in any bit.
      const std::uint64_t base = pc(), other = base ^ std::uint64_t{1} << random_() % kGangPcBits;
      for (unsigned s = 0; s < kSlices; ++s) request.pcs[s] = random_() % 4 == 0 ? pc() : random_() % 2 ? base : other;
      ASSERT_EQ(coalescer.partition(request), coalesce_pcs(request));
    });
  }
};

// 4140 partitions of eight slices, 15 of four.
TEST_F(CoalescerVectors, AllPartitionsOfEightSlices) { all_partitions<PcCoalescer8, 8>(4140 * 256); }
TEST_F(CoalescerVectors, RandomOfEightSlices) { random_vectors<PcCoalescer8, 8>(); }
#ifndef HEDDLE_COVERED
TEST_F(CoalescerVectors, AllPartitionsOfFourSlices) { all_partitions<PcCoalescer4, 4>(15 * 16); }
TEST_F(CoalescerVectors, RandomOfFourSlices) { random_vectors<PcCoalescer4, 4>(); }
#endif

TEST_F(CoalescerVectors, OfTheSource) {
  PcCoalescerRtl<PcCoalescer8, 8> coalescer(site_);
  sm::expect_pc_vectors(coalescer);
}

}  // namespace
}  // namespace heddle::rtl
