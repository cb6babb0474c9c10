// SPDX-License-Identifier: Apache-2.0
#include "gpu/device_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

namespace heddle::gpu {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kMiB = 1 << 20;

class DeviceMemoryTest : public testing::Test {
 protected:
  DeviceMemory memory_{{DeviceMemory::kDefaultBase, 64 * kMiB, 16 * kMiB}};
  std::uint64_t device(std::uint64_t bytes) { return memory_.allocate(bytes, AllocationKind::device); }
};

std::uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * 4096;
}

/// Those of a range of whole pages alone: what a sanitizer keeps of the range does not count.
std::uint64_t resident_bytes(std::uint64_t address, std::uint64_t bytes) {
  std::vector<unsigned char> pages(bytes / 4096);
  if (mincore(reinterpret_cast<void*>(address), bytes, pages.data()) != 0) return ~std::uint64_t{0};
  return 4096 * static_cast<std::uint64_t>(
                    std::count_if(pages.begin(), pages.end(), [](auto page) { return (page & 1) != 0; }));
}

TEST_F(DeviceMemoryTest, AddressesAreTheSameInEveryRun) {
  EXPECT_EQ(device(1000), DeviceMemory::kDefaultBase);
  EXPECT_EQ(device(1), DeviceMemory::kDefaultBase + 1024);
}

TEST_F(DeviceMemoryTest, DevicePointersAreHostPointers) {
  auto* bytes = reinterpret_cast<char*>(device(64));
  std::strcpy(bytes, "weft");
  EXPECT_STREQ(bytes, "weft");
}

TEST_F(DeviceMemoryTest, AnAccessMayEndWithItsAllocationButNotOneGranuleLater) {
  const auto a = device(512);
  device(512);  // a neighbour, so that the bytes that follow belong to another allocation
  EXPECT_TRUE(memory_.accessible(a, a + 512));
  EXPECT_TRUE(memory_.accessible(a + 508, a + 512));
  EXPECT_FALSE(memory_.accessible(a + 508, a + 513));
  EXPECT_FALSE(memory_.accessible(a - 1, a + 1));
}

class GeneratedRegion : public DeviceMemoryTest {
 protected:
  // The byte at offset i is 3 i, starting at an unaligned offset.
  static void bytes_of(std::uint64_t offset, void* to, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i)
      static_cast<unsigned char*>(to)[i] = static_cast<unsigned char>(3 * (offset + i));
  }
  std::uint64_t region(std::uint64_t bytes) { return memory_.allocate_generated(bytes, bytes_of, "index"); }
  unsigned char byte_at(std::uint64_t address) const {
    unsigned char byte = 0;
    EXPECT_TRUE(memory_.produce(address, 1, &byte));
    return byte;
  }
};

TEST_F(GeneratedRegion, ProducesWhatItsFunctionSaysFromAPageOn) {
  device(300);
  const auto a = region(10000);
  EXPECT_EQ(a % 4096, 0u);
  EXPECT_EQ(byte_at(a), 0);
  EXPECT_EQ(byte_at(a + 9999), static_cast<unsigned char>(3 * 9999));
  unsigned char several[3];
  EXPECT_TRUE(memory_.produce(a + 100, 3, several));
  EXPECT_EQ(several[2], static_cast<unsigned char>(306));
}

TEST_F(GeneratedRegion, EndsWithItsLastByteAndIsNoMemory) {
  const auto a = region(10000);
  unsigned char several[2];
  EXPECT_TRUE(memory_.produce(a + 9998, 2, several));
  EXPECT_FALSE(memory_.produce(a + 9999, 2, several));
  EXPECT_FALSE(memory_.produce(a - 1, 1, several));
  EXPECT_FALSE(memory_.accessible(a, a + 4));
  EXPECT_EQ(memory_.find(a + 5)->kind, AllocationKind::generated);
  EXPECT_THAT(memory_.nearest(a + 5), HasSubstr("at offset 5 of generated region 'index' of 10000 bytes"));
  EXPECT_THAT(memory_.nearest(a + 5), HasSubstr("read-only"));
  EXPECT_THAT(memory_.nearest(a + 10001), HasSubstr("1 bytes past the end of generated region 'index'"));
}

