// SPDX-License-Identifier: Apache-2.0
// What waveforms and dumps show of the issue stage.
#include "sm/issue/issue_display.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "stage_bench.h"

namespace heddle::sm {
namespace {

using isa::Opcode;
using testing::HasSubstr;
using testing::Not;

class IssueDisplayTest : public ::testing::Test {
 protected:
  static constexpr unsigned kContexts = 8;

  IssueDisplayTest() { bench_.parameters.schedulers = 1; }
  /// Two warps at a barrier of their block and a third at a meeting with nobody.
  void build() {
    bench_.add(Opcode::bar, {bench_.constant(2)}).bar_mode = isa::BarMode::sync;
    bench_.add(Opcode::bar_warp, {bench_.constant(0xff)}).sync_form = true;
    bench_.add(Opcode::add);
    bench_.build();
    bench_.arrive(96);
  }
  ContextTable& contexts() { return bench_.contexts(); }
  std::uint64_t shown(const ModuleState& state, const std::string& name) {
    for (const ProbeSignal& signal : state.signals.signals()) {
      if (signal.name != name) continue;
      std::uint64_t word = 0;
      signal.read(&word);
      return word;
    }
    ADD_FAILURE() << "no signal " << name;
    return 0;
  }

  StageBench bench_;
};

TEST_F(IssueDisplayTest, ShowsTheSetsOfContexts) {
  build();
  ModuleState state{bench_.services, "sm0.shown", "core"};
  declare_context_sets(state, contexts(), kContexts);
  EXPECT_EQ(shown(state, "valid"), 0b111u);
  EXPECT_EQ(shown(state, "ready"), 0b111u);
  contexts().parked.set(5);
  EXPECT_EQ(shown(state, "parked"), 0b100000u);
  EXPECT_EQ(shown(state, "barrier"), 0u);
}

TEST_F(IssueDisplayTest, ShowsStorageThatIsInUse) {
  build();
  ModuleState state{bench_.services, "sm0.shown", "core"};
  declare_issue_storage(state, bench_.sm, kContexts, bench_.parts().supply.buffers(),
                        bench_.parts().barriers.barriers(), bench_.meetings);
  EXPECT_THAT(bench_.services.structures.dump("sm0.shown.barriers"), Not(HasSubstr("arrived")));
  EXPECT_THAT(bench_.services.structures.dump("sm0.shown.meetings"), Not(HasSubstr("arrived")));
  bench_.parts().barriers.arrive(ContextId(1), bench_.packet(ContextId(1)));
  bench_.split(ContextId(2), ContextId(3), ThreadSet::of_word(0xf), 1);
  bench_.parts().meeting_unit.meet(ContextId(3), bench_.kernel.ops[1], ThreadSet::of_word(0xf));
  EXPECT_THAT(bench_.services.structures.dump("sm0.shown.barriers"), HasSubstr("[2] arrived=0x20 expected=0x0"));
  EXPECT_THAT(bench_.services.structures.dump("sm0.shown.meetings"), HasSubstr("[0] named=0xff arrived=0xf"));
  const std::string all = bench_.services.structures.dump("sm0.shown.contexts");
  EXPECT_THAT(all, HasSubstr("[3] pc=0x1 block=0x0 active_threads=0x4"));
  EXPECT_THAT(all, Not(HasSubstr("[4]")));
  EXPECT_THAT(bench_.services.structures.dump("sm0.shown.buffers"), HasSubstr("[0] pc=0x0 decoded=0x3 requested=0x0"));
}

TEST_F(IssueDisplayTest, ShowsWhyASlotIssuedNothing) {
  build();
  ModuleState state{bench_.services, "sm0.shown", "core"};
  IssueAccount& account = bench_.parts().account;
  const PacketSignals signals{state, bench_.sm, account, kContexts};
  EXPECT_FALSE(signals.on());
  const auto cause = [&] { return account.account().names()[shown(state, "slot0_cause")]; };
  account.charge(IssueSlot(0), account.issued());
  account.close(bench_.gate.now());
  EXPECT_EQ(cause(), "issued");
  bench_.go_to(bench_.gate.now() + 1);
  contexts().ready.clear();
  contexts().hazard = contexts().valid;
  EXPECT_EQ(cause(), "hazard") << "what the stage, which sleeps, waits for";
}

TEST_F(IssueDisplayTest, ShowsThePacketThatASlotIssued) {
  build();
  ModuleState state{bench_.services, "sm0.shown", "core"};
  PacketSignals signals{state, bench_.sm, bench_.parts().account, kContexts};
  Probes::enable(state.signals, true);
  EXPECT_TRUE(signals.on());
  contexts().set(ContextId(1), 2, ThreadSet::of_word(0xf0));
  signals.show(IssueSlot(0), bench_.packet(ContextId(1)));
  const auto fired = [&](const std::string& name) {
    const auto& all = state.signals.signals();
    const auto signal = std::find_if(all.begin(), all.end(), [&](const ProbeSignal& s) { return s.name == name; });
    std::uint64_t value = 0;
    EXPECT_TRUE(Probes::fired(state.signals, static_cast<std::size_t>(signal - all.begin()), value)) << name;
    return value;
  };
  EXPECT_EQ(fired("slot0_context"), 1u);
  EXPECT_EQ(fired("slot0_pc"), 2u);
  EXPECT_EQ(fired("slot0_threads"), 4u);
  EXPECT_EQ(fired("slot0_opcode"), static_cast<std::uint64_t>(Opcode::add));
}

TEST_F(IssueDisplayTest, ShowsTheStateOfEachContext) {
  build();
  const ContextSignals signals{bench_.sm, bench_.parts().units, kContexts};
  contexts().hazard.set(1);
  const std::string path = "sm0.warps";
  std::vector<std::string> states;
  for (const ProbeGroup* group : bench_.services.probes.groups()) {
    if (group->path() != path) continue;
    const ProbeSignal& first = group->signals().front();
    ASSERT_EQ(first.together, group->signals().size());
    ASSERT_EQ(first.plane_words(), 1u);
    std::vector<std::uint64_t> planes(first.words());
    first.read(planes.data());
    for (std::size_t c = 0; c < first.together; ++c) {
      std::size_t state = 0;
      for (std::size_t bit = 0; bit < planes.size(); ++bit) state |= (planes[bit] >> c & 1) << bit;
      states.push_back(context_state_names()[state]);
    }
  }
  ASSERT_EQ(states.size(), kContexts);
  EXPECT_EQ(states[0], "not_chosen");
  EXPECT_EQ(states[1], "hazard");
  EXPECT_EQ(states[7], "none");
}

}  // namespace
}  // namespace heddle::sm
