// SPDX-License-Identifier: Apache-2.0
// Parts of the issue stage alone: slots and policies, units, the account of slots, scheduled events.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <memory>

#include "sm/issue/issue_account.h"
#include "sm/issue/issue_events.h"
#include "sm/issue/issue_schemes.h"
#include "sm/issue/issue_units.h"
#include "sm/issue/slot_policies.h"
#include "sm/sm_context.h"

namespace heddle::sm {
namespace {

using testing::ElementsAre;

/// Holds one context, and logs the time that passes.
class HoldsOne : public Veto {
 public:
  explicit HoldsOne(ContextId context) { held_.set(context); }
  const ContextSet& held(const ContextTable&) override { return held_; }
  void advance(Cycle cycles) override { passed.push_back(cycles); }
  Cycle next_event() const override { return held_.test(1) ? 70 : 50; }
  inline static std::vector<Cycle> passed;

 private:
  ContextSet held_;
};
struct HoldsContext1 final : HoldsOne {
  explicit HoldsContext1(const SchedulerShape&) : HoldsOne(ContextId(1)) {}
};
struct HoldsContext2 final : HoldsOne {
  explicit HoldsContext2(const SchedulerShape&) : HoldsOne(ContextId(2)) {}
};
HEDDLE_REGISTER(Veto, HoldsContext1, "test_holds_1", "holds context 1", "tests");
HEDDLE_REGISTER(Veto, HoldsContext2, "test_holds_2", "holds context 2", "tests");

constexpr IssueSlot kEven(0), kOdd(1);

/// Even contexts on slot kEven, odd ones on kOdd.
class TwoSlots final : public IssueScheme {
 public:
  SlotShape slot(IssueSlot number) const override {
    SlotShape shape;
    for (unsigned c = number; c < 8; c += 2) shape.members.set(c);
    return shape;
  }
  void cycle(IssueKit&) override {}
};

/// A receiver for the links of the units that never accepts.
struct Collectors : Stage {
  Collectors(sc_core::sc_module_name module_name, ClockGate& g)
      : Stage(module_name, g),
        alu("alu", g, stage_number(), {.width = 2, .latency = 1}),
        sfu("sfu", g, stage_number(), {.width = 1, .latency = 1}),
        fp64("fp64", g, stage_number(), {.width = 1, .latency = 1}),
        memory("memory", g, stage_number(), {.width = 1, .latency = 1}) {}
  void cycle() override {}
  LinkIn<PacketHandle> alu, sfu, fp64, memory;
};
struct Sender : Stage {
  Sender(sc_core::sc_module_name module_name, ClockGate& g) : Stage(module_name, g), links(g, stage_number()) {}
  void cycle() override {}
  UnitLinks links;
};

class IssueParts : public ::testing::Test {
 protected:
  IssueParts() { parameters_.schedulers = 2; }
  SmContext& sm() {
    if (sm_ == nullptr) {
      sm_ = std::make_unique<SmContext>(SmId(0), parameters_, gate_, services_, owner_);
    }
    return *sm_;
  }
  double counted(const std::string& name) { return services_.statistics.total().value("sm0." + name); }

