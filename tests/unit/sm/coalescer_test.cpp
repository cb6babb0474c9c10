// SPDX-License-Identifier: Apache-2.0
// Addresses to transactions, by each published rule.
#include "sm/memory/coalescer.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace heddle::sm {
namespace {

template <typename AddressOf>
isa::Addresses addresses_of(AddressOf&& address_of) {
  isa::Addresses addresses;
  for (unsigned lane = 0; lane < isa::kWordThreads; ++lane) addresses.value[lane] = address_of(lane);
  addresses.mask = 0xffffffff;
  return addresses;
}

constexpr std::uint32_t kAll = 0xffffffff;

TEST(CoalescerTest, AContiguousWarpIsOneLine) {
  Coalescer coalescer({CoalescingRule::lines, 128});
  coalescer.start();
  coalescer.add(addresses_of([](unsigned lane) { return 0x1000 + 4 * lane; }), kAll, 4);
  ASSERT_EQ(coalescer.size(), 1u);
  EXPECT_EQ(coalescer.begin()->address, 0x1000u);
  EXPECT_EQ(coalescer.begin()->bytes, 128u);
  EXPECT_EQ(coalescer.begin()->threads, 32u);
  EXPECT_EQ(coalescer.begin()->sectors, 0xf);
}

TEST(CoalescerTest, AMisalignedWarpIsTwoLines) {
  Coalescer coalescer({CoalescingRule::lines, 128});
  coalescer.start();
  coalescer.add(addresses_of([](unsigned lane) { return 0x1040 + 4 * lane; }), kAll, 4);
  ASSERT_EQ(coalescer.size(), 2u);
  EXPECT_EQ(coalescer.begin()[0].sectors, 0xc);
  EXPECT_EQ(coalescer.begin()[1].sectors, 0x3);
}

TEST(CoalescerTest, EachStridedThreadHasALineAndMaskedOnesHaveNone) {
  Coalescer coalescer({CoalescingRule::lines, 128});
  coalescer.start();
  coalescer.add(addresses_of([](unsigned lane) { return 0x10000 + 512 * lane; }), 0x0000ff00, 4);
  EXPECT_EQ(coalescer.size(), 8u);
  for (const Transaction& t : coalescer) EXPECT_EQ(t.threads, 1u);
}

TEST(CoalescerTest, AnAccessAcrossALineTouchesBoth) {
  Coalescer coalescer({CoalescingRule::lines, 64});
  coalescer.start();
  coalescer.add(addresses_of([](unsigned) { return 0x1038u; }), 1, 16);
  ASSERT_EQ(coalescer.size(), 2u);
  EXPECT_EQ(coalescer.begin()[0].sectors, 0x2);
  EXPECT_EQ(coalescer.begin()[1].sectors, 0x1);
}

TEST(CoalescerTest, PacketsOfAGroupShareLinesAndAreNamed) {
  Coalescer coalescer({CoalescingRule::lines, 128});
  coalescer.start();
  coalescer.add(addresses_of([](unsigned lane) { return 0x2000 + 4 * lane; }), 0xf, 4, 0);
  coalescer.add(addresses_of([](unsigned lane) { return 0x2000 + 4 * lane; }), 0xf0, 4, 5);
  ASSERT_EQ(coalescer.size(), 1u);
  EXPECT_EQ(coalescer.begin()->members, 0b100001u);
  EXPECT_EQ(coalescer.begin()->threads, 8u);
}

TEST(CoalescerTest, SegmentsShrinkToTheHalfThatIsUsed) {
  Coalescer coalescer({CoalescingRule::segments_1x, 128});
  coalescer.start();
  // 16 words from 0x1000 lie in the lower half of their 128-byte segment: 64 bytes a half-warp.
  coalescer.add(addresses_of([](unsigned lane) { return 0x1000 + 4 * (lane % 16) + 0x400 * (lane / 16); }), kAll, 4);
  ASSERT_EQ(coalescer.size(), 2u);
  EXPECT_EQ(coalescer.begin()[0].bytes, 64u);
  EXPECT_EQ(coalescer.begin()[1].address, 0x1400u);
}

TEST(CoalescerTest, SegmentsOfBytesAre32Wide) {
  Coalescer coalescer({CoalescingRule::segments_1x, 128});
  coalescer.start();
  coalescer.add(addresses_of([](unsigned lane) { return 0x1000 + 32 * lane; }), 0x3, 1);
  ASSERT_EQ(coalescer.size(), 2u);
  EXPECT_EQ(coalescer.begin()[0].bytes, 32u);
}

TEST(CoalescerTest, AContiguousWarpIsTheSameWhenItIsKnownToBe) {
  for (const std::uint64_t first : {0x1000u, 0x1040u, 0x1004u, 0x1ff0u}) {
    for (const unsigned bytes : {1u, 4u, 8u, 16u}) {
      for (const unsigned line : {32u, 64u, 128u}) {
        auto addresses = addresses_of([&](unsigned lane) { return first / bytes * bytes + bytes * lane; });
        Coalescer slow({CoalescingRule::lines, line}), fast({CoalescingRule::lines, line});
        slow.start(true);
        slow.add(addresses, kAll, bytes);
        addresses.contiguous = true;
        fast.start(true);
        fast.add(addresses, kAll, bytes);
        ASSERT_EQ(slow.size(), fast.size());
        for (std::size_t i = 0; i < slow.size(); ++i) {
          EXPECT_EQ(slow.begin()[i].address, fast.begin()[i].address);
          EXPECT_EQ(slow.begin()[i].threads, fast.begin()[i].threads);
          EXPECT_EQ(slow.begin()[i].sectors, fast.begin()[i].sectors);
          EXPECT_EQ(slow.whole(i), fast.whole(i));
        }
      }
    }
  }
}

// The range of addresses tells of loads whose threads all access one line; without it, threads are looked at one by
// one.
TEST(CoalescerTest, OneLineIsTheSameWhenTheRangeShowsIt) {
  std::uint64_t state = 54321;
  const auto random = [&] { return state = state * 6364136223846793005ULL + 1442695040888963407ULL, state >> 33; };
  for (int round = 0; round < 2000; ++round) {
    const unsigned bytes = 1u << random() % 5, line = 32u << random() % 4, places = 1u << random() % 6;
    auto addresses = addresses_of([&](unsigned) { return 0x100000 + bytes * (random() % places) + round % 3; });
    addresses.mask = static_cast<std::uint32_t>(random()) | 1;
    addresses.bytes = bytes;
    Coalescer slow({CoalescingRule::lines, line}), fast({CoalescingRule::lines, line});
    slow.start();
    slow.add(addresses, addresses.mask, bytes, 3);
    addresses.space = isa::Space::global;
    addresses.lowest = ~std::uint64_t{0};
    for (unsigned lane = 0; lane < isa::kWordThreads; ++lane) {
      if ((addresses.mask >> lane & 1) == 0) continue;
      addresses.lowest = std::min(addresses.lowest, addresses.value[lane]);
      addresses.highest = std::max(addresses.highest, addresses.value[lane] + bytes);
    }
    fast.start();
    fast.add(addresses, addresses.mask, bytes, 3);
    ASSERT_EQ(slow.size(), fast.size());
    for (std::size_t i = 0; i < slow.size(); ++i) {
      EXPECT_EQ(slow.begin()[i].address, fast.begin()[i].address);
      EXPECT_EQ(slow.begin()[i].threads, fast.begin()[i].threads);
      EXPECT_EQ(slow.begin()[i].sectors, fast.begin()[i].sectors);
      EXPECT_EQ(slow.begin()[i].members, fast.begin()[i].members);
    }
  }
}

// For any addresses: every accessed byte is in a transaction, and no transaction occurs twice.
TEST(CoalescerTest, CoversEveryByteOnceByLines) {
  std::uint64_t state = 12345;
  const auto random = [&] { return state = state * 6364136223846793005ULL + 1442695040888963407ULL, state >> 33; };
  for (int round = 0; round < 500; ++round) {
    const unsigned bytes = 1u << random() % 5, line = 32u << random() % 4;
    const std::uint64_t span = 1u << (6 + random() % 12);
    const auto addresses = addresses_of([&](unsigned) { return 0x100000 + random() % span; });
    const auto mask = static_cast<std::uint32_t>(random());
    Coalescer coalescer({CoalescingRule::lines, line});
    coalescer.start();
    coalescer.add(addresses, mask, bytes);
    for (unsigned lane = 0; lane < 32; ++lane) {
      if (((mask >> lane) & 1) == 0) continue;
      for (std::uint64_t byte = addresses.value[lane]; byte < addresses.value[lane] + bytes; ++byte) {
        unsigned holders = 0;
        for (const Transaction& t : coalescer) {
          if (byte < t.address || byte >= t.address + t.bytes) continue;
          ++holders;
          EXPECT_TRUE(t.sectors >> ((byte - t.address) / 32) & 1);
        }
        ASSERT_EQ(holders, 1u);
      }
    }
  }
}

}  // namespace
}  // namespace heddle::sm
