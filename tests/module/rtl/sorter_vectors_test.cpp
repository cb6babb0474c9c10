// SPDX-License-Identifier: Apache-2.0
// rtl/context_sort.sv against sort_contexts(): all requests of 2-bit program counters and two threads, random ones of
// full size, and the vectors of docs/sources/branch-and-warp-interweaving.md V5.
#include "../../unit/sm/interweaving_vectors.h"
#include "ContextSort2.h"
#include "ContextSortSmall2.h"
#include "rtl/context_sorter_rtl.h"
#include "stand.h"
#ifndef HEDDLE_COVERED
#include "ContextSort1.h"
#include "ContextSortSmall1.h"
#endif

namespace heddle::rtl {
namespace {

using sm::SortedContexts;
using sm::SorterRequest;

class SorterVectors : public BlockTest {
 protected:
  /// Whether as many of the live contexts as allowed are fixed.
  static bool legal(const SorterRequest& request, unsigned hot) {
    unsigned fixed = 0;
    for (const sm::SplitContext& context : request)
      fixed += context.valid && context.threads != 0 && context.fixed ? 1 : 0;
    return fixed <= hot && (hot == 2 || !request[1].valid);
  }

  /// Contexts of 6 bits each, all of which are tried.
  template <typename Small>
  void all_requests(unsigned hot) {
    VerilatedBlock<Small> sorter;
    unsigned count = 0;
    for (std::uint32_t input = 0; input < 1u << 18; ++input) {
      SorterRequest request;
      for (unsigned i = 0; i < 3; ++i) {
        const std::uint32_t six = input >> 6 * i;
        request[i] = {(six & 1) != 0, (six & 2) != 0, six >> 2 & 3, six >> 4 & 3};
      }
      if (!legal(request, hot)) continue;
      ++count;
      std::uint32_t valid = 0, fixed = 0, pc = 0, threads = 0;
      for (unsigned i = 0; i < 3; ++i) {
        valid |= (request[i].valid ? 1u : 0u) << i;
        fixed |= (request[i].fixed ? 1u : 0u) << i;
        pc |= request[i].pc << 2 * i;
        threads |= static_cast<std::uint32_t>(request[i].threads) << 2 * i;
      }
      put(sorter->valid, 0, valid);
      put(sorter->fixed, 0, fixed);
      put(sorter->pc, 0, pc);
      put(sorter->masks, 0, threads);
      sorter->eval();
      SortedContexts sorted;
      for (unsigned k = 0; k < 3; ++k) {
        sorted.contexts[k] = {bits(sorter->sorted_valid, k, 1) != 0, bits(sorter->sorted_fixed, k, 1) != 0,
                              static_cast<std::uint32_t>(bits(sorter->sorted_pc, 2 * k, 2)),
                              bits(sorter->sorted_masks, 2 * k, 2)};
        sorted.sources[k] = static_cast<std::uint8_t>(bits(sorter->sources, 3 * k, 3));
      }
      const SortedContexts wanted = sort_contexts({hot}, request);
      ASSERT_EQ(sorted, wanted) << "request " << input;
      ASSERT_EQ(sorter->push != 0, wanted.contexts[hot].valid) << "request " << input;
    }
    std::printf("%u requests\n", count);
  }

  template <typename Sorter>
  void random_vectors(unsigned hot) {
    ContextSorterRtl<Sorter> sorter(site_);
    rounds([&] {
      // Few different program counters, which differ in any bit.
      const auto base = static_cast<std::uint32_t>(random_());
      const std::uint32_t other = base ^ (1u << random_() % 32);
      SorterRequest request;
      do {
        for (unsigned i = 0; i < 3; ++i) {
          const std::uint32_t pc = random_() % 4 == 0 ? static_cast<std::uint32_t>(random_())
                                   : random_() % 2    ? base
                                                      : other;
          request[i] = {random_() % 8 != 0, random_() % 4 == 0, pc, word()};
        }
        if (hot == 1) request[1].valid = false;
      } while (!legal(request, hot));
      ASSERT_EQ(sorter.sort(request), sort_contexts({hot}, request));
    });
  }
};

TEST_F(SorterVectors, AllRequestsOfTwoThreadsWithTwoHotContexts) { all_requests<ContextSortSmall2>(2); }
TEST_F(SorterVectors, RandomOfTwoHotContexts) { random_vectors<ContextSort2>(2); }
#ifndef HEDDLE_COVERED
TEST_F(SorterVectors, AllRequestsOfTwoThreadsWithOneHotContext) { all_requests<ContextSortSmall1>(1); }
TEST_F(SorterVectors, RandomOfOneHotContext) { random_vectors<ContextSort1>(1); }
#endif

TEST_F(SorterVectors, OfTheSource) {
  ContextSorterRtl<ContextSort2> sorter(site_);
  expect_sorter_vectors(sorter);
}

}  // namespace
}  // namespace heddle::rtl
