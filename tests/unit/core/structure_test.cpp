// SPDX-License-Identifier: Apache-2.0
#include "core/trace/structure.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/kernel/module_state.h"

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

TEST(Structure, OccupancyIsALineAKindAndLeavesOutWhatIsEmpty) {
  Structures structures;
  std::vector<std::unique_ptr<Structure>> tables;
  const auto add = [&](const std::string& name, std::size_t entries, std::size_t used) {
    tables.push_back(std::make_unique<Structure>(structures, name, "who waits", entries,
                                                 std::vector<StructureField>{{"thread", 5}}));
    tables.back()->occupied([used](std::size_t entry) { return entry < used; });
  };
  for (unsigned i = 0; i < 6; ++i) add("sm" + std::to_string(i) + ".queue", 4, 2);
  add("l2.queue", 8, 8);
  add("l2.misses", 8, 0);
  Structure unknown{structures, "l2.tags", "not known", 4, {{"tag", 5}}};
  EXPECT_EQ(structures.occupancy(),
            "\n  l2.queue 8 of 8: who waits"
            "\n  sm0.queue 2 of 4, sm1.queue 2 of 4, sm2.queue 2 of 4, sm3.queue 2 of 4 and 2 more: who waits");
}

TEST(Structure, OfAModuleIsChargedToItsMechanismUnlessItSaysOtherwise) {
  Services services;
  ModuleState state{services, "sm0.order0", "core"};
  Structure& any = state.structure("queue", "before", 1, {{"x"}});
  state.charge_to("gto");
  Structure& own = state.structure("last", "the last", 1, {{"x"}});
  Structure& other = state.traced_structure("stack", "paths", 1, {{"x"}}).added_by("reconvergence_stack");
  EXPECT_EQ(any.mechanism(), "");
  EXPECT_EQ(own.mechanism(), "gto");
  EXPECT_EQ(other.mechanism(), "reconvergence_stack");
}

TEST(Structure, PublishedCostsAreThoseOfEachModule) {
  Services services;
  ModuleState first{services, "sm0.grouping", "core"}, second{services, "sm1.grouping", "core"};
  first.publish({"large_warps", "masks", "a page", 1792});
  second.publish({"large_warps", "masks", "a page", 1216});
  const auto& published = services.structures.published();
  ASSERT_EQ(published.size(), 2u);
  EXPECT_EQ(published[0].module, "sm0.grouping");
  EXPECT_EQ(published[1].module, "sm1.grouping");
  EXPECT_EQ(published[1].bits, 1216u);
}

TEST(Structure, LeavesTheListWithItsModule) {
  Structures structures;
  { Structure gone{structures, "sm0.a", "gone", 1, {{"x"}}}; }
  EXPECT_EQ(structures.bits(), 0u);
}

}  // namespace
}  // namespace heddle