TEST_F(GeneratedRegion, GivesItsAddressesBackWhenItIsReleased) {
  const auto before = memory_.device_bytes_used();
  const auto a = region(40 * kMiB);
  EXPECT_EQ(region(40 * kMiB), 0u) << "no room for two";
  EXPECT_TRUE(memory_.release(a));
  EXPECT_FALSE(memory_.release(a));
  EXPECT_EQ(memory_.device_bytes_used(), before);
  unsigned char byte;
  EXPECT_FALSE(memory_.produce(a, 1, &byte));
  EXPECT_EQ(device(40 * kMiB), a);
  EXPECT_TRUE(memory_.accessible(a, a + 40 * kMiB));
}

TEST_F(DeviceMemoryTest, AnAddressIsAstrayWhenNoAllocationIsWithinAGigabyte) {
  EXPECT_TRUE(memory_.astray(DeviceMemory::kDefaultBase)) << "nothing is allocated";
  const auto a = device(1000), b = device(1000);
  EXPECT_TRUE(memory_.astray(0));
  EXPECT_TRUE(memory_.astray(4095));
  EXPECT_FALSE(memory_.astray(a + 10));
  EXPECT_FALSE(memory_.astray(b + 1000));
  EXPECT_FALSE(memory_.astray(b + 999 + (1 << 30)));
  EXPECT_TRUE(memory_.astray(b + 1000 + (1 << 30)));
  EXPECT_FALSE(memory_.astray(a - (1 << 30)));
  EXPECT_TRUE(memory_.astray(a - (1 << 30) - 1));
  memory_.release(a);
  memory_.release(b);
  EXPECT_FALSE(memory_.astray(a + 10)) << "it was freed, which says enough";
}

TEST_F(GeneratedRegion, TakesNoMemoryOfTheHost) {
  const auto before = resident_bytes();
  const auto a = region(60 * kMiB);
  for (std::uint64_t at = 0; at < 60 * kMiB; at += 4096) byte_at(a + at);
  EXPECT_LT(resident_bytes() - before, 4 * kMiB);
}

TEST_F(DeviceMemoryTest, BoundsAreToTheGranuleUnlessAskedForExactly) {
  const auto a = device(100);
  EXPECT_TRUE(memory_.accessible(a, a + 256));
  EXPECT_FALSE(memory_.accessible(a, a + 257));
  EXPECT_TRUE(memory_.accessible_exactly(a, a + 100));
  EXPECT_FALSE(memory_.accessible_exactly(a, a + 101));
}

TEST_F(DeviceMemoryTest, NothingOutsideTheReservationIsAccessible) {
  int local = 0;
  const auto address = reinterpret_cast<std::uint64_t>(&local);
  EXPECT_FALSE(memory_.accessible(address, address + 4));
  EXPECT_FALSE(memory_.accessible(0, 4));
  EXPECT_FALSE(memory_.accessible(~std::uint64_t{0} - 8, ~std::uint64_t{0}));
  const auto end = memory_.base() + memory_.reserved_bytes();
  EXPECT_FALSE(memory_.accessible(end - 4, end + 4));
}

class OverflowTest : public testing::Test {
 protected:
  DeviceMemory memory_{{DeviceMemory::kDefaultBase, 64 * kMiB, 16 * kMiB, 64 * kMiB, 32 * kMiB}};
  std::uint64_t device(std::uint64_t bytes) { return memory_.allocate(bytes, AllocationKind::device); }
};

