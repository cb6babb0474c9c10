// SPDX-License-Identifier: Apache-2.0
// What the slots of a cycle issue together.
#include "sm/issue/issue_schemes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "stage_bench.h"

namespace heddle::sm {
namespace {

using isa::Opcode;
using testing::ElementsAre;
using testing::IsEmpty;

class Schemes : public ::testing::Test {
 protected:
  Schemes() {
    bench_.parameters.schedulers = 2;
    bench_.parameters.order.choose("oldest");
  }
  void build(std::unique_ptr<IssueScheme> scheme, unsigned threads) {
    bench_.scheme = std::move(scheme);
    bench_.add(Opcode::add);
    bench_.build();
    bench_.arrive(threads);
  }
  isa::MicroOp& add_load() {
    isa::MicroOp& load = bench_.add(Opcode::ld, {IssueBench::wide_register_at(0)}, {IssueBench::register_at(2)});
    load.space = isa::Space::global;
    load.type = isa::DataType::u32;
    return load;
  }
  /// The next packet goes on one half of the lanes, the one after it on the other.
  void put_on_halves() {
    bench_.grouping.plan = [turn = 0u](const ThreadSet&) mutable {
      LanePlan plan;
      plan.lanes.set_word(0, turn++ == 0 ? 0xffff : 0xffff0000);
      return plan;
    };
  }
  /// Contexts that issue in this cycle, by slot.
  std::vector<std::size_t> issues() {
    std::vector<std::size_t> list;
    bench_.sm.events.issued.add([&](const Packet& packet) {
      EXPECT_EQ(packet.slot, list.size());
      list.push_back(packet.context);
      groups_.push_back(packet.access_group);
    });
    bench_.scheme->cycle(bench_.kit());
    bench_.parts().account.close(bench_.gate.now());
    return list;
  }
  double charged(const std::string& cause) { return bench_.counted("slots." + cause); }

  StageBench bench_;
  std::vector<std::uint64_t> groups_;  ///< access groups of the packets
};

using IndependentSlotsTest = Schemes;

std::vector<ContextSet> two_slots() {
  std::vector<ContextSet> members(2);
  for (unsigned c = 0; c < 8; ++c) members[c % 2].set(c);
  return members;
}

TEST_F(IndependentSlotsTest, EachIssuesTheFirstOfItsOwn) {
  build(std::make_unique<IndependentSlots>(two_slots()), 128);
  EXPECT_THAT(issues(), ElementsAre(0, 1));
  EXPECT_EQ(charged("issued"), 2);
  EXPECT_FALSE(bench_.scheme->slot(IssueSlot(1)).fills);
}

TEST_F(IndependentSlotsTest, ASlotWithoutAContextDoesNotUseAnothers) {
  build(std::make_unique<IndependentSlots>(two_slots()), 96);
  bench_.contexts().ready.reset(1);
  bench_.contexts().hazard.set(1);
  EXPECT_THAT(issues(), ElementsAre(0));
  EXPECT_EQ(charged("issued"), 1);
  EXPECT_EQ(charged("hazard"), 1);
}

TEST_F(IndependentSlotsTest, ASlotWhoseUnitTheOtherHasTakenIssuesNothing) {
  bench_.parameters.alu.count = 1;
  build(std::make_unique<IndependentSlots>(two_slots()), 64);
  EXPECT_THAT(issues(), ElementsAre(0));
  EXPECT_EQ(charged("unit_busy"), 1);
}

TEST_F(IndependentSlotsTest, OrTheNextContextWithAnotherUnit) {
  std::vector<ContextSet> members(2, ContextSet::first_n(8));
  bench_.parameters.alu.count = 1;
  build(std::make_unique<IndependentSlots>(members), 96);
  add_load();
  bench_.contexts().set(ContextId(2), 1, ThreadSet::first_n(32));
  bench_.fetch_all();
  EXPECT_THAT(issues(), ElementsAre(0, 2));
}

TEST_F(IndependentSlotsTest, AccessMemoryEachForItself) {
  add_load();
  build(std::make_unique<IndependentSlots>(two_slots()), 64);
  put_on_halves();
  EXPECT_EQ(issues().size(), 2u);
  EXPECT_NE(groups_[0], groups_[1]);
}

TEST_F(IndependentSlotsTest, OrTogetherWhereTheyAreOneAccess) {
  add_load();
  build(std::make_unique<IndependentSlots>(two_slots(), true), 64);
  put_on_halves();
  EXPECT_EQ(issues().size(), 2u);
  EXPECT_EQ(groups_[0], groups_[1]);
}

/// Two contexts of a warp on one unit: 0 with the lower half of the threads, 1 with the upper.
class FillingSlotsTest : public Schemes, public Pairing {
 protected:
  ContextSet partners(ContextId first) const override {
    ContextSet set;
    set.set(first ^ 1u);
    return set;
  }
  bool pairs(const isa::MicroOp& first, const isa::MicroOp& second) const override { return allows(first, second); }
  void build(std::uint32_t upper = 0xffff0000) {
    bench_.parameters.alu.count = 1;
    Schemes::build(std::make_unique<FillingSlots>(ContextSet::first_n(4), *this), 32);
    bench_.split(ContextId(0), ContextId(1), ThreadSet::of_word(0xffff0000), 0);
    bench_.contexts().set(ContextId(1), 0, ThreadSet::of_word(upper));
    bench_.contexts().age[ContextId(1)] = 9;
    bench_.fetch_all();
  }
  std::function<bool(const isa::MicroOp&, const isa::MicroOp&)> allows = [](const auto&, const auto&) { return true; };
};

TEST_F(FillingSlotsTest, ThePartnerIssuesOnTheLanesLeftFree) {
  build();
  EXPECT_THAT(issues(), ElementsAre(0, 1));
  EXPECT_EQ(bench_.counted("offered_lanes"), 32) << "the second fills what the first left";
  EXPECT_EQ(bench_.counted("filled_lanes"), 32);
  EXPECT_TRUE(bench_.scheme->slot(IssueSlot(1)).fills);
  EXPECT_FALSE(bench_.scheme->slot(IssueSlot(0)).fills);
}

TEST_F(FillingSlotsTest, APartnerThatNeedsTheSameLanesWaits) {
  build(0xffff8000);
  EXPECT_THAT(issues(), ElementsAre(0));
}

TEST_F(FillingSlotsTest, TheInstructionsMustPair) {
  allows = [](const isa::MicroOp& first, const isa::MicroOp& second) { return first.pc != second.pc; };
  build();
  EXPECT_THAT(issues(), ElementsAre(0));
}

TEST_F(FillingSlotsTest, OnlyPartnersOfTheFirstIssueBesideIt) {
  build();
  bench_.contexts().ready.reset(1);
  bench_.contexts().ready.set(2);
  EXPECT_THAT(issues(), ElementsAre(0)) << "context 2 is not its partner";
}

TEST_F(FillingSlotsTest, WithoutAFirstThereIsNoSecond) {
  build();
  bench_.contexts().ready.clear();
  EXPECT_THAT(issues(), IsEmpty());
  EXPECT_FALSE(bench_.kit().worked());
}

}  // namespace
}  // namespace heddle::sm
