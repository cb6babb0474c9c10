// SPDX-License-Identifier: Apache-2.0
#include "core/structure.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/error.h"

namespace heddle {
namespace {

TEST(Structure, BitsAreEntriesTimesTheWidthsOfTheFields) {
  Structures structures;
  Structure scoreboard{
      structures, "sm0.scoreboard", "registers waiting", 48, {{"register", 8, 2, 1}, {"valid", 1, 2, 1}}};
  Structure buffer{structures, "sm0.buffer", "fetched instructions", 96, {{"instruction", 64, 1, 1}}};
  EXPECT_EQ(scoreboard.bits_per_entry(), 9u);
  EXPECT_EQ(scoreboard.bits(), 432u);
  EXPECT_EQ(structures.bits(), 432u + 6144u);
  EXPECT_EQ(structures.bits("*.scoreboard"), 432u);
}

TEST(Structure, NeedsFieldsASentenceAndAUniqueName) {
  Structures structures;
  Structure first{structures, "sm0.a", "first", 1, {{"x"}}};
  EXPECT_THROW((Structure{structures, "sm0.a", "again", 1, {{"x"}}}), Error);
  EXPECT_THROW((Structure{structures, "sm0.b", "", 1, {{"x"}}}), Error);
  EXPECT_THROW((Structure{structures, "sm0.b", "no field", 1, {}}), Error);
  EXPECT_EQ(structures.all().size(), 1u);
}

TEST(Structure, DumpShowsOccupiedEntriesOnly) {
  Structures structures;
  const std::vector<unsigned> waiting = {0, 31, 0, 7};
  Structure table{structures, "sm0.table", "who waits", 4, {{"thread", 5}, {"line", 8}}};
  table.read([&](std::size_t entry, std::size_t field) { return field == 0 ? waiting[entry] : 16 * entry; });
  table.occupied([&](std::size_t entry) { return waiting[entry] != 0; });
  EXPECT_EQ(structures.dump(), "sm0.table: who waits\n  [1] thread=0x1f line=0x10\n  [3] thread=0x7 line=0x30\n");
  EXPECT_EQ(structures.dump("sm1.*"), "");
}

TEST(Structure, LeavesTheListWithItsModule) {
  Structures structures;
  { Structure gone{structures, "sm0.a", "gone", 1, {{"x"}}}; }
  EXPECT_EQ(structures.bits(), 0u);
}

}  // namespace
}  // namespace heddle
