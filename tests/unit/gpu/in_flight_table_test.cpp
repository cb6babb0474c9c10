// SPDX-License-Identifier: Apache-2.0
#include "gpu/recording/in_flight_table.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace heddle::gpu {
namespace {

TEST(InFlightTable, HoldsWhatAMapWould) {
  InFlightTable<std::uint64_t> table;
  std::map<std::uint64_t, std::uint64_t> map;
  std::uint64_t random = 1, next = 1000;
  for (unsigned step = 0; step < 20'000; ++step) {
    random = random * 6364136223846793005ULL + 1442695040888963407ULL;
    const std::uint64_t choice = random >> 33, recent = next - choice / 8 % 100;
    if (choice % 3 == 0) {
      next += 1 + choice % 2;
      table[next] = map[next] = choice;
    } else if (choice % 3 == 1) {
      table[recent] += 1;
      map[recent] += 1;
    } else {
      table.erase(recent);
      map.erase(recent);
    }
    const std::uint64_t* const found = table.find(recent);
    ASSERT_EQ(found != nullptr, map.contains(recent)) << step;
    if (found != nullptr) {
      ASSERT_EQ(*found, map[recent]) << step;
    }
  }
  std::vector<std::uint64_t> in_table, in_map;
  table.for_each([&](std::uint64_t value) { in_table.push_back(value); });
  for (const auto& [key, value] : map) in_map.push_back(value);
  EXPECT_EQ(in_table, in_map);
  table.clear();
  EXPECT_EQ(table.find(next), nullptr);
}

}  // namespace
}  // namespace heddle::gpu
