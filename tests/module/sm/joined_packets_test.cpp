// SPDX-License-Identifier: Apache-2.0
// Gangs count the same and leave the same behind, whether somebody listens, who is told of a packet for each warp, or
// not.
#include <map>
#include <set>

#include "ganging_machines.h"
#include "gpu/gpu.h"
#include "isa/operands.h"
#include "sm/sm.h"

namespace heddle {
namespace {

/// Follows the packets that it is told of.
class Onlooker final : public sm::SmListenerBase {
 public:
  bool follows_instructions() const override { return true; }
  void issued(const sm::Packet& packet, const sm::ContextSituation& context, unsigned, Cycle) override {
    EXPECT_EQ(packet.company, 1u);
    EXPECT_EQ(packet.context, context.context);
    EXPECT_EQ(packet.trace_id, ++packets);
    EXPECT_TRUE(instructions.insert(packet.issue_id).second);
  }
  void entered(std::uint64_t trace_id, sm::PipelineStage, Cycle) override { entered_.insert(trace_id); }
  void sent(const sm::Packet& packet, std::uint64_t address, unsigned bytes, bool first, Cycle) override {
    transactions += first ? 1 : 0;
    const isa::Addresses& of = packet.memory->addresses[0];
    bool served = false;
    isa::for_each_lane(packet.words[0].mask, [&](unsigned lane) {
      served = served || (of.value[lane] < address + bytes && of.value[lane] + of.bytes > address);
    });
    EXPECT_TRUE(served) << "packet " << packet.trace_id << " does not access " << address;
  }
  void ended(std::uint64_t trace_id, Cycle) override { EXPECT_EQ(entered_.erase(trace_id), 1u); }
  /// Packets that have not ended.
  std::size_t left() const { return entered_.size(); }

  std::uint64_t packets = 0, transactions = 0;
  std::set<std::uint64_t> instructions;

