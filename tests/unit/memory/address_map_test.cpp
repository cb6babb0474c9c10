// SPDX-License-Identifier: Apache-2.0
#include "memory/address_map.h"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "core/error.h"

namespace heddle::memory {
namespace {

ChannelGeometry fermi_geometry() { return {1, 4, 4, 4096, 64}; }

/// docs/sources/gtx480.md: six controllers by division at bit 8, map from bit 27 down, two slices by the lowest bank
/// bit.
AddressMapParameters fermi() {
  AddressMapParameters parameters;
  parameters.controllers = 6;
  parameters.division_bit = 8;
  parameters.pattern = "RRRR.RRRRRRRR.GGBCCCCB.CCSSSSSS";
  parameters.slices = 2;
  parameters.slice_bits = {8};
  return parameters;
}

auto place(const DramAddress& a) { return std::make_tuple(a.controller, a.bank, a.row, a.column); }

TEST(AddressMap, DivisionInterleavesSixControllersBy256Bytes) {
  const AddressMap map(fermi(), fermi_geometry(), "test");
  for (unsigned block = 0; block < 24; ++block) {
    EXPECT_EQ(map.decode(block * 256 + 255).controller, block % 6);
  }
  EXPECT_EQ(map.granule(), 256u);
}

TEST(AddressMap, BitsGoWhereThePatternSays) {
  const AddressMap map(fermi(), fermi_geometry(), "test");
  const auto at = [&](std::uint64_t rest) {  // an address of controller 0 whose quotient gives `rest`
    const std::uint64_t low = rest & 255, high = rest >> 8;
    return map.decode(high * 6 * 256 + low);
  };
  EXPECT_EQ(at(1 << 6).column, 1u);
  EXPECT_EQ(at(1 << 7).column, 2u);
  EXPECT_EQ(at(1 << 9).column, 4u);
  EXPECT_EQ(at(1 << 12).column, 32u);
  EXPECT_EQ(at(1 << 8).bank, 1u);
  EXPECT_EQ(at(1 << 13).bank, 2u);
  EXPECT_EQ(at(1 << 14).bank, 4u);
  EXPECT_EQ(at(1 << 14).bank_group, 1u);
  EXPECT_EQ(at(1 << 15).bank, 8u);
  EXPECT_EQ(at(1 << 16).row, 1u);
  EXPECT_EQ(at(1 << 27).row, 1u << 11);
  EXPECT_EQ(at(std::uint64_t{1} << 28).row, 1u << 12) << "higher bits belong to the row";
}

TEST(AddressMap, EveryBurstOfARegionHasAPlaceOfItsOwn) {
  auto parameters = fermi();
  parameters.hashes = {"B0=16^17", "G1=18"};
  const AddressMap map(parameters, fermi_geometry(), "test");
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t, std::uint32_t>> places;
  const std::uint64_t bursts = 6 * (1 << 14);
  for (std::uint64_t i = 0; i < bursts; ++i) places.insert(place(map.decode(i * 64)));
  EXPECT_EQ(places.size(), bursts);
}

TEST(AddressMap, ARowGranuleLiesInOneRowInColumnsThatFollowEachOther) {
  auto hashed = fermi();
  hashed.hashes = {"B0=16^17", "G1=7"};
  auto narrow = fermi();
  narrow.division_bit = 7;
  AddressMapParameters named;
  named.pattern = "row_bank_column";
  const struct {
    AddressMapParameters parameters;
    ChannelGeometry geometry;
    std::uint64_t granule;
  } maps[] = {{fermi(), fermi_geometry(), 256},
              {hashed, fermi_geometry(), 128},
              {narrow, fermi_geometry(), 128},
              {named, {1, 1, 8, 2048, 64}, 2048}};
  for (const auto& [parameters, geometry, granule] : maps) {
    const AddressMap map(parameters, geometry, "test");
    EXPECT_EQ(map.row_granule(), granule) << parameters.pattern;
    for (std::uint64_t first = 0; first < (1 << 20); first += map.row_granule()) {
      const DramAddress start = map.decode(first);
      for (std::uint64_t at = 0; at < map.row_granule(); at += geometry.burst_bytes) {
        DramAddress expected = start;
        expected.column += static_cast<std::uint32_t>(at / geometry.burst_bytes);
        ASSERT_EQ(place(map.decode(first + at)), place(expected)) << parameters.pattern << " " << first + at;
      }
    }
  }
}

TEST(AddressMap, SlicesShareTheLinesOfAControllerEvenly) {
  const AddressMap map(fermi(), fermi_geometry(), "test");
  std::vector<unsigned> lines(map.targets(), 0);
  for (std::uint64_t line = 0; line < 12 * 1024; ++line) ++lines[map.target(line * 128)];
  for (unsigned count : lines) EXPECT_EQ(count, 1024u);
}

TEST(AddressMap, LocalAddressesOfASliceHaveNoHolesAndNoDoubles) {
  const AddressMap map(fermi(), fermi_geometry(), "test");
  std::vector<std::set<std::uint64_t>> local(map.targets());
  for (std::uint64_t line = 0; line < 12 * 64; ++line)
    local[map.target(line * 128)].insert(map.local_address(line * 128));
  for (const auto& lines : local) {
    EXPECT_EQ(lines.size(), 64u);
    EXPECT_EQ(*lines.begin(), 0u);
    EXPECT_EQ(*lines.rbegin(), 63u * 128);
  }
}

TEST(AddressMap, AHashMovesABankByTheParityOfItsBits) {
  AddressMapParameters parameters;
  parameters.pattern = "row_bank_column";
  parameters.hashes = {"B0=20^21"};
  const AddressMap map(parameters, {1, 1, 8, 4096, 64}, "test");
  EXPECT_EQ(map.decode(0).bank, 0u);
  EXPECT_EQ(map.decode(1 << 20).bank, 1u);
  EXPECT_EQ(map.decode(3 << 20).bank, 0u);
}

TEST(AddressMap, FourKilobyteBlocksGoToConsecutiveBanks) {
  // docs/sources/large-warps-and-database-search.md, 2.13: {row, bank[2:0], column[11:0]}.
  const AddressMap map({}, {1, 1, 8, 4096, 64}, "test");
  for (unsigned block = 0; block < 32; ++block) {
    EXPECT_EQ(map.decode(block * 4096 + 17).bank, block % 8);
    EXPECT_EQ(map.decode(block * 4096 + 17).row, block / 8);
  }
  EXPECT_EQ(map.granule(), std::uint64_t{1} << 63) << "one target: nothing is interleaved";
}

TEST(AddressMap, ControllersMayBeChosenByBitsInsteadOfDivision) {
  AddressMapParameters parameters;
  parameters.controllers = 4;
  parameters.pattern = "RRRR.RRRR.BBBC.CCDD.CCSS.SSSS";
  parameters.hashes = {"D0=16"};
  const AddressMap map(parameters, {1, 1, 8, 2048, 64}, "test");
  EXPECT_EQ(map.decode(1 << 8).controller, 1u);
  EXPECT_EQ(map.decode(2 << 8).controller, 2u);
  EXPECT_EQ(map.decode(1 << 16).controller, 1u);
  EXPECT_EQ(map.granule(), 256u);
}

void expect_refused(const AddressMapParameters& parameters, const ChannelGeometry& geometry, const std::string& word) {
  try {
    AddressMap map(parameters, geometry, "memory.map");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::configuration);
    EXPECT_NE(std::string(error.what()).find("memory.map"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
  }
}

TEST(AddressMap, RefusesMapsThatDoNotFitTheMachine) {
  auto parameters = fermi();
  parameters.pattern = "RRRR.RRRRRRRR.GGBCCCCC.CCSSSSSS";
  expect_refused(parameters, fermi_geometry(), "bank");
  parameters = fermi();
  parameters.pattern = "RRRR.RRRRRRRR.GGBCCCCX.CCSSSSSS";
  expect_refused(parameters, fermi_geometry(), "'X'");
  parameters = fermi();
  parameters.slice_bits = {};
  expect_refused(parameters, fermi_geometry(), "slice");
}

TEST(AddressMap, RefusesHashesThatPutTwoAddressesInOnePlace) {
  auto parameters = fermi();
  parameters.hashes = {"B0=8"};  // a bit with itself: the bank no longer depends on it
  expect_refused(parameters, fermi_geometry(), "to one location");
  parameters.hashes = {"B0=nine"};
  expect_refused(parameters, fermi_geometry(), "B0=nine");
  parameters.hashes = {"B9=10"};
  expect_refused(parameters, fermi_geometry(), "B9=10");
}

}  // namespace
}  // namespace heddle::memory
