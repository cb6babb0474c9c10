// SPDX-License-Identifier: Apache-2.0
// Which of a warp's splits is its context.
#include <gtest/gtest.h>

#include "sm/grouping/grouping_unit.h"

namespace heddle::sm {
namespace {

TEST(ThreadFrontiersTest, ASplitWhoseBranchIsToResolveKeepsTheContext) {
  ContextTable table;
  Mechanism<GroupingUnit> mechanism{"thread_frontiers"};
  const auto grouping =
      make(mechanism, GroupingShape{.threads = 32, .warp_size = 32, .simd_width = 32, .issue_slots = 1}, table);
  std::vector<ContextId> contexts;
  grouping->launch(
      {.block_slot = BlockSlot(0), .first_thread = 0, .threads = 32, .kernel = nullptr, .contexts = &contexts});
  const isa::MicroOp branch{};
  const ThreadSet low = ThreadSet::of_word(0x0000ffff), high = ThreadSet::of_word(0xffff0000);
  grouping->branched(ContextId(0), branch, {{5, low}, {9, high}});
  ASSERT_EQ(table[0].pc, 5u);

  table.at_barrier.set(WarpId(0), low);
  grouping->waiting_changed(ContextId(0), {});
  ASSERT_EQ(table[0].pc, 9u) << "a split that waits steps aside";
  table.branch.set(0);
  table.at_barrier.set(WarpId(0), {});
  grouping->waiting_changed(ContextId(0), {});
  EXPECT_EQ(table[0].pc, 9u);
  EXPECT_EQ(table[0].threads, high);

  table.branch.reset(0);
  grouping->branched(ContextId(0), branch, {{12, high}});
  EXPECT_EQ(table[0].pc, 5u) << "then the lowest runs";
  EXPECT_EQ(table[0].threads, low);
}

}  // namespace
}  // namespace heddle::sm
