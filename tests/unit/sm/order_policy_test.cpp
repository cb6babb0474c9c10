// SPDX-License-Identifier: Apache-2.0
// Each order policy alone, on a hand-filled table of contexts.
#include "sm/scheduling/order_policy.h"

#include <gtest/gtest.h>

#include "sm/sm_parameters.h"

namespace heddle::sm {
namespace {

template <typename Id>
concept NamesAContext = requires(ContextTable table, Id id) {
  table[id];
};
static_assert(NamesAContext<ContextId> && NamesAContext<unsigned>);
static_assert(!NamesAContext<WarpId> && !NamesAContext<BlockSlot> && !NamesAContext<IssueSlot>);

ContextSet set_of(std::initializer_list<unsigned> members) {
  ContextSet set;
  for (unsigned c : members) set.set(c);
  return set;
}

class OrderPolicyTest : public ::testing::Test {
 protected:
  OrderPolicyTest() {
    // Ages opposite to numbers: context 7 is the oldest.
    for (unsigned c = 0; c < 8; ++c) {
      table_.age[c] = 100 - c;
      table_.valid.set(c);
    }
  }
  void use(const std::string& name) {
    parameters_.order.choose(name);
    policy_ = make(parameters_.order, SchedulerShape{.contexts = 8, .members = ContextSet::first_n(8)});
    ASSERT_NE(policy_, nullptr) << name;
  }
  ContextId choose(std::initializer_list<unsigned> candidates) {
    policy_->update(table_);
    return policy_->choose(table_, set_of(candidates));
  }
  /// Chooses and issues.
  ContextId issue(std::initializer_list<unsigned> candidates) {
    const ContextId c = choose(candidates);
    if (c != kNoContext) policy_->issued(table_, c);
    return c;
  }

