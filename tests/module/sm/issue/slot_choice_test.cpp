// SPDX-License-Identifier: Apache-2.0
// Which contexts a slot may pick, which it picks, and what it is charged to.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "sm/issue/issue_kit.h"
#include "stage_bench.h"

namespace heddle::sm {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Lets no context issue.
struct Nobody final : OrderPolicy {
  explicit Nobody(const SchedulerShape&) {}
  ContextId choose(const ContextTable&, const ContextSet&) const override { return kNoContext; }
};
HEDDLE_REGISTER(OrderPolicy, Nobody, "test_nobody", "chooses no context", "tests");

class SlotChoice : public ::testing::Test {
 protected:
  SlotChoice() {
    bench_.parameters.schedulers = 1;
    bench_.parameters.order.choose("oldest");
  }
  void build(unsigned threads) {
    for (unsigned i = 0; i < 2; ++i) bench_.add(isa::Opcode::add);
    bench_.build();
    bench_.arrive(threads);
    kit().begin();
  }
  IssueKit& kit() { return bench_.kit(); }
  ContextTable& contexts() { return bench_.contexts(); }
  ContextId pick(const std::function<bool(ContextId)>& attempt) {
    return kit().pick(IssueSlot(0), kit().order(IssueSlot(0)), kit().candidates(ContextSet::first_n(8)), attempt);
  }
  /// Cause charged to the only slot in this cycle.
  std::string charged() {
    IssueAccount& account = bench_.parts().account;
    account.close(bench_.gate.now());
    return account.account().names()[static_cast<std::size_t>(account.shown(IssueSlot(0), bench_.gate.now()))];
  }

  StageBench bench_;
};

TEST_F(SlotChoice, CandidatesAreThoseThatCouldIssueNow) {
  build(160);
  const auto candidates = [&] { return members_of(kit().candidates(ContextSet::first_n(4))); };
  EXPECT_THAT(candidates(), ElementsAre(0, 1, 2, 3));
  contexts().changed.set(0);
  contexts().held.set(1);
  contexts().ready.reset(2);
  EXPECT_THAT(candidates(), ElementsAre(3));
  const LaneMask all = LaneMask::first_n(32);
  for (const int instance : {0, 1}) bench_.parts().units.take(isa::Unit::alu, instance, all, kit().now(), 2);
  bench_.go_to(bench_.gate.now() + 1);
  EXPECT_THAT(candidates(), IsEmpty()) << "their unit is busy";
}

TEST_F(SlotChoice, AnAttemptThatFailsLeavesTheSlotToTheNext) {
  build(96);
  std::vector<std::size_t> tried;
  EXPECT_EQ(pick([&](ContextId c) { return tried.push_back(c), tried.size() == 2; }), ContextId(1));
  EXPECT_THAT(tried, ElementsAre(0, 1));
  EXPECT_TRUE(kit().worked());
  EXPECT_EQ(charged(), "issued");
}

TEST_F(SlotChoice, ASlotThatIssuesNothingIsChargedToTheReason) {
  build(96);
  EXPECT_EQ(pick([](ContextId) { return false; }), kNoContext);
  EXPECT_EQ(charged(), "unit_busy");
  kit().begin();
  EXPECT_FALSE(kit().worked());
  contexts().ready.clear();
  contexts().hazard = contexts().valid;
  EXPECT_EQ(pick([](ContextId) { return true; }), kNoContext);
  EXPECT_EQ(charged(), "hazard");
  EXPECT_FALSE(kit().worked()) << "there was no candidate";
}

/// The unit of the chosen alone is looked at, with the same outcome as when others are ruled out before.
TEST_F(SlotChoice, AnOrderThatRanksMayChooseBeforeUnitsAreLookedAt) {
  bench_.parameters.order.choose("gto");
  build(96);
  const auto pick_then_unit = [&] {
    return kit().pick_then_unit(IssueSlot(0), kit().order(IssueSlot(0)), kit().ready(ContextSet::first_n(8)),
                                [](ContextId) { return true; });
  };
  EXPECT_EQ(pick_then_unit(), ContextId(0));
  EXPECT_TRUE(kit().worked());
  EXPECT_EQ(charged(), "issued");
  const LaneMask all = LaneMask::first_n(32);
  for (const int instance : {0, 1}) bench_.parts().units.take(isa::Unit::alu, instance, all, kit().now(), 2);
  bench_.go_to(bench_.gate.now() + 1);
  kit().begin();
  EXPECT_EQ(pick_then_unit(), kNoContext);
  EXPECT_FALSE(kit().worked()) << "their unit is busy";
  EXPECT_EQ(charged(), "unit_busy");
}

TEST_F(SlotChoice, APolicyThatChoosesNobodyHoldsTheSlot) {
  bench_.parameters.order.choose("test_nobody");
  build(32);
  EXPECT_EQ(pick([](ContextId) { return true; }), kNoContext);
  EXPECT_EQ(charged(), "held");
  EXPECT_TRUE(kit().worked());
}

TEST_F(SlotChoice, APickThatMissesTheInstructionCacheCostsTheSlot) {
  bench_.parameters.shape = PipelineShape::barrel;
  build(64);
  bench_.calls.cache.answer = InstructionStore::Answer::miss;
  EXPECT_EQ(pick([](ContextId) { return true; }), kNoContext);
  EXPECT_EQ(charged(), "fetch");
  EXPECT_EQ(bench_.calls.cache.requests.size(), 1u) << "the other context is not tried";
}

}  // namespace
}  // namespace heddle::sm
