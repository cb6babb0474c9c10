// SPDX-License-Identifier: Apache-2.0
// What the slots of a cycle issue together.
#include "sm/issue/issue_schemes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stage_bench.h"

namespace heddle::sm {
namespace {

using isa::Opcode;
using testing::ElementsAre;

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

}  // namespace
}  // namespace heddle::sm