  ClockTree tree_;
  ClockDomain core_{"core", tree_, 1000000};
  ClockGate gate_{core_};
  Services services_;
  StatisticsOwner owner_{services_.statistics, "sm0", "sm"};
  SmParameters parameters_;
  TwoSlots scheme_;
  std::unique_ptr<SmContext> sm_;
};

TEST_F(IssueParts, EachSlotRanksItsOwnContexts) {
  parameters_.order.choose("gto");
  SlotPolicies policies(sm(), scheme_, 8);
  ContextTable& contexts = sm().contexts;
  for (ContextId c(0); c < 8; ++c) {
    contexts.valid.set(c);
    contexts.age[c] = 10 - c;
    policies.launched(contexts, c);
  }
  EXPECT_EQ(policies.order(kEven).choose(contexts, policies.shape(kEven).members), 6) << "the oldest of the even ones";
  policies.issued(contexts, ContextId(2), 5);
  EXPECT_EQ(policies.order(kEven).choose(contexts, policies.shape(kEven).members), 2) << "greedy";
  EXPECT_EQ(policies.order(kOdd).choose(contexts, policies.shape(kOdd).members), 7)
      << "the other slot heard nothing of it";
}

TEST_F(IssueParts, VetoesAddUpAndHearOfEachPassedCycleOnce) {
  parameters_.vetoes.choose({"test_holds_1", "test_holds_2"});
  SlotPolicies policies(sm(), scheme_, 8);
  HoldsOne::passed.clear();
  policies.update(sm().contexts, 10);
  EXPECT_TRUE(sm().contexts.held.test(1) && sm().contexts.held.test(2));
  EXPECT_EQ(sm().contexts.held.count(), 2u);
  policies.issued(sm().contexts, ContextId(0), 10);
  policies.update(sm().contexts, 14);
  EXPECT_THAT(HoldsOne::passed, ElementsAre(10, 10, 4, 4));
  EXPECT_EQ(policies.next_event(14), 50u) << "the earlier of the two";
}

TEST_F(IssueParts, AnOperationWithoutItsUnitGoesToTheSubstitute) {
  parameters_.fp64 = {0, 32, 0, "sfu"};
  Sender sender("sender", gate_);
  IssueUnits units(parameters_, sender.links);
  isa::MicroOp op;
  op.unit = isa::Unit::fp64;
  EXPECT_EQ(units.unit_of(op), isa::Unit::sfu);
  op.unit = isa::Unit::memory;
  EXPECT_EQ(units.unit_of(op), isa::Unit::memory);
}

TEST_F(IssueParts, ABusyUnitRulesOutThoseThatNeedItAndNobodyElse) {
  Sender sender("sender", gate_);
  Collectors collectors("collectors", gate_);
  connect(sender.links.alu, collectors.alu);
  connect(sender.links.sfu, collectors.sfu);
  connect(sender.links.fp64, collectors.fp64);
  connect(sender.links.memory, collectors.memory);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  IssueUnits units(parameters_, sender.links);
  isa::MicroOp add, sine;
  add.unit = isa::Unit::alu;
  sine.unit = isa::Unit::sfu;
  units.next_is(0, 0b01, add);
  units.next_is(0, 0b10, sine);
  const auto candidates = [&](Cycle now) {
    ContextSet set = ContextSet::first_n(2);
    units.remove_blocked(set, now);
    return set;
  };
  EXPECT_EQ(candidates(5).count(), 2u);
  const LaneMask all = LaneMask::first_n(32);
  units.take(isa::Unit::sfu, units.find(isa::Unit::sfu, all, 5), all, 5, 8);
  EXPECT_TRUE(candidates(6).test(0));
  EXPECT_FALSE(candidates(6).test(1));
  EXPECT_FALSE(candidates(12).test(1));
  EXPECT_TRUE(candidates(13).test(1)) << "eight cycles after it was taken";
  EXPECT_EQ(units.find(isa::Unit::sfu, all, 12), -1);
}

class Account : public IssueParts {
 protected:
  Account() : policies_(sm(), scheme_, 8), account_(group_, parameters_, sm().contexts, policies_) {}
  ContextTable& contexts() { return sm().contexts; }

