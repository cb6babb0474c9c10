// SPDX-License-Identifier: Apache-2.0
// Both forms of the prefix-sum network against PrefixSum: all predicates of 8 and of 16 lanes, random ones of 32; the
// address generator and tree sum built on them; docs/sources/large-warps-and-database-search.md 3.8 and 3.12.
#include "CondAccAddress32.h"
#include "CondAccAddress8.h"
#include "PrefixSumKs32.h"
#include "PrefixSumKs8.h"
#include "PrefixSumWf32.h"
#include "PrefixSumWf8.h"
#include "TreeTraverseSum32.h"
#include "isa/prefix_operations.h"
#include "rtl/prefix_sum_rtl.h"
#include "stand.h"
#ifndef HEDDLE_COVERED
#include "PrefixSumKs16.h"
#include "PrefixSumWf16.h"
#endif

namespace heddle::rtl {
namespace {

class PrefixVectors : public BlockTest {
 protected:
  template <typename Network, unsigned kLanes>
  void every_predicate() {
    PrefixSumRtl<Network, kLanes> network(site_);
    const isa::PrefixSum model(kLanes);
    for (std::uint64_t p = 0; p < std::uint64_t{1} << kLanes; ++p) ASSERT_EQ(network.sum(p), model.sum(p)) << p;
  }
  template <typename Network>
  void random_predicates() {
    PrefixSumRtl<Network, 32> network(site_);
    const isa::PrefixSum model(32);
    for (unsigned lane = 0; lane < 32; ++lane) {
      for (const std::uint64_t p : {std::uint64_t{1} << lane, (std::uint64_t{2} << lane) - 1})
        ASSERT_EQ(network.sum(p), model.sum(p)) << p;
    }
    for (const std::uint64_t p : {0x0ull, 0xffffffffull, 0xaaaaaaaaull, 0x55555555ull})
      ASSERT_EQ(network.sum(p), model.sum(p)) << p;
    rounds([&] {
      const std::uint64_t p = word() & 0xffffffff;
      ASSERT_EQ(network.sum(p), model.sum(p)) << p;
    });
  }
  /// Each lane's part of the sums, by the model's logic.
  static isa::PrefixShares shares(unsigned lanes, std::uint32_t predicates) {
    isa::PrefixShares shares;
    const std::uint32_t all = lanes == 32 ? ~0u : (1u << lanes) - 1;
    shares.add(isa::PrefixSum(lanes).sum(predicates), predicates, all);
    return shares;
  }
  /// Sets every port and compares every lane with base + (lanes below << size).
  template <unsigned kLanes, typename Block>
  void check_addresses(Block& block, std::uint32_t predicates, std::uint64_t base, unsigned size) {
    put(block->predicates, 0, predicates);
    block->base = base;
    block->size = static_cast<CData>(size);
    block->eval();
    const isa::PrefixShares expected = shares(kLanes, predicates);
    for (unsigned i = 0; i < kLanes; ++i)
      ASSERT_EQ(bits(block->address, 64 * i, 64), base + (std::uint64_t{expected.before[i]} << size)) << i;
    ASSERT_EQ(get(block->write, 0), predicates);
    ASSERT_EQ(get(block->count, 0), expected.total[0]);
  }
};

TEST_F(PrefixVectors, FastFormEveryPredicateOf8Lanes) { every_predicate<PrefixSumKs8, 8>(); }
TEST_F(PrefixVectors, WorkEfficientFormEveryPredicateOf8Lanes) { every_predicate<PrefixSumWf8, 8>(); }
#ifndef HEDDLE_COVERED
TEST_F(PrefixVectors, FastFormEveryPredicateOf16Lanes) { every_predicate<PrefixSumKs16, 16>(); }
TEST_F(PrefixVectors, WorkEfficientFormEveryPredicateOf16Lanes) { every_predicate<PrefixSumWf16, 16>(); }
#endif
TEST_F(PrefixVectors, FastFormRandomPredicatesOf32Lanes) { random_predicates<PrefixSumKs32>(); }
TEST_F(PrefixVectors, WorkEfficientFormRandomPredicatesOf32Lanes) { random_predicates<PrefixSumWf32>(); }

TEST_F(PrefixVectors, WorkedExample_3_8) {
  PrefixSumRtl<PrefixSumKs8, 8> network(site_);
  const isa::PrefixSums sums = network.sum(0b10010110);  // lane 0 first: 0 1 1 0 1 0 0 1
  const std::array<unsigned, 8> inclusive = {0, 1, 2, 2, 3, 3, 3, 4}, exclusive = {0, 0, 1, 2, 2, 3, 3, 3};
  for (unsigned i = 0; i < 8; ++i) {
    EXPECT_EQ(sums.inclusive[i], inclusive[i]);
    EXPECT_EQ(sums.exclusive(i), exclusive[i]);
  }
  EXPECT_EQ(sums.total, 4u);
}

TEST_F(PrefixVectors, WorkedExample_3_8_Addresses) {
  VerilatedBlock<CondAccAddress8> block;
  const std::array<std::array<std::uint64_t, 4>, 3> expected = {
      {{0x100, 0x104, 0x108, 0x10c}, {0x100, 0x101, 0x102, 0x103}, {0x100, 0x108, 0x110, 0x118}}};
  const std::array<unsigned, 3> sizes = {2, 0, 3};
  for (std::size_t k = 0; k < 3; ++k) {
    check_addresses<8>(block, 0b10010110, 0x100, sizes[k]);
    unsigned next = 0;
    for (const unsigned lane : {1u, 2u, 4u, 7u}) EXPECT_EQ(bits(block->address, 64 * lane, 64), expected[k][next++]);
    EXPECT_EQ(get(block->count, 0), 4u);
  }
}

TEST_F(PrefixVectors, ConditionalAccumulateEveryPredicateOf8Lanes) {
  VerilatedBlock<CondAccAddress8> block;
  for (std::uint32_t p = 0; p < 256; ++p) check_addresses<8>(block, p, random_(), p % 4);
}

TEST_F(PrefixVectors, ConditionalAccumulateRandomVectorsOf32Lanes) {
  VerilatedBlock<CondAccAddress32> block;
  for (const std::uint32_t p : {0u, ~0u, 0x80000000u, 0xaaaaaaaau}) check_addresses<32>(block, p, 0x1000, 2);
  // Sums carry through all 64 bits, and wrap.
  for (unsigned size = 0; size < 4; ++size) check_addresses<32>(block, ~0u, ~std::uint64_t{0}, size);
  rounds([&] {
    check_addresses<32>(block, static_cast<std::uint32_t>(word()), word(), static_cast<unsigned>(random_() % 4));
  });
}

class TreeTraverseVectors : public PrefixVectors {
 protected:
  void check(std::uint32_t predicates, unsigned shift, const std::function<std::uint64_t(unsigned lane)>& base) {
    put(block_->predicates, 0, predicates);
    block_->shift = static_cast<CData>(shift);
    std::array<std::uint64_t, 32> bases;
    for (unsigned i = 0; i < 32; ++i) {
      bases[i] = base(i);
      put(block_->base, 2 * i, static_cast<std::uint32_t>(bases[i]));
      put(block_->base, 2 * i + 1, static_cast<std::uint32_t>(bases[i] >> 32));
    }
    block_->eval();
    const std::uint64_t total = shares(32, predicates).total[0];
    for (unsigned i = 0; i < 32; ++i) ASSERT_EQ(result(i), bases[i] + (total << shift)) << i;
  }
  std::uint64_t result(unsigned lane) { return bits(block_->result, 64 * lane, 64); }
  VerilatedBlock<TreeTraverseSum32> block_;
};

TEST_F(TreeTraverseVectors, WorkedExample_3_12) {
  check(0x1ff, 5, [](unsigned i) { return 32 + i; });
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(result(i), 320 + i);
  check(0x1ff, 0, [](unsigned) { return 5; });
  EXPECT_EQ(result(17), 14u);
  check(0, 5, [](unsigned i) { return 100 + i; });
  EXPECT_EQ(result(31), 131u);
}

TEST_F(TreeTraverseVectors, RandomVectors) {
  for (unsigned shift = 0; shift < 32; ++shift) check(~0u, shift, [](unsigned) { return ~std::uint64_t{0}; });
  rounds([&] {
    check(static_cast<std::uint32_t>(word()), static_cast<unsigned>(random_() % 32), [&](unsigned) { return word(); });
  });
}

}  // namespace
}  // namespace heddle::rtl
