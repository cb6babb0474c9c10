// SPDX-License-Identifier: Apache-2.0
// Approximately timed, loosely timed and untimed accesses see the same data at every entry point.
#include "tb/memory_platform.h"

#include <gtest/gtest.h>

#include <ostream>

namespace heddle {
namespace {

using tb::MemoryPlatform;
using tb::PlainInitiator;
using tb::PlainMemory;

std::uint64_t draw(std::uint64_t& state, std::uint64_t below) {
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (state >> 33) % below;
}

std::string style_name(const ::testing::TestParamInfo<PlainMemory::Style>& info) {
  static const char* const kStyles[] = {"Completes", "EarlyResponse", "AcceptsAtOnce", "FourPhases", "SkipsEndReq"};
  return kStyles[static_cast<int>(info.param)];
}

enum class Way { timed, blocking, debug };

/// Completes one access by one method. Returns whether it succeeded.
bool move(PlainInitiator& initiator, Way way, PlainInitiator::Access& access) {
  if (way == Way::blocking) {
    initiator.blocking(access);
    return access.status == tlm::TLM_OK_RESPONSE;
  }
  if (way == Way::debug) {
    tlm::tlm_generic_payload payload;
    payload.set_command(access.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    payload.set_address(access.address);
    payload.set_data_ptr(access.bytes.data());
    payload.set_data_length(static_cast<unsigned>(access.bytes.size()));
    payload.set_streaming_width(static_cast<unsigned>(access.bytes.size()));
    return initiator.socket->transport_dbg(payload) == access.bytes.size();
  }
  const std::size_t number = initiator.queue(access);
  for (unsigned i = 0; i < 1000 && !initiator[number].done; ++i) {
    sc_core::sc_start(sc_core::sc_time(20, sc_core::SC_NS));
  }
  access = initiator[number];
  return access.done && access.status == tlm::TLM_OK_RESPONSE;
}

class MemoryPlatformTest : public ::testing::TestWithParam<PlainMemory::Style> {};

TEST_P(MemoryPlatformTest, TimedBlockingAndDebugAccessGiveTheSameBytesAtEveryEntry) {
  constexpr std::size_t kBytes = 8192;
  MemoryPlatform platform("platform", kBytes, GetParam());
  std::vector<unsigned char> shared(kBytes), plain(kBytes);
  for (std::size_t i = 0; i < kBytes; ++i) {
    platform.bytes()[i] = shared[i] = static_cast<unsigned char>(i * 7);
    platform.plain_bytes()[i] = plain[i] = static_cast<unsigned char>(i * 11);
  }
  sc_core::sc_start(sc_core::SC_ZERO_TIME);  // untimed access needs bound sockets, too
  std::uint64_t state = 5;
  std::array<std::array<unsigned, 3>, MemoryPlatform::kEntries> done{};
  for (unsigned i = 0; i < 3000; ++i) {
    const auto entry = static_cast<MemoryPlatform::Entry>(draw(state, MemoryPlatform::kEntries));
    const auto way = static_cast<Way>(draw(state, 3));
    std::vector<unsigned char>& expected = entry == MemoryPlatform::kL2OverPlainMemory ? plain : shared;
    PlainInitiator::Access access;
    access.write = draw(state, 2) == 0;
    const std::uint64_t length = 1 + draw(state, 64);
    const std::uint64_t block = draw(state, kBytes / platform.granule()) * platform.granule();
    const std::uint64_t offset = block + draw(state, platform.granule() - length + 1);
    access.address = MemoryPlatform::kBase + offset;
    access.bytes.resize(length);
    for (auto& byte : access.bytes) byte = static_cast<unsigned char>(draw(state, 256));
    if (access.write) std::copy(access.bytes.begin(), access.bytes.end(), &expected[offset]);
    ASSERT_TRUE(move(platform.initiator(entry), way, access)) << "access " << i << " entry " << entry;
    if (!access.write) {
      const std::vector<unsigned char> wanted(&expected[offset], &expected[offset] + length);
      ASSERT_EQ(access.bytes, wanted) << "access " << i << " entry " << entry << " way " << static_cast<int>(way);
    }
    ++done[entry][static_cast<unsigned>(way)];
  }
  for (const auto& ways : done) {
    for (const unsigned count : ways) EXPECT_GT(count, 100u);
  }
  EXPECT_EQ(platform.bytes(), shared);
  EXPECT_TRUE(std::equal(plain.begin(), plain.end(), platform.plain_bytes()));
  EXPECT_EQ(platform.violations(), std::vector<std::string>{});
  EXPECT_GT(platform.transactions(), 2000u);
}

TEST_P(MemoryPlatformTest, ManyInitiatorsAtOnceKeepTheProtocolAndTheirOwnBytes) {
  constexpr std::size_t kBytes = 16384;
  MemoryPlatform platform("platform", kBytes, GetParam());
  // Each entry point has its own region, in which accesses do not overlap.
  constexpr std::uint64_t kRegion = kBytes / MemoryPlatform::kEntries / 256 * 256;
  for (unsigned e = 0; e < MemoryPlatform::kEntries; ++e) {
    PlainInitiator& initiator = platform.initiator(static_cast<MemoryPlatform::Entry>(e));
    initiator.defers_end_resp = e % 2 == 1;
    initiator.response_handling = sc_core::sc_time(3 * e, sc_core::SC_NS);
    initiator.annotated = sc_core::sc_time(700 * e, sc_core::SC_PS);
    for (unsigned i = 0; i < 90; ++i) {
      initiator.write(MemoryPlatform::kBase + e * kRegion + 32 * i,
                      std::vector<unsigned char>(32, static_cast<unsigned char>(i + e)));
    }
  }
  sc_core::sc_start(sc_core::sc_time(100, sc_core::SC_US));
  for (unsigned e = 0; e < MemoryPlatform::kEntries; ++e) {
    PlainInitiator& initiator = platform.initiator(static_cast<MemoryPlatform::Entry>(e));
    ASSERT_EQ(initiator.done(), 90u) << "entry " << e;
    const unsigned char* const bytes =
        e == MemoryPlatform::kL2OverPlainMemory ? platform.plain_bytes() : platform.bytes().data();
    for (unsigned i = 0; i < 90; ++i) {
      ASSERT_EQ(initiator[i].status, tlm::TLM_OK_RESPONSE) << "entry " << e << " access " << i;
      for (unsigned k = 0; k < 32; ++k)
        ASSERT_EQ(bytes[e * kRegion + 32 * i + k], static_cast<unsigned char>(i + e)) << "entry " << e;
    }
  }
  EXPECT_EQ(platform.violations(), std::vector<std::string>{});
}

INSTANTIATE_TEST_SUITE_P(Memories, MemoryPlatformTest,
                         ::testing::Values(PlainMemory::Style::completes, PlainMemory::Style::early_response,
                                           PlainMemory::Style::accepts_at_once, PlainMemory::Style::four_phases,
                                           PlainMemory::Style::skips_end_req),
                         style_name);

}  // namespace
}  // namespace heddle