  StatisticsGroup group_{owner_, "issue"};
  SlotPolicies policies_;
  IssueAccount account_;
};

TEST_F(Account, BlamesTheContextThatIsClosestToIssuing) {
  const ContextSet members = policies_.shape(kEven).members;
  const auto blamed = [&] { return account_.account().names()[static_cast<std::size_t>(account_.blame(members))]; };
  contexts().valid.set(1);
  EXPECT_EQ(blamed(), "no_warp") << "context 1 is the other slot's";
  contexts().valid.set(0);
  contexts().buffered.set(0);
  contexts().barrier.set(0);
  EXPECT_EQ(blamed(), "barrier");
  contexts().valid.set(2);
  EXPECT_EQ(blamed(), "fetch");
  contexts().valid.set(4);
  contexts().hazard.set(4);
  EXPECT_EQ(blamed(), "hazard");
  contexts().valid.set(6);
  contexts().ready.set(6);
  EXPECT_EQ(blamed(), "unit_busy");
  contexts().held.set(6);
  EXPECT_EQ(blamed(), "held");
}

TEST_F(Account, CyclesThatTheClockGateSkippedGoToTheBlameOfEachSlot) {
  account_.charge(kEven, account_.issued());
  account_.charge(kOdd, account_.fetch());
  account_.close(1);
  contexts().valid.set(0);
  contexts().buffered.set(0);
  contexts().long_latency.set(0);
  account_.settle(11);
  EXPECT_EQ(counted("issue.slots.issued"), 1);
  EXPECT_EQ(counted("issue.slots.fetch"), 1);
  EXPECT_EQ(counted("issue.slots.memory"), 9) << "cycles 2 to 10";
  EXPECT_EQ(counted("issue.slots.no_warp"), 9);
  account_.account().check();
}

/// Four slots, each with every fourth of 128 contexts.
struct FourSlots final : IssueScheme {
  SlotShape slot(IssueSlot number) const override {
    SlotShape shape;
    for (unsigned c = number.number(); c < 128; c += 4) shape.members.set(c);
    return shape;
  }
  void cycle(IssueKit&) override {}
};

TEST_F(IssueParts, SlotsThatAreChargedAtOnceGetWhatEachOfThemIsBlamedFor) {
  parameters_.schedulers = 4;
  const FourSlots scheme;
  const SlotPolicies policies(sm(), scheme, 128);
  const StatisticsGroup group(owner_, "issue");
  ContextTable& all = sm().contexts;
  IssueAccount account(group, parameters_, all, policies);
  const std::array<ContextSet*, 12> sets{&all.valid,    &all.ready,   &all.held,       &all.hazard,
                                         &all.pipeline, &all.branch,  &all.asleep,     &all.long_latency,
                                         &all.parked,   &all.barrier, &all.rendezvous, &all.away};
  std::uint64_t state = 1;
  const auto random = [&state] { return (state = state * 6364136223846793005u + 1442695040888963407u) >> 32; };
  std::map<std::string, double> expected;
  for (unsigned cycle = 1; cycle <= 4000; ++cycle) {
    // Few contexts, of few kinds, or all would end at the first causes.
    for (ContextSet* set : sets) set->clear();
    all.buffered = ContextSet::first_n(128);
    for (unsigned i = 0; i < 6; ++i) {
      const auto c = static_cast<std::size_t>(random() % 128);
      all.valid.set(c);
      sets[random() % sets.size()]->set(c);
      if (random() % 8 == 0) all.buffered.reset(c);
      if (all.held.test(c)) all.ready.set(c);
    }
    const auto some = static_cast<std::uint32_t>(random() % 16);
    for (IssueSlot slot(0); slot < 4; ++slot) {
      account.charge(slot, account.issued());
      const bool idle = (some >> slot & 1) != 0;
      const CauseId cause = idle ? account.blame(policies.shape(slot).members) : account.issued();
      ++expected[account.account().names()[static_cast<std::size_t>(cause)]];
    }
    account.charge_idle(some);
    account.close(cycle);
  }
  EXPECT_GE(expected.size(), 12u);
  for (const auto& [cause, count] : expected) EXPECT_EQ(counted("issue.slots." + cause), count) << cause;
}

TEST(IssueEventsTest, KeepTheirOrderWithinACycleNearAndFar) {
  IssueEvents events;
  const auto event = [](unsigned context) { return IssueEvent{IssueEvent::Kind::release, ContextId(context), {}}; };
  events.add(300, 1, event(1));  // beyond the wheel
  events.add(20, 1, event(2));
  events.add(20, 1, event(3));
  EXPECT_EQ(events.next(1), 20u);
  std::vector<ContextId> seen;
  const auto take = [&](Cycle now) {
    seen.clear();
    events.take(now, [&](const IssueEvent& due) { seen.push_back(due.context); });
    return seen;
  };
  EXPECT_THAT(take(20), ElementsAre(2, 3));
  events.add(300, 280, event(4));
  EXPECT_EQ(events.next(280), 300u);
  EXPECT_THAT(take(300), ElementsAre(1, 4));
  EXPECT_TRUE(events.empty());
}

}  // namespace
}  // namespace heddle::sm
