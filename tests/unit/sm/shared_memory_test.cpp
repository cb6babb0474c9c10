// SPDX-License-Identifier: Apache-2.0
// Passes over the banks of shared memory per access.
#include "sm/memory/shared_memory.h"

#include <gtest/gtest.h>

#include <utility>

namespace heddle::sm {
namespace {

constexpr SharedMemoryParameters kBanks32{.banks = 32, .bank_bytes = 4};
constexpr SharedMemoryParameters kHalfWarps{.banks = 16, .bank_bytes = 4, .half_warps = true};

class BankConflictsTest : public testing::Test {
 protected:
  BankConflictsTest() {
    set_access(isa::DataType::u32, 1);
    packet_.op = &op_;
    packet_.memory = &memory_;
  }
  void set_access(isa::DataType type, std::uint8_t elements) {
    op_.type = type;
    op_.vector_width = elements;
  }
  /// An access of the first `threads` threads of a packet, 1 to 512, thread i at address_of(i) bytes.
  template <typename AddressOf>
  void access(unsigned threads, AddressOf&& address_of) {
    packet_.word_count = static_cast<std::uint8_t>((threads + isa::kWordThreads - 1) / isa::kWordThreads);
    memory_.addresses.make_room(kMaxWords);
    for (unsigned w = 0; w < kMaxWords; ++w) {
      isa::Addresses& word = memory_.addresses[w];
      word.space = isa::Space::shared;
      word.mask = word.shared_lanes = 0;
      word.contiguous = word.uniform = false;
      word.lowest = word.highest = 0;  // no range known
    }
    for (unsigned i = 0; i < threads; ++i) {
      isa::Addresses& word = memory_.addresses[i / isa::kWordThreads];
      word.value[i % isa::kWordThreads] = address_of(i);
      word.mask |= 1u << i % isa::kWordThreads;
    }
  }
  template <typename AddressOf>
  unsigned passes(unsigned threads, AddressOf&& address_of, const SharedMemoryParameters& parameters = kBanks32) {
    access(threads, address_of);
    return passes(parameters);
  }
  unsigned passes(const SharedMemoryParameters& parameters = kBanks32) {
    return BankConflicts(parameters).passes(packet_);
  }

