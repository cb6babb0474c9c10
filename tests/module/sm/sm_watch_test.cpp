// SPDX-License-Identifier: Apache-2.0
// Notifications to a listener of an SM: every cycle of a context is an issue or a wait of exactly one kind.
#include <algorithm>
#include <iterator>
#include <map>
#include <vector>

#include "gpu/gpu.h"
#include "sm/sm.h"
#include "sm_fixture.h"

namespace heddle::sm {
namespace {

/// One warp's story.
class Story final : public SmListenerBase {
 public:
  std::map<std::uint32_t, Cycle> issued_at;                           ///< by program counter
  std::map<std::uint32_t, std::map<ContextState, Cycle>> waited_for;  ///< cycles, by program counter
  std::vector<std::pair<std::uint64_t, PipelineStage>> places;
  Cycle first = kNever, block_began = kNever, block_ended = kNever;
  std::uint64_t transactions = 0, ended_packets = 0;

  bool follows_instructions() const override { return true; }
  void block_begins(BlockSlot, const isa::LaunchState&, std::uint64_t, Cycle now) override { block_began = now; }
  void block_ends(BlockSlot, Cycle now) override { block_ended = now; }
  void issued(const Packet& packet, const ContextSituation& context, unsigned, Cycle now) override {
    EXPECT_EQ(context.pc, packet.op->pc);
    issued_at[packet.op->pc] = now;
  }
  void entered(std::uint64_t trace_id, PipelineStage place, Cycle) override { places.emplace_back(trace_id, place); }
  void sent(const Packet&, std::uint64_t, unsigned, bool is_first, Cycle) override { transactions += is_first ? 1 : 0; }
  void ended(std::uint64_t, Cycle) override { ++ended_packets; }
  void waited(const ContextSituation& was_in, Cycle from, Cycle to) override {
    EXPECT_LE(from, to);
    first = std::min(first, from);
    waited_for[was_in.pc][was_in.state] += to - from + 1;
  }
};

class SmWatchTest : public SmTest {
 protected:
  Story& listened() {
    gpu_->sms().front()->listen(story_);
    return story_;
  }
  Story story_;
};

TEST_F(SmWatchTest, ADependentInstructionWaitsItsLoopDistanceLessOne) {
  build();
  Story& story = listened();
  run(kernel("", R"(
    .reg .b32 %r<8>;
    mov.u32 %r1, %tid.x;
    add.u32 %r2, %r1, 1;
    add.u32 %r3, %r2, 1;
    add.u32 %r4, %r3, 1;
    ret;)"),
      {1, 1, 1}, {32, 1, 1}, {});
  const Cycle distance = sm().latency[static_cast<std::size_t>(isa::TimingClass::int_add)].latency;
  EXPECT_EQ(story.issued_at[3] - story.issued_at[2], distance);
  EXPECT_EQ(story.waited_for[3][ContextState::hazard], distance - 1);
  EXPECT_EQ(story.waited_for[3].size(), 1u) << "and for nothing else";
}

TEST_F(SmWatchTest, BetweenTwoIssuesEveryCycleIsAWait) {
  build();
  Story& story = listened();
  alignas(128) static std::uint32_t data[32];
  std::fill(std::begin(data), std::end(data), 3);
  run(kernel(".param .u64 p", R"(
    .reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .pred %p<2>;
    ld.param.u64 %rd1, [p];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    ld.global.u32 %r2, [%rd3];
    add.u32 %r3, %r2, 1;
    st.global.u32 [%rd3], %r3;
    ret;)"),
      {1, 1, 1}, {32, 1, 1}, {address(data)});
  EXPECT_EQ(data[7], 4u);
  Cycle before = story.first - 1;
  for (const auto& [pc, at] : story.issued_at) {
    Cycle waited = 0;
    for (const auto& [state, cycles] : story.waited_for[pc]) waited += cycles;
    EXPECT_EQ(at - before - 1, waited) << pc;
    before = at;
  }
  EXPECT_GE(story.waited_for[5][ContextState::memory], memory_latency_ - 10);
  EXPECT_EQ(story.transactions, 3u) << "parameter, load and store, a line each";
  EXPECT_EQ(story.first, story.block_began);
  EXPECT_GT(story.block_ended, story.issued_at.rbegin()->second);
}

TEST_F(SmWatchTest, PacketsPassTheirPlacesInOrder) {
  build();
  Story& story = listened();
  run(kernel("", ".reg .b32 %r<4>; .reg .f32 %f<4>;\n mov.f32 %f1, 0f40000000;\n sqrt.approx.f32 %f2, %f1;\n ret;"),
      {1, 1, 1}, {32, 1, 1}, {});
  std::map<std::uint64_t, std::vector<PipelineStage>> of;
  for (const auto& [id, place] : story.places) of[id].push_back(place);
  EXPECT_EQ(of[1], (std::vector<PipelineStage>{PipelineStage::operands, PipelineStage::alu, PipelineStage::writeback}));
  EXPECT_EQ(of[2], (std::vector<PipelineStage>{PipelineStage::operands, PipelineStage::sfu, PipelineStage::writeback}));
  EXPECT_EQ(of[3], std::vector<PipelineStage>{PipelineStage::control});
}

}  // namespace
}  // namespace heddle::sm