TEST_F(OverflowTest, IsUsedOnlyWhereTheDeviceZoneHasNoRoom) {
  EXPECT_EQ(device(kMiB), DeviceMemory::kDefaultBase) << "addresses are those of a memory without overflow";
  const auto [begin, end] = memory_.device_range();
  EXPECT_EQ(begin, DeviceMemory::kDefaultBase - 64 * kMiB);
  EXPECT_EQ(end, DeviceMemory::kDefaultBase + 64 * kMiB);
  EXPECT_EQ(device(64 * kMiB), 0u) << "beyond what the host could back";
  const auto more = device(32 * kMiB), rest = device(32 * kMiB);
  EXPECT_EQ(more, DeviceMemory::kDefaultBase + kMiB);
  EXPECT_EQ(rest, begin);
  EXPECT_TRUE(memory_.accessible(rest, rest + 32 * kMiB));
  EXPECT_FALSE(memory_.accessible(rest + 32 * kMiB, rest + 32 * kMiB + 4));
  EXPECT_EQ(memory_.device_bytes_used(), 65 * kMiB);
  EXPECT_EQ(device(32 * kMiB), 0u) << "the budget is spent";
}

TEST_F(OverflowTest, IsGivenBack) {
  ASSERT_NE(device(64 * kMiB), 0u);
  const auto one = device(32 * kMiB);
  ASSERT_TRUE(memory_.release(one));
  EXPECT_EQ(memory_.device_bytes_used(), 64 * kMiB);
  EXPECT_EQ(device(20 * kMiB), one);
}

TEST_F(OverflowTest, NoAllocationLiesInBothZones) {
  ASSERT_NE(device(64 * kMiB), 0u);
  const auto one = device(32 * kMiB);
  EXPECT_FALSE(memory_.accessible(one + 32 * kMiB - 4, one + 32 * kMiB + 4));
  EXPECT_FALSE(memory_.accessible(DeviceMemory::kDefaultBase - 4, DeviceMemory::kDefaultBase + 4));
}

TEST_F(DeviceMemoryTest, UseAfterFreeIsRefusedAndNamedAsSuch) {
  const auto a = device(4096);
  ASSERT_TRUE(memory_.release(a));
  EXPECT_FALSE(memory_.accessible(a, a + 4));
  EXPECT_THAT(memory_.nearest(a + 8), HasSubstr("at offset 8 of device allocation 1 of 4096 bytes"));
  EXPECT_THAT(memory_.nearest(a + 8), HasSubstr("which was freed"));
  EXPECT_FALSE(memory_.release(a)) << "a second free";
}

TEST_F(DeviceMemoryTest, OnlyTheStartOfAnAllocationFreesIt) {
  const auto a = device(4096);
  EXPECT_FALSE(memory_.release(a + 256));
  EXPECT_TRUE(memory_.release(a));
}

TEST_F(DeviceMemoryTest, FreedSpaceIsJoinedAndReused) {
  const auto a = device(24 * kMiB), b = device(24 * kMiB);
  EXPECT_EQ(device(24 * kMiB), 0u) << "48 of 64 MiB are taken";
  memory_.release(a);
  memory_.release(b);
  EXPECT_EQ(memory_.device_bytes_used(), 0u);
  EXPECT_EQ(device(64 * kMiB), a);
  EXPECT_EQ(device(1), 0u);
}

