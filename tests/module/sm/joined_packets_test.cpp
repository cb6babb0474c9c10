// SPDX-License-Identifier: Apache-2.0
// Gangs that issue one packet count what gangs with a packet for each warp count, and leave the same behind.
#include <map>

#include "ganging_machines.h"
#include "gpu/gpu.h"
#include "sm/sm.h"

namespace heddle {
namespace {

/// Listens for nothing. While an SM has a listener, each warp of a gang issues a packet of its own.
class Onlooker final : public sm::SmListenerBase {
 public:
  void issued(const sm::Packet& packet, const sm::ContextSituation&, unsigned, Cycle) override {
    EXPECT_EQ(packet.members(), 1u);
    ++packets;
  }
  double packets = 0;
};

class JoinedPackets : public GangingMachines, public ::testing::WithParamInterface<const char*> {
 protected:
  /// What a launch counts in each statistic, and the words that it leaves behind.
  struct Outcome {
    std::map<std::string, std::uint64_t> counts;
    std::vector<std::uint32_t> words;
    Cycle cycles = 0;
  };
  Outcome outcome_of(const std::string& body) {
    std::fill(words_.begin(), words_.end(), 7u);
    const Statistics::IntervalId interval = services_.statistics.open();
    Outcome outcome;
    outcome.cycles = run_body(body, 1024);
    const StatisticsSample counted = services_.statistics.close(interval);
    for (const StatisticsSample::Owner& owner : counted.owners()) {
      for (const StatisticDeclaration& one : owner.owner->declarations()) {
        for (std::size_t i = 0; i < one.count; ++i)
          outcome.counts[fmt::format("{}.{}[{}]", owner.owner->name(), one.name, i)] = owner.values[one.first + i];
      }
    }
    outcome.words = words_;
    return outcome;
  }
};

TEST_P(JoinedPackets, CountAndLeaveBehindWhatSeparateOnesDo) {
  const std::string text = GetParam();
  const std::size_t space = text.find(' ');
  load(text.substr(0, space),
       space == std::string::npos ? std::vector<std::string>{} : std::vector<std::string>{text.substr(space + 1)});
  // Guards, all kinds of units, chains of results, loops of as many turns as the slice says, memory and a barrier.
  const std::string body = R"(
    .reg .f32 %f<4>; .reg .f64 %fd<4>;
    mov.u32 %r3, 0; add.u32 %r4, %r2, 1; and.b32 %r7, %r1, 5; setp.eq.u32 %p2, %r7, 1; cvt.rn.f32.u32 %f1, %r1;
    cvt.rn.f64.u32 %fd1, %r1; mov.u32 %r6, box; mad.lo.u32 %r6, %r1, 4, %r6;
TURN: mad.lo.u32 %r3, %r3, 3, %r1; @%p2 add.u32 %r3, %r3, 11; ex2.approx.f32 %f2, %f1; add.f32 %f1, %f2, 0f3f800000;
    @!%p2 mul.f64 %fd1, %fd1, %fd1; add.u32 %r8, %r3, %r4; xor.b32 %r9, %r8, %r3;
    sub.u32 %r4, %r4, 1; setp.ne.u32 %p1, %r4, 0; @%p1 bra TURN;
    ld.global.u32 %r5, [%rd2]; add.u32 %r3, %r3, %r5; cvt.rzi.u32.f32 %r10, %f1; cvt.rzi.u32.f64 %r11, %fd1;
    add.u32 %r3, %r3, %r10; add.u32 %r3, %r3, %r11; add.u32 %r3, %r3, %r9; st.shared.u32 [%r6], %r3; bar.sync 0;
    ld.shared.u32 %r12, [%r6]; add.u32 %r12, %r12, 1; @%p2 add.u32 %r12, %r12, 2; st.global.u32 [%rd2], %r12;
)";
  // The state of policies and arbiters is that of a launch before.
  outcome_of(body);
  const Outcome joined = outcome_of(body);
  Onlooker onlooker;
  gpu_->sms().front()->listen(onlooker);
  const Outcome separate = outcome_of(body);
  EXPECT_EQ(joined.cycles, separate.cycles);
  EXPECT_EQ(joined.words, separate.words);
  for (const auto& [name, count] : separate.counts) EXPECT_EQ(joined.counts.at(name), count) << name;
  EXPECT_GT(separate.counts.at("sm0.issue.slots.ganged[0]"), 2000u);
  EXPECT_EQ(onlooker.packets, separate.counts.at("sm0.issue.packets[0]"));
}
INSTANTIATE_TEST_SUITE_P(Machines, JoinedPackets,
                         // Without merges, whose times depend on the number of the cycle.
                         ::testing::Values("vws-i", "vws-wide", "vws-proposed",
                                           "vws-i sm.variable_warps.memory_split=group",
                                           "vws-i sm.variable_warps.memory_split=impatient",
                                           "vws-i sm.variable_warps.gangs_per_cycle=4", "vws-i sm.hazards=full_masks"),
                         [](const auto& machine) { return test_name(machine.param); });

}  // namespace
}  // namespace heddle