  ContextTable table_;
  SmParameters parameters_;
  std::unique_ptr<OrderPolicy> policy_;
};

TEST_F(OrderPolicyTest, OldestFirstGoesByAgeAlone) {
  use("oldest");
  EXPECT_EQ(issue({1, 4, 6}), 6);
  EXPECT_EQ(issue({1, 4}), 4);
  EXPECT_EQ(issue({1, 4, 6}), 6);
}

TEST_F(OrderPolicyTest, LooseRoundRobinGoesOnBehindTheLast) {
  use("lrr");
  EXPECT_EQ(issue({2, 5}), 2);
  EXPECT_EQ(issue({1, 2, 5}), 5);
  EXPECT_EQ(issue({1, 2, 5}), 1);
  EXPECT_EQ(issue({1}), 1);
}

// The next threads in the place of a context that ended are not those to stay with.
TEST_F(OrderPolicyTest, GreedEndsWithTheContext) {
  for (const auto& [name, next] : {std::pair("gto", 6u), std::pair("grr", 3u), std::pair("two_level_exclusive", 3u)}) {
    use(name);
    EXPECT_EQ(issue({2}), 2u) << name;
    EXPECT_EQ(choose({2, 3, 4, 6}), 2u) << name;
    policy_->finished(table_, ContextId(2));
    policy_->launched(table_, ContextId(2));
    EXPECT_EQ(choose({2, 3, 4, 6}), next) << name;
  }
}

TEST_F(OrderPolicyTest, ChoosingLeavesNoTrace) {
  for (const char* name : {"lrr", "gto", "oldest", "grr", "two_level_rotating", "two_level_exclusive",
                           "two_level_active", "sticky_round_robin", "post_dominator_priority"}) {
    use(name);
    issue({3});
    const ContextId first = choose({1, 2, 3, 4});
    EXPECT_EQ(choose({1, 2, 3, 4}), first) << name;
  }
}

TEST_F(OrderPolicyTest, GreedyThenOldestStaysUntilItCannot) {
  use("gto");
  EXPECT_EQ(issue({0, 3}), 3);
  EXPECT_EQ(issue({0, 3, 7}), 3);
  EXPECT_EQ(issue({0, 7}), 7);
  EXPECT_EQ(issue({0, 3, 7}), 7);
  policy_->finished(table_, ContextId(7));
  EXPECT_EQ(issue({0, 3}), 3);
}

TEST_F(OrderPolicyTest, GreedyThenRoundRobinGoesOnBehindTheLast) {
  use("grr");
  EXPECT_EQ(issue({4, 6}), 4);
  EXPECT_EQ(issue({4, 6}), 4);
  EXPECT_EQ(issue({2, 6}), 6);
  EXPECT_EQ(issue({2, 3}), 2);
}

TEST_F(OrderPolicyTest, TheRotatingHeadMovesWhenItsGroupIsStalled) {
  use("two_level_rotating");
  // Groups of eight: with eight contexts there is one group, and it is plain round robin.
  EXPECT_EQ(issue({1, 2}), 1);
  EXPECT_EQ(issue({1, 2}), 2);
  table_.long_latency = ContextSet::first_n(8);
  table_.long_latency.reset(5);
  EXPECT_EQ(issue({5}), 5);
}

TEST_F(OrderPolicyTest, AnExclusiveGroupIssuesAlone) {
  use("two_level_exclusive");  // groups of two, greedy and oldest
  EXPECT_EQ(issue({2, 6}), 6) << "none of the first group can issue: the group of the oldest";
  EXPECT_EQ(issue({0, 1, 6}), 6);
  EXPECT_EQ(issue({0, 1, 7}), 7) << "the other member of the current group before any other";
  EXPECT_EQ(issue({0, 1}), 1) << "the group of the oldest that can issue";
}

TEST_F(OrderPolicyTest, OnlyTheActivePoolIssues) {
  use("two_level_active");
  EXPECT_EQ(issue({0, 1}), 0);
  // A context that waits for memory leaves the pool of eight; all eight fit, so the others stay.
  table_.long_latency.set(1);
  EXPECT_EQ(issue({0, 2}), 2);
}

TEST_F(OrderPolicyTest, PendingContextsEnterTheActivePoolByAge) {
  for (unsigned c = 8; c < 12; ++c) {
    table_.age[c] = 200 + c;
    table_.valid.set(c);
  }
  parameters_.order.choose("two_level_active");
  policy_ = make(parameters_.order, SchedulerShape{.contexts = 12, .members = ContextSet::first_n(12)});
  // Pool of eight: 0 .. 7 are older than 8 .. 11, which are pending.
  EXPECT_EQ(choose({8, 9}), kNoContext);
  table_.long_latency.set(3);
  EXPECT_EQ(choose({8, 9}), 8) << "the oldest pending takes the place of the one that waits";
  table_.long_latency.reset(3);
  EXPECT_EQ(choose({3}), kNoContext) << "it comes back to the pending pool";
}

TEST_F(OrderPolicyTest, StickyRoundRobinStaysInAGroup) {
  for (unsigned c = 0; c < 8; ++c) table_[c].group = static_cast<std::uint16_t>(c / 4);
  use("sticky_round_robin");
  EXPECT_EQ(issue({1, 3, 5}), 1);
  EXPECT_EQ(issue({0, 3, 5}), 3);
  EXPECT_EQ(issue({0, 3, 5}), 0) << "in turn, not to the other group";
  EXPECT_EQ(issue({5, 6}), 5) << "none of the group can issue: the next group";
  EXPECT_EQ(issue({0, 6}), 6);
}

TEST_F(OrderPolicyTest, MajorityStaysAtTheCommonestProgramCounterUntilNoneIsLeft) {
  use("majority");
  table_.ready = ContextSet::first_n(8);
  for (unsigned c = 0; c < 8; ++c) table_[c].pc = c < 5 ? 40 : 10;
  EXPECT_EQ(issue({0, 1, 6, 7}), 1) << "the oldest of those at 40";
  table_[1].pc = table_[2].pc = table_[3].pc = table_[4].pc = 10;
  EXPECT_EQ(issue({0, 6}), 0) << "one is left at 40";
  table_[0].pc = 41;
  EXPECT_EQ(issue({0, 1, 2}), 2);
  EXPECT_EQ(choose({0}), kNoContext) << "41 is rare: it waits";
}

TEST_F(OrderPolicyTest, MajorityCountsThePoolAndNotOnlyThoseThatCanIssue) {
  use("majority");
  for (unsigned c = 0; c < 8; ++c) table_[c].pc = c < 3 ? 40 : 10;
  // 0, 1 and 2 wait for their instruction; of the five at 10 three are not in the pool.
  table_.pipeline.set(3);
  table_.long_latency.set(4);
  table_.barrier.set(5);
  EXPECT_EQ(choose({6, 7}), kNoContext) << "three at 40 against two at 10";
  table_.ready.set(1);
  EXPECT_EQ(issue({1, 6, 7}), 1);
  table_[0].pc = table_[1].pc = 41;
  EXPECT_EQ(choose({6, 7}), kNoContext) << "one is left at 40";
  table_.pipeline.set(2);
  EXPECT_EQ(choose({1, 6, 7}), 7) << "none is: two each, and the lower program counter";
}

TEST_F(OrderPolicyTest, MajorityDoesNotWaitForThoseThatWaitForOthers) {
  use("majority");
  for (unsigned c = 0; c < 8; ++c) table_[c].pc = c < 6 ? 40 : 10;
  for (unsigned c = 0; c < 2; ++c) table_.barrier.set(c);
  for (unsigned c = 2; c < 4; ++c) table_.rendezvous.set(c);
  for (unsigned c = 4; c < 6; ++c) table_.held.set(c);
  EXPECT_EQ(choose({6, 7}), 7);
}

TEST_F(OrderPolicyTest, PostDominatorPriorityLetsThoseCatchUpThatLag) {
  use("post_dominator_priority");
  for (unsigned c = 0; c < 8; ++c) table_.passed[c] = c < 2 ? 3 : 1;
  EXPECT_EQ(issue({0, 1, 2, 5}), 5);
  EXPECT_EQ(issue({0, 1}), 1);
}

class StaticLimitTest : public ::testing::Test {};

TEST_F(StaticLimitTest, LetsTheOldestIssueAndEverybodyWhenTheLastOfThemIsAtABarrier) {
  SmParameters parameters;
  parameters.vetoes.choose({"static_limit"});
  const auto vetoes = make(parameters.vetoes, SchedulerShape{.contexts = 64, .members = ContextSet::first_n(64)});
  ASSERT_EQ(vetoes.size(), 1u);
  ContextTable table;
  for (unsigned c = 0; c < 40; ++c) {
    table.age[c] = c;
    table.valid.set(c);
  }
  EXPECT_EQ(vetoes[0]->held(table), table.valid - ContextSet::first_n(32));
  // The list must end with a context that is not at a barrier; beyond the limit it admits all.
  table.barrier.set(31);
  EXPECT_TRUE(vetoes[0]->held(table).none());
  table.barrier.reset(31);
  table.park(ContextId(31), true);
  EXPECT_TRUE(vetoes[0]->held(table).none()) << "one that waits to be re-formed waits for others as well";
  table.park(ContextId(31), false);
  table.barrier.set(5);
  EXPECT_EQ(vetoes[0]->held(table), table.valid - ContextSet::first_n(32)) << "one inside the limit changes nothing";
  // A re-formed warp in the place of another is the youngest.
  table.age[0] = 40;
  table.next_age = 41;
  ContextSet oldest = ContextSet::first_n(33);
  oldest.reset(0);
  EXPECT_EQ(vetoes[0]->held(table), table.valid - oldest);
}

}  // namespace
}  // namespace heddle::sm