TEST_F(DeviceMemoryTest, JoinsInEveryOrderOfFrees) {
  std::vector<int> order{0, 1, 2};
  do {
    std::vector<std::uint64_t> parts{device(20 * kMiB), device(20 * kMiB), device(24 * kMiB)};
    for (int i : order) ASSERT_TRUE(memory_.release(parts[static_cast<std::size_t>(i)]));
    const auto whole = device(64 * kMiB);
    ASSERT_NE(whole, 0u);
    memory_.release(whole);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_F(DeviceMemoryTest, FreedPagesGoBackToTheSystem) {
  const auto a = device(32 * kMiB);
  EXPECT_EQ(resident_bytes(a, 32 * kMiB), 0u) << "allocation alone must not touch pages";
  std::memset(reinterpret_cast<void*>(a), 1, 32 * kMiB);
  EXPECT_EQ(resident_bytes(a, 32 * kMiB), 32 * kMiB);
  memory_.release(a);
  EXPECT_EQ(resident_bytes(a, 32 * kMiB), 0u);
}

TEST_F(DeviceMemoryTest, FreeingASmallNeighbourKeepsTheContentsOfTheOther) {
  const auto a = device(256), b = device(256), c = device(8192);
  *reinterpret_cast<int*>(b) = 42;
  memory_.release(a);
  memory_.release(c);
  EXPECT_EQ(*reinterpret_cast<int*>(b), 42);
}

TEST_F(DeviceMemoryTest, ManyAllocationsAndFreesKeepTheirRecords) {
  std::uint64_t last = 0;
  for (int i = 0; i < 100'000; ++i) {
    const auto a = device(256 + 256 * (static_cast<unsigned>(i) % 7));
    ASSERT_NE(a, 0u);
    ASSERT_TRUE(last == 0 || memory_.release(last));
    last = a;
  }
  EXPECT_EQ(memory_.live_allocations(), 1u);
  EXPECT_EQ(memory_.find(last)->number, 100'000u);
}

TEST_F(DeviceMemoryTest, HonoursLargerAlignment) {
  device(1);
  EXPECT_EQ(memory_.allocate(10, AllocationKind::device, {}, 65536) % 65536, 0u);
}

TEST_F(DeviceMemoryTest, HostAndManagedMemoryDoNotTakeDeviceBytes) {
  const auto host = memory_.allocate(kMiB, AllocationKind::host),
             managed = memory_.allocate(kMiB, AllocationKind::managed);
  EXPECT_EQ(memory_.device_bytes_used(), 0u);
  EXPECT_TRUE(memory_.accessible(host, host + kMiB));
  EXPECT_TRUE(memory_.accessible(managed, managed + kMiB));
  EXPECT_EQ(memory_.find(managed)->kind, AllocationKind::managed);
}

TEST_F(DeviceMemoryTest, RegisteredHostRangesAreAccessibleToTheByte) {
  alignas(256) static char buffer[1000];
  const auto a = reinterpret_cast<std::uint64_t>(buffer);
  ASSERT_TRUE(memory_.register_host(a, sizeof buffer));
  EXPECT_TRUE(memory_.accessible(a, a + 1000));
  EXPECT_FALSE(memory_.accessible(a, a + 1001));
  EXPECT_FALSE(memory_.accessible(a - 1, a + 1));
  EXPECT_FALSE(memory_.register_host(a + 999, 10)) << "overlaps";
  EXPECT_TRUE(memory_.unregister_host(a));
  EXPECT_FALSE(memory_.accessible(a, a + 4));
}

TEST_F(DeviceMemoryTest, TheReservationCannotBeRegistered) {
  const auto a = device(4096);
  EXPECT_FALSE(memory_.register_host(a, 4096));
}

TEST_F(DeviceMemoryTest, NearestNamesTheNeighbour) {
  const auto a = memory_.allocate(1000, AllocationKind::variable, "lookup");
  EXPECT_THAT(memory_.nearest(a + 1024), HasSubstr("24 bytes past the end of device variable 'lookup' of 1000 bytes"));
  EXPECT_THAT(memory_.nearest(a + 5), HasSubstr("at offset 5 of"));
  EXPECT_THAT(memory_.nearest(8), HasSubstr("null pointer"));
  int local = 0;
  EXPECT_THAT(memory_.nearest(reinterpret_cast<std::uint64_t>(&local)), HasSubstr("host pointer"));
}

TEST_F(DeviceMemoryTest, NearestOfAnEmptyDeviceSaysSo) {
  EXPECT_THAT(memory_.nearest(memory_.base() + 4096), HasSubstr("nothing is allocated"));
}

TEST_F(DeviceMemoryTest, ReleaseAllForgetsAllocationsButNotRegistrations) {
  static char buffer[64];
  const auto r = reinterpret_cast<std::uint64_t>(buffer);
  const auto a = device(64);
  memory_.register_host(r, 64);
  memory_.release_all();
  EXPECT_FALSE(memory_.accessible(a, a + 4));
  EXPECT_TRUE(memory_.accessible(r, r + 4));
}

TEST_F(DeviceMemoryTest, MoreThanTheZoneIsRefused) {
  EXPECT_EQ(device(64 * kMiB + 1), 0u);
  EXPECT_EQ(device(~std::uint64_t{0}), 0u);
  EXPECT_NE(device(64 * kMiB), 0u);
}

}  // namespace
}  // namespace heddle::gpu