 private:
  std::set<std::uint64_t> entered_;
};

class JoinedPackets : public GangingMachines, public ::testing::WithParamInterface<const char*> {
 protected:
  /// Two SMs of the machine of the parameter, a preset and perhaps a setting, run a block each. One has a listener.
  void expect_the_same(const std::string& body) {
    const std::string text = GetParam();
    const std::size_t space = text.find(' ');
    std::vector<std::string> settings{"gpu.sm_classes.0.count=2"};
    if (space != std::string::npos) settings.push_back(text.substr(space + 1));
    load(text.substr(0, space), settings);
    Onlooker onlooker;
    gpu_->sms().back()->listen(onlooker);
    std::fill(words_.begin(), words_.end(), 7u);
    // Threads of the second block have words of their own.
    run_body(
        "mov.u32 %r20, %ctaid.x; mad.wide.u32 %rd1, %r20, 65536, %rd1; mad.wide.u32 %rd2, %r20, 65536, %rd2;" + body,
        1024, 2);
    const auto counts = [this](const std::string& sm) {
      std::map<std::string, std::uint64_t> of;
      const StatisticsSample total = services_.statistics.total();
      for (const StatisticsSample::Owner& owner : total.owners()) {
        if (owner.owner->name() != sm) continue;
        for (const StatisticDeclaration& one : owner.owner->declarations())
          for (std::size_t i = 0; i < one.count; ++i)
            of[fmt::format("{}[{}]", one.name, i)] = owner.values[one.first + i];
      }
      return of;
    };
    const std::map<std::string, std::uint64_t> alone = counts("sm0"), followed = counts("sm1");
    for (const auto& [name, count] : followed) EXPECT_EQ(alone.at(name), count) << name;
    EXPECT_GT(followed.at("issue.slots.ganged[0]"), 2000u);
    EXPECT_EQ(onlooker.packets, followed.at("issue.packets[0]"));
    EXPECT_EQ(onlooker.transactions, followed.at("memory.transactions[0]"));
    EXPECT_EQ(onlooker.left(), 0u);
    for (unsigned i = 0; i < 16384; ++i) ASSERT_EQ(words()[i], words()[16384 + i]) << i;
  }
};

TEST_P(JoinedPackets, CountAndLeaveBehindWhatSeparateOnesDo) {
  // Guards, all kinds of units, chains of results, loops of as many turns as the slice says, memory and a barrier.
  expect_the_same(R"(
    .reg .f32 %f<4>; .reg .f64 %fd<4>;
    mov.u32 %r3, 0; add.u32 %r4, %r2, 1; and.b32 %r7, %r1, 5; setp.eq.u32 %p2, %r7, 1; cvt.rn.f32.u32 %f1, %r1;
    cvt.rn.f64.u32 %fd1, %r1; mov.u32 %r6, box; mad.lo.u32 %r6, %r1, 4, %r6;
TURN: mad.lo.u32 %r3, %r3, 3, %r1; @%p2 add.u32 %r3, %r3, 11; ex2.approx.f32 %f2, %f1; add.f32 %f1, %f2, 0f3f800000;
    @!%p2 mul.f64 %fd1, %fd1, %fd1; add.u32 %r8, %r3, %r4; xor.b32 %r9, %r8, %r3;
    sub.u32 %r4, %r4, 1; setp.ne.u32 %p1, %r4, 0; @%p1 bra TURN;
    ld.global.u32 %r5, [%rd2]; add.u32 %r3, %r3, %r5; cvt.rzi.u32.f32 %r10, %f1; cvt.rzi.u32.f64 %r11, %fd1;
    add.u32 %r3, %r3, %r10; add.u32 %r3, %r3, %r11; add.u32 %r3, %r3, %r9; st.shared.u32 [%r6], %r3; bar.sync 0;
    ld.shared.u32 %r12, [%r6]; add.u32 %r12, %r12, 1; @%p2 add.u32 %r12, %r12, 2; st.global.u32 [%rd2], %r12;
)");
}

TEST_P(JoinedPackets, DoSoWhereAccessesHoldUpEachOther) {
  // Accesses of one line, of a line for two warps and of several, to both memories, close behind each other; one by
  // some threads of a warp.
  expect_the_same(R"(
    .reg .b32 %a<9>; shr.u32 %r10, %r1, 3; mad.wide.u32 %rd4, %r10, 128, %rd1;
    mov.u32 %r6, box; mad.lo.u32 %r6, %r1, 4, %r6; mov.u32 %r4, 5; and.b32 %r7, %r1, 9; setp.eq.u32 %p2, %r7, 0;
    and.b32 %r8, %r1, 7; mad.wide.u32 %rd3, %r8, 512, %rd1; mov.u32 %r9, box; mad.lo.u32 %r9, %r8, 128, %r9;
    mov.u32 %a6, 0;
TURN: ld.global.u32 %a0, [%rd2]; ld.shared.u32 %a1, [%r6]; ld.global.u32 %a2, [%rd3]; ld.shared.u32 %a3, [%r9];
    ld.global.u32 %a4, [%rd1]; ld.shared.u32 %a5, [%r6+4096]; ld.global.u32 %a8, [%rd4];
    add.u32 %a4, %a4, %a8; @%p2 ld.global.u32 %a6, [%rd2+4096];
    st.shared.u32 [%r6+4096], %a0; st.global.u32 [%rd2+8192], %a4; ld.shared.u32 %a7, [%r6+4096];
    add.u32 %a0, %a0, %a1; add.u32 %a2, %a2, %a3; add.u32 %a4, %a4, %a5; add.u32 %a0, %a0, %a2;
    add.u32 %a0, %a0, %a4; add.u32 %a0, %a0, %a6; add.u32 %a0, %a0, %a7;
    sub.u32 %r4, %r4, 1; setp.ne.u32 %p1, %r4, 0; @%p1 bra TURN;
    st.global.u32 [%rd2+16384], %a0;
)");
}

INSTANTIATE_TEST_SUITE_P(Machines, JoinedPackets,
                         // Without merges, whose times depend on the number of the cycle.
                         ::testing::Values("vws-i", "vws-wide", "vws-proposed",
                                           "vws-i sm.variable_warps.memory_split=group",
                                           "vws-i sm.variable_warps.memory_split=impatient",
                                           "vws-i sm.variable_warps.gangs_per_cycle=4", "vws-i sm.hazards=full_masks",
                                           "vws-i sm.operands.memory_collectors=12", "vws-i sm.memory_queue=1",
                                           "vws-i sm.operands.latency=2", "vws-i sm.operands.banks=4"),
                         [](const auto& machine) { return test_name(machine.param); });

}  // namespace
}  // namespace heddle