  isa::MicroOp op_;
  MemoryAccess memory_;
  Packet packet_;
};

TEST_F(BankConflictsTest, ARangeWithinOneRowOfBanksIsOnePass) {
  std::uint64_t state = 12345;
  const auto random = [&] { return state = state * 6364136223846793005ULL + 1442695040888963407ULL, state >> 33; };
  for (int round = 0; round < 2000; ++round) {
    const unsigned span = 1 + static_cast<unsigned>(random() % 48);
    access(1 + static_cast<unsigned>(random() % 32), [&](unsigned) { return 4 * (100 + random() % span); });
    isa::Addresses& word = memory_.addresses[0];
    const unsigned without = passes();
    word.lowest = 400;
    word.highest = 400 + 4 * span;
    EXPECT_EQ(passes(), without) << span;
  }
}
TEST_F(BankConflictsTest, OneWordForAllThreadsIsOnePass) {
  EXPECT_EQ(passes(32, [](unsigned) { return 0x124; }), 1u);
}

TEST_F(BankConflictsTest, ConsecutiveWordsAreOnePassInAnyOrder) {
  EXPECT_EQ(passes(32, [](unsigned i) { return 4 * i; }), 1u);
  EXPECT_EQ(passes(32, [](unsigned i) { return 0x400 + 4 * (i ^ 21); }), 1u);
}

TEST_F(BankConflictsTest, AStrideSharesItsFactorOfTwoWithTheBanks) {
  for (const unsigned stride : {2u, 4u, 8u, 16u, 32u}) {
    EXPECT_EQ(passes(32, [&](unsigned i) { return 4 * stride * i; }), stride) << stride;
    EXPECT_EQ(passes(32, [&](unsigned i) { return 4 * (stride - 1) * i; }), 1u) << stride - 1;
    EXPECT_EQ(passes(32, [&](unsigned i) { return 4 * (stride + 1) * i; }), 1u) << stride + 1;
  }
  EXPECT_EQ(passes(32, [](unsigned i) { return 4 * 64 * i; }), 32u) << "a stride beyond the banks is one bank";
}

TEST_F(BankConflictsTest, BytesOfAWordAreOneWord) {
  set_access(isa::DataType::u8, 1);
  EXPECT_EQ(passes(32, [](unsigned i) { return i; }), 1u);
  EXPECT_EQ(passes(32, [](unsigned i) { return 128 * (i / 4) + i % 4; }), 8u);
}

TEST_F(BankConflictsTest, VectorsTakeAPassForEveryRoundOfTheBanks) {
  set_access(isa::DataType::u32, 2);
  EXPECT_EQ(passes(32, [](unsigned i) { return 8 * i; }), 2u);
  EXPECT_EQ(passes(16, [](unsigned i) { return 8 * i; }), 1u);
  set_access(isa::DataType::b64, 1);
  EXPECT_EQ(passes(32, [](unsigned i) { return 8 * i; }), 2u);
  EXPECT_EQ(passes(32, [](unsigned i) { return 8 * i; }, {.banks = 32, .bank_bytes = 8}), 1u);
  set_access(isa::DataType::u32, 4);
  EXPECT_EQ(passes(32, [](unsigned i) { return 16 * i; }), 4u);
  EXPECT_EQ(passes(32, [](unsigned) { return 16; }), 1u);
  set_access(isa::DataType::b64, 2);
  EXPECT_EQ(passes(32, [](unsigned i) { return 16 * i; }), 4u);
  EXPECT_EQ(passes(32, [](unsigned i) { return 128 * i; }), 32u) << "every word of a vector in the same four banks";
}

TEST_F(BankConflictsTest, HalfWarpsTakeTheirPassesOneAfterTheOther) {
  EXPECT_EQ(passes(
                32, [](unsigned) { return 0; }, kHalfWarps),
            2u);
  EXPECT_EQ(passes(
                32, [](unsigned i) { return 4 * i; }, kHalfWarps),
            2u);
  EXPECT_EQ(passes(
                32, [](unsigned i) { return 8 * i; }, kHalfWarps),
            4u);
  EXPECT_EQ(passes(
                32, [](unsigned i) { return 64 * i; }, kHalfWarps),
            32u);
  EXPECT_EQ(passes(
                32, [](unsigned i) { return i < 16 ? 64 * i : 0; }, kHalfWarps),
            17u);
}

TEST_F(BankConflictsTest, AHalfWithoutThreadsTakesNoPass) {
  EXPECT_EQ(passes(
                16, [](unsigned i) { return 4 * i; }, kHalfWarps),
            1u);
  access(32, [](unsigned i) { return 64 * i; });
  memory_.addresses[0].mask = 0xffff0000;
  EXPECT_EQ(passes(kHalfWarps), 16u);
}

TEST_F(BankConflictsTest, ThreadsThatDoNotTakePartAskForNothing) {
  access(32, [](unsigned i) { return 128 * i; });
  memory_.addresses[0].mask = 0x80000101;
  EXPECT_EQ(passes(), 3u);
  memory_.addresses[0].mask = 0;
  EXPECT_EQ(passes(), 1u) << "an access without threads still passes";
}

TEST_F(BankConflictsTest, AllWordsOfAPacketAreOneAccess) {
  EXPECT_EQ(passes(128, [](unsigned) { return 0x40; }), 1u);
  EXPECT_EQ(passes(128, [](unsigned i) { return 4 * i; }), 4u);
  EXPECT_EQ(passes(128, [](unsigned i) { return 4 * (i % 32); }), 1u);
}

TEST_F(BankConflictsTest, ABankMayBeAskedForMoreWordsThanThereAreBanks) {
  EXPECT_EQ(passes(64, [](unsigned i) { return 128 * i; }), 64u);
  EXPECT_EQ(passes(65, [](unsigned i) { return 128 * i; }), 65u);
  EXPECT_EQ(passes(128, [](unsigned i) { return 128 * i; }), 128u);
  EXPECT_EQ(passes(512, [](unsigned i) { return 128 * i; }), 512u);
  EXPECT_EQ(passes(
                128, [](unsigned i) { return 64 * i; }, kHalfWarps),
            128u);
}

TEST_F(BankConflictsTest, TheBankWithTheMostDifferentWordsDecides) {
  // Bank 5 is asked 200 times for 100 words, bank 6 for 50, the others for one.
  EXPECT_EQ(passes(400,
                   [](unsigned i) {
                     if (i < 200) return 4 * (5 + 32 * (i % 100));
                     if (i < 250) return 4 * (6 + 32 * (i - 200));
                     return 4 * (i % 32 == 5 || i % 32 == 6 ? 7 : i % 32);
                   }),
            100u);
}

TEST_F(BankConflictsTest, ARunOfBytesNeedsThePassesOfItsThreads) {
  using Access = std::pair<isa::DataType, std::uint8_t>;
  for (const auto& [type, elements] :
       {Access{isa::DataType::u8, 1}, Access{isa::DataType::u16, 1}, Access{isa::DataType::u32, 1},
        Access{isa::DataType::u64, 1}, Access{isa::DataType::u32, 4}}) {
    set_access(type, elements);
    const unsigned bytes = isa::size_of(type) * elements;
    for (const unsigned start : {0u, bytes, 3 * bytes, 0x400 + 5 * bytes}) {
      for (const unsigned step : {0u, bytes}) {
        const unsigned by_thread = passes(32, [&](unsigned i) { return start + step * i; });
        isa::Addresses& run = memory_.addresses[0];
        run.uniform = step == 0;
        run.contiguous = step != 0;
        run.lowest = start;
        run.highest = start + 31 * step + bytes;
        EXPECT_EQ(passes(), by_thread) << bytes << " bytes from " << start << " by " << step;
        if (run.uniform) {
          run.mask = 0x10;
          EXPECT_EQ(passes(), by_thread) << "of one thread";
        }
      }
    }
  }
}

TEST_F(BankConflictsTest, OfAGenericAccessOnlyTheThreadsInSharedMemoryCount) {
  access(32, [](unsigned i) { return isa::kSharedWindow + 128 * i; });
  memory_.addresses[0].space = isa::Space::generic;
  memory_.addresses[0].shared_lanes = 0x0000000f;
  EXPECT_EQ(passes(), 4u);
}

}  // namespace
}  // namespace heddle::sm
