// SPDX-License-Identifier: Apache-2.0
// The prefix-sum network, and cond_acc and tree_traverse on top of it. Vectors and the table of adders:
// docs/sources/large-warps-and-database-search.md, 2.12, 3.8 and 3.12.
#include "isa/prefix_sum.h"

#include <bit>

#include "isa/fault.h"
#include "isa/prefix_operations.h"
#include "semantics_fixture.h"

namespace heddle::isa {
namespace {

std::vector<unsigned> first_lanes(const PrefixSums& sums, unsigned lanes) {
  return {sums.inclusive.begin(), sums.inclusive.begin() + lanes};
}

TEST(PrefixSum, WorkedExample_3_8_LevelByLevel) {
  const PrefixSum network(8);
  const std::uint64_t p = 0b10010110;  // lane 0 first: 0 1 1 0 1 0 0 1
  using Lanes = std::vector<unsigned>;
  EXPECT_EQ(first_lanes(network.after(0, p), 8), (Lanes{0, 1, 1, 0, 1, 0, 0, 1}));
  EXPECT_EQ(first_lanes(network.after(1, p), 8), (Lanes{0, 1, 2, 1, 1, 1, 0, 1}));
  EXPECT_EQ(first_lanes(network.after(2, p), 8), (Lanes{0, 1, 2, 2, 3, 2, 1, 2}));
  const PrefixSums sums = network.sum(p);
  EXPECT_EQ(first_lanes(sums, 8), (Lanes{0, 1, 2, 2, 3, 3, 3, 4}));
  Lanes exclusive;
  for (unsigned lane = 0; lane < 8; ++lane) exclusive.push_back(sums.exclusive(lane));
  EXPECT_EQ(exclusive, (Lanes{0, 0, 1, 2, 2, 3, 3, 3}));
  EXPECT_EQ(sums.total, 4u);
}

TEST(PrefixSum, HasTheAddersOfTheTable) {
  struct Row {
    unsigned lanes;
    std::vector<unsigned> adders;  ///< of level 1 on, by adders of 1, 2, ... bits
    unsigned total, bits;
  };
  for (const Row& row : {Row{8, {7, 6, 4}, 17, 31}, Row{16, {15, 14, 12, 8}, 49, 111},
                         Row{32, {31, 30, 28, 24, 16}, 129, 351}, Row{64, {63, 62, 60, 56, 48, 32}, 321, 1023}}) {
    const PrefixSum network(row.lanes);
    ASSERT_EQ(network.levels(), row.adders.size());
    for (unsigned level = 1; level <= network.levels(); ++level) {
      EXPECT_EQ(network.adders(level), row.adders[level - 1]) << row.lanes << " lanes, level " << level;
      EXPECT_EQ(PrefixSum::adder_bits(level), level);
    }
    EXPECT_EQ(network.adders(), row.total);
    EXPECT_EQ(network.full_adder_bits(), row.bits);
  }
}

TEST(PrefixSum, CountsTheLanesBelowForEveryWidthAndPattern) {
  std::uint64_t p = 0x9e3779b97f4a7c15;
  for (const unsigned lanes : {2u, 4u, 8u, 16u, 32u, 64u}) {
    const PrefixSum network(lanes);
    const std::uint64_t all = lanes == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << lanes) - 1;
    for (unsigned round = 0; round < 200; ++round) {
      p = round == 0 ? 0 : round == 1 ? ~std::uint64_t{0} : p * 6364136223846793005u + 1442695040888963407u;
      const PrefixSums sums = network.sum(p);
      EXPECT_EQ(sums.total, std::popcount(p & all));
      for (unsigned lane = 0; lane < lanes; ++lane) {
        EXPECT_EQ(sums.exclusive(lane), std::popcount(p & all & ((std::uint64_t{1} << lane) - 1)));
      }
    }
  }
}

TEST(PrefixSum, RefusesOtherNumbersOfLanes) {
  EXPECT_THROW(PrefixSum(0), Error);
  EXPECT_THROW(PrefixSum(24), Error);
  EXPECT_THROW(PrefixSum(128), Error);
}

/// Data in units 8 and on, the predicate in predicate 0, the base at unit 0 (64 bits), the count to unit 16.
class PrefixOperations : public WarpFixture {
 protected:
  PrefixOperations() {
    port_.allow(memory_.data(), memory_.size());
    for (unsigned i = 0; i < 32; ++i) {
      longs(8)[i] = 0x1111'2222'3333'4400u + i;
      words(16)[i] = 0xeeeeeeee;
    }
    std::fill(memory_.begin(), memory_.end(), std::byte{0xcd});
    std::fill(shared_.begin(), shared_.end(), std::byte{0xcd});
  }
  static MicroOp accumulate(Space space, DataType type) {
    MicroOp op;
    op.opcode = Opcode::cond_acc;
    op.unit = Unit::memory;
    op.space = space;
    op.type = type;
    op.ptx_line = 12;
    op.destinations[0] = register_at(16, DataType::b32);
    op.sources[0] = register_at(0, DataType::b64);
    op.sources[1] = predicate_at(0);
    op.sources[2] = register_at(8, DataType::b64);
    op.destination_count = 1;
    op.source_count = 3;
    return op;
  }
  void point_at(std::uint64_t base) {
    for (unsigned i = 0; i < 32; ++i) longs(0)[i] = base;
  }
  Addresses run(const MicroOp& op, std::uint32_t mask) {
    Addresses addresses;
    compute_addresses(op, warp_, mask, prefix_shares(op, warp_, mask), addresses);
    execute_memory(op, warp_, addresses, port_);
    return addresses;
  }
  std::uint64_t generic(const std::byte* place) const { return reinterpret_cast<std::uint64_t>(place); }

  alignas(512) std::array<std::byte, 1024> memory_;
  TestMemory port_;
};

// Every size of datum in every space: against a loop over the lanes.
TEST_F(PrefixOperations, CondAccWritesTheDataOfLanesThatHoldOneBehindTheOther) {
  struct Place {
    Space space;
    std::uint64_t base;
    std::byte* bytes;
  };
  for (const DataType type : {DataType::b8, DataType::b16, DataType::b32, DataType::b64}) {
    const unsigned size = size_of(type);
    for (const Place& place :
         {Place{Space::shared, 64, shared_.data() + 64}, Place{Space::global, generic(&memory_[64]), &memory_[64]},
          Place{Space::generic, kSharedWindow + 512, shared_.data() + 512},
          Place{Space::generic, generic(&memory_[512]), &memory_[512]}}) {
      for (const std::uint32_t mask : {0xffffffffu, 0x0ff0f00fu}) {
        for (const std::uint32_t holds : {0xffffffffu, 0xaaaaaaaau, 0x80000000u, 0x12345678u, 1u}) {
          std::fill(place.bytes - 8, place.bytes + 256, std::byte{0xcd});
          std::fill(words(16), words(16) + 32, 0xeeeeeeee);
          point_at(place.base);
          predicate(0) = holds;
          run(accumulate(place.space, type), mask);
          unsigned count = 0;
          for (unsigned lane = 0; lane < 32; ++lane) {
            if ((holds & mask & 1u << lane) == 0) continue;
            EXPECT_EQ(std::memcmp(place.bytes + count * size, &longs(8)[lane], size), 0)
                << name_of(type) << " lane " << lane << " of " << std::hex << (holds & mask);
            ++count;
          }
          EXPECT_EQ(place.bytes[count * size], std::byte{0xcd});
          EXPECT_EQ(place.bytes[-1], std::byte{0xcd});
          for (unsigned lane = 0; lane < 32; ++lane) {
            EXPECT_EQ(words(16)[lane], (mask >> lane & 1) != 0 ? count : 0xeeeeeeee);
          }
        }
      }
    }
  }
}

TEST_F(PrefixOperations, WorkedExample_3_8_CondAccOfThirtyTwoLanes) {
  const MicroOp op = accumulate(Space::shared, DataType::b32);
  point_at(0x100);
  predicate(0) = ~0u;
  Addresses all = run(op, ~0u);
  EXPECT_TRUE(all.contiguous);
  EXPECT_EQ(all.lowest, 0x100u);
  EXPECT_EQ(all.highest, 0x180u);
  EXPECT_EQ(words(16)[31], 32u);
  predicate(0) = 0;
  EXPECT_EQ(run(op, ~0u).mask, 0u);
  EXPECT_EQ(words(16)[5], 0u);
  predicate(0) = 0x80000000;
  EXPECT_EQ(run(op, ~0u).value[31], 0x100u);
  EXPECT_EQ(words(16)[0], 1u);
  predicate(0) = 0xaaaaaaaa;
  const Addresses half = run(op, ~0u);
  for (unsigned j = 0; j < 16; ++j) EXPECT_EQ(half.value[2 * j + 1], 0x100u + 4 * j);
  EXPECT_EQ(words(16)[0], 16u);
}

TEST_F(PrefixOperations, CondAccHasItsOffsetAndNarrowAddressesWrapInThirtyTwoBits) {
  MicroOp op = accumulate(Space::shared, DataType::b32);
  op.sources[0] = register_at(0, DataType::b32);
  op.address_offset = 0x20;
  for (unsigned i = 0; i < 32; ++i) words(0)[i] = 0xfffffff0;
  predicate(0) = ~0u;
  const Addresses addresses = run(op, ~0u);
  EXPECT_EQ(addresses.lowest, 0x10u);
  EXPECT_EQ(addresses.highest, 0x90u);
}

TEST_F(PrefixOperations, CondAccMayCountIntoTheRegisterOfItsData) {
  MicroOp op = accumulate(Space::shared, DataType::b32);
  op.sources[2] = register_at(16, DataType::b32);
  for (unsigned i = 0; i < 32; ++i) words(16)[i] = 700 + i;
  point_at(0);
  predicate(0) = 0x6;
  run(op, ~0u);
  std::uint32_t written[2];
  std::memcpy(written, shared_.data(), sizeof written);
  EXPECT_EQ(written[0], 701u);
  EXPECT_EQ(written[1], 702u);
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(words(16)[i], 2u);
}

TEST_F(PrefixOperations, CondAccFaultsBeforeAnythingIsWritten) {
  const MicroOp op = accumulate(Space::shared, DataType::b32);
  predicate(0) = 0xff;
  point_at(kSharedBytes - 28);
  EXPECT_NE(message_of(ExitCode::memory_fault, [&] { run(op, ~0u); })
                .find("out-of-bounds shared conditional accumulate of 4 bytes at 0x400"),
            std::string::npos);
  EXPECT_EQ(shared_[kSharedBytes - 28], std::byte{0xcd});
  point_at(0x102);
  EXPECT_NE(message_of(ExitCode::memory_fault, [&] { run(op, ~0u); }).find("must be a multiple of 4"),
            std::string::npos);
  // No lane writes, so the address does not matter.
  predicate(0) = 0;
  run(op, ~0u);
}

class TreeTraverse : public PrefixOperations {
 protected:
  static MicroOp traverse(DataType type, unsigned node_size_unit) {
    MicroOp op;
    op.opcode = Opcode::tree_traverse;
    op.type = type;
    op.destinations[0] = register_at(16, type == DataType::u64 ? DataType::b64 : DataType::b32);
    op.sources[0] = register_at(0, type == DataType::u64 ? DataType::b64 : DataType::b32);
    op.sources[1] = predicate_at(0);
    op.sources[2] = register_at(node_size_unit, DataType::b32);
    op.destination_count = 1;
    op.source_count = 3;
    return op;
  }
  void go(const MicroOp& op, std::uint32_t mask = ~0u) {
    execute_tree_traverse(op, warp_, mask, prefix_shares(op, warp_, mask));
  }
  void node_size(std::uint32_t size) { std::fill(words(20), words(20) + 32, size); }
};

TEST_F(TreeTraverse, WorkedExample_3_12) {
  const MicroOp op = traverse(DataType::u32, 20);
  predicate(0) = 0x1ff;
  for (unsigned i = 0; i < 32; ++i) words(0)[i] = 32 + i;
  node_size(32);
  go(op);
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(words(16)[i], 320 + i);
  node_size(1);
  std::fill(words(0), words(0) + 32, 5);
  go(op);
  EXPECT_EQ(words(16)[17], 14u);
  predicate(0) = 0;
  go(op);
  EXPECT_EQ(words(16)[3], 5u);
}

TEST_F(TreeTraverse, OfSixtyFourBitsCarriesIntoTheUpperHalf) {
  const MicroOp op = traverse(DataType::u64, 20);
  predicate(0) = ~0u;
  point_at(0xffff'ffe0);
  node_size(0x80000000);
  go(op);
  EXPECT_EQ(longs(16)[9], 0xffff'ffe0u + 32ull * 0x80000000u);
}

TEST_F(TreeTraverse, CountsAndWritesOnlyTheThreadsThatMet) {
  const MicroOp op = traverse(DataType::u32, 20);
  predicate(0) = ~0u;
  std::fill(words(0), words(0) + 32, 100);
  node_size(8);
  go(op, 0x0000f00f);
  EXPECT_EQ(words(16)[0], 164u);
  EXPECT_EQ(words(16)[4], 0xeeeeeeeeu);
}

TEST_F(TreeTraverse, NamesTheThreadWhoseNodeSizeIsNoPowerOfTwo) {
  const MicroOp op = traverse(DataType::u32, 20);
  node_size(32);
  words(20)[5] = 30;
  kernel_.ops.resize(1);
  const std::string message = message_of(ExitCode::kernel_fault, [&] { go(op); });
  EXPECT_NE(message.find("node size 30 is not a power of two"), std::string::npos) << message;
  EXPECT_NE(message.find("threads 37 of block (1,2,1)"), std::string::npos) << message;
  EXPECT_NE(message.find("`the instruction`"), std::string::npos) << message;
  words(20)[5] = 0;
  EXPECT_THROW(go(op), KernelFault);
}

}  // namespace
}  // namespace heddle::isa
