// SPDX-License-Identifier: Apache-2.0
// Blocks from their launch to their end, as a whole or granule by granule.
#include "sm/issue/resident_blocks.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stage_bench.h"

namespace heddle::sm {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::ThrowsMessage;

/// Granules start as long as threads are free. The first that end make room for those of their block that wait.
class OneByOne final : public Residency {
 public:
  using Residency::Residency;
  static ResidencyTraits traits() { return {.by_granule = true}; }
  unsigned room(const BlockNeed& need) const override {
    return used_.fits_but_for_granules(need) ? used_.granules_that_fit(need) : 0;
  }
  void come(const BlockKey& block, const BlockNeed& need, unsigned granules) override {
    block_ = block;
    need_ = need;
    started_ = granules;
    used_.take_block(need);
    used_.take_granules(need, granules);
  }
  void granule_ended(const BlockKey&) override { used_.release_granules(need_, 1); }
  void leave(const BlockKey&, const BlockNeed&) override {
    used_.release_granules(need_, 1);
    used_.release_block(need_);
    started_ = need_.granules;
  }
  std::optional<GranuleRange> start_more() override {
    if (started_ == need_.granules || used_.granules_that_fit(need_) == 0) return std::nullopt;
    used_.take_granules(need_, 1);
    return GranuleRange{block_, started_++, 1};
  }

 private:
  BlockKey block_;
  BlockNeed need_;
  unsigned started_ = 1;
};
HEDDLE_REGISTER(Residency, OneByOne, "test_one_by_one", "granules of one block start and end one by one", "tests");

class ResidentBlocksTest : public ::testing::Test {
 protected:
  void build(const GroupingTraits& traits = {.contexts = 8}, const ResidencyParameters& residency = {}) {
    bench_ = std::make_unique<StageBench>(traits, residency);
    bench_->add(isa::Opcode::exit_);
    bench_->add(isa::Opcode::add);
    bench_->build();
  }
  ResidentBlocks& blocks() { return bench_->parts().residents; }
  ContextTable& contexts() { return bench_->contexts(); }
  /// The context's threads, or some of them, issue an exit; its packet is in flight.
  Packet& exit(ContextId context, const ThreadSet& threads, bool last = true) {
    Packet& packet = bench_->packet(context, threads);
    packet.last = last;
    blocks().packet_issued(packet);
    blocks().exited(context, packet);
    return packet;
  }
  Packet& exit(ContextId context) { return exit(context, contexts()[context].threads); }
  void end(const Packet& packet) { blocks().packet_ended(packet); }
  /// "BLOCK" or "granule of BLOCK".
  std::vector<std::string> finished() {
    bench_->go_to(bench_->gate.now() + 1);
    std::vector<std::string> list;
    for (const BlockDone& done : StageBench::received(bench_->in.finished))
      list.push_back((done.whole ? "" : "granule of ") + std::to_string(done.block.block));
    return list;
  }

  std::unique_ptr<StageBench> bench_;
};

TEST_F(ResidentBlocksTest, ABlockGetsItsContextsInOrder) {
  build();
  std::vector<std::size_t> launched;
  bench_->sm.events.launched.add([&](ContextId context) { launched.push_back(context); });
  const BlockSlot slot = bench_->arrive(80);
  EXPECT_THAT(launched, ElementsAre(0, 1, 2));
  EXPECT_THAT(bench_->hazards.take_told(), ElementsAre("admit k"));
  for (const unsigned c : {0u, 1u, 2u}) {
    const Context& context = contexts()[c];
    EXPECT_EQ(context.kernel, &bench_->kernel);
    EXPECT_EQ(context.words, &bench_->blocks[slot].warps[c]);
    EXPECT_EQ(context.word_count, 1u);
    EXPECT_EQ(context.shift, 0u);
    EXPECT_EQ(contexts().age[c], c);
  }
  EXPECT_EQ(text_of(contexts()[2].threads), "0-15");
  EXPECT_EQ(bench_->blocks[slot].live, 80u);
  EXPECT_EQ(bench_->blocks[slot].started, 80u);
  EXPECT_EQ(bench_->counted("blocks_launched"), 1);
  EXPECT_EQ(bench_->counted("most_contexts"), 3);
}

TEST_F(ResidentBlocksTest, ANarrowWarpLiesWithinAnIsaWarp) {
  build({.contexts = 8, .granule = 8, .span = 8});
  const BlockSlot slot = bench_->arrive(40);
  EXPECT_EQ(contexts()[3].words, &bench_->blocks[slot].warps[0]);
  EXPECT_EQ(contexts()[3].shift, 24u);
  EXPECT_EQ(contexts()[4].words, &bench_->blocks[slot].warps[1]);
  EXPECT_EQ(contexts()[4].shift, 0u);
}

TEST_F(ResidentBlocksTest, ALargeWarpHasNoMoreWordsThanItsBlock) {
  build({.contexts = 8, .granule = 128, .span = 128});
  bench_->arrive(200);
  EXPECT_EQ(contexts()[0].word_count, 4u);
  EXPECT_EQ(contexts()[1].word_count, 3u);
}

TEST_F(ResidentBlocksTest, ABlockEndsWithTheLastPacketOfItsLastThread) {
  build();
  const BlockSlot slot = bench_->arrive(64);
  std::vector<std::size_t> ended;
  bench_->sm.events.block_ended.add([&](auto block) { ended.push_back(block); });
  Packet& first = exit(ContextId(0));
  Packet& last = exit(ContextId(1));
  end(last);
  EXPECT_THAT(finished(), IsEmpty()) << "the packet of the other warp is in flight";
  end(first);
  EXPECT_THAT(finished(), ElementsAre("0"));
  EXPECT_THAT(ended, ElementsAre(0));
  EXPECT_THAT(bench_->grouping.take_told(), Contains("release 0"));
  EXPECT_FALSE(bench_->blocks[slot].used);
  EXPECT_EQ(bench_->counted("blocks_finished"), 1);
}

TEST_F(ResidentBlocksTest, ABlockWithLiveThreadsStays) {
  build();
  bench_->arrive(64);
  end(exit(ContextId(0)));
  EXPECT_THAT(finished(), IsEmpty());
  EXPECT_THAT(bench_->grouping.take_told(), Not(Contains("release 0")));
}

TEST_F(ResidentBlocksTest, ThreadsThatStayContinueBehindTheExit) {
  build();
  const BlockSlot slot = bench_->arrive(32);
  bench_->grouping.take_told();
  exit(ContextId(0), ThreadSet::of_word(0xf), false);
  EXPECT_EQ(bench_->warp().live, ~0xfu);
  EXPECT_THAT(bench_->grouping.take_told(), IsEmpty()) << "the instruction has a packet to come";
  exit(ContextId(0), ThreadSet::of_word(0xf0));
  EXPECT_THAT(bench_->grouping.take_told(), ElementsAre("exited 0: 0-7"));
  EXPECT_EQ(bench_->blocks[slot].live, 24u);
  EXPECT_EQ(contexts()[0].pc, 1u);
  exit(ContextId(0), ThreadSet::of_word(0x100));
  EXPECT_THAT(bench_->grouping.take_told(), ElementsAre("exited 0: 8")) << "not those of the exit before";
}

TEST_F(ResidentBlocksTest, AnExitOfNobodyChangesNothing) {
  build();
  const BlockSlot slot = bench_->arrive(32);
  bench_->sm.progress.begin();
  exit(ContextId(0), {});
  EXPECT_EQ(bench_->blocks[slot].live, 32u);
  EXPECT_FALSE(bench_->sm.progress.saw_change());
  exit(ContextId(0));
  EXPECT_TRUE(bench_->sm.progress.saw_change());
}

TEST_F(ResidentBlocksTest, AnExitLetsThoseProceedThatWaitedForIt) {
  build();
  isa::MicroOp& bar = bench_->add(isa::Opcode::bar, {bench_->constant(0)});
  bar.bar_mode = isa::BarMode::sync;
  isa::MicroOp& meet = bench_->add(isa::Opcode::bar_warp, {bench_->constant(~0u)});
  meet.sync_form = true;
  bench_->arrive(64);
  contexts().set(ContextId(1), 2, ThreadSet::first_n(32));
  bench_->parts().barriers.arrive(ContextId(1), bench_->packet(ContextId(1)));
  bench_->split(ContextId(0), ContextId(2), ThreadSet::of_word(0xff), 3);
  EXPECT_FALSE(bench_->parts().meeting_unit.meet(ContextId(2), meet, ThreadSet::of_word(0xff)));
  EXPECT_TRUE(bench_->events.empty());
  exit(ContextId(0));
  EXPECT_TRUE(contexts().at_meeting[WarpId(0)].none());
  EXPECT_TRUE(bench_->events.empty()) << "threads 0 to 7 have yet to come to the barrier";
  exit(ContextId(2));
  EXPECT_EQ(bench_->events.size(), 1u);
}

TEST_F(ResidentBlocksTest, ANewBlockFindsNothingOfTheOneBefore) {
  build();
  bench_->arrive(32);
  bench_->value(bench_->warp(), 0, 3) = 17;
  end(exit(ContextId(0)));
  bench_->parts().states.settle();
  const BlockSlot slot = bench_->arrive(32);
  EXPECT_EQ(slot, BlockSlot(0));
  EXPECT_EQ(bench_->value(bench_->warp(), 0, 3), 0u);
  EXPECT_EQ(bench_->warp().live, ~0u);
  EXPECT_EQ(contexts()[0].pc, 0u);
  EXPECT_TRUE(contexts().ready.test(0));
  end(exit(ContextId(0)));
  EXPECT_THAT(finished(), ElementsAre("0", "1"));
}

TEST_F(ResidentBlocksTest, APacketThatEndsTwiceIsAnError) {
  build();
  bench_->arrive(64);
  Packet& packet = exit(ContextId(0));
  end(packet);
  EXPECT_THAT([&] { end(packet); }, ThrowsMessage<Error>(HasSubstr("completed twice")));
}

TEST_F(ResidentBlocksTest, CountsTheThreadsThatAreAllocatedInEachCycle) {
  build();
  bench_->go_to(10);
  bench_->arrive(40);
  const Cycle ends = 110;
  bench_->go_to(ends);
  end(exit(ContextId(0)));
  end(exit(ContextId(1)));
  blocks().settle(500);
  EXPECT_EQ(blocks().thread_cycles().value(), (ends - 10) * 64) << "two warps, the last of them partial";
}

class Granules : public ResidentBlocksTest {
 protected:
  /// An SM for three warps.
  void build() {
    ResidencyParameters residency;
    residency.threads = 96;
    residency.policy.choose("test_one_by_one");
    ResidentBlocksTest::build({.contexts = 8, .places_granules = true}, residency);
  }
};

TEST_F(Granules, StartWhenOthersEnd) {
  build();
  const BlockSlot slot = bench_->arrive(160, 3);
  EXPECT_EQ(contexts().valid.count(), 3u);
  EXPECT_EQ(bench_->blocks[slot].started, 96u);
  bench_->grouping.take_told();
  end(exit(ContextId(1)));
  EXPECT_THAT(finished(), ElementsAre("granule of 0"));
  EXPECT_THAT(bench_->grouping.take_told(), ElementsAre("exited 1: 0-31", "release 0 from 32"));
  EXPECT_EQ(bench_->blocks[slot].started, 128u);
  EXPECT_TRUE(contexts().valid.test(1));
  EXPECT_EQ(contexts()[1].words, &bench_->blocks[slot].warps[3]) << "the context is used again";
  EXPECT_FALSE(bench_->parts().supply.buffers().holds(ContextId(1), 0)) << "and fetches again";
}

TEST_F(Granules, AreResidentUntilTheirLastPacketEnds) {
  build();
  bench_->arrive(96, 3);
  Packet& load = bench_->packet(ContextId(1), ThreadSet::first_n(32));
  blocks().packet_issued(load);
  end(exit(ContextId(1)));
  EXPECT_THAT(finished(), IsEmpty());
  end(load);
  EXPECT_THAT(finished(), ElementsAre("granule of 0"));
}

TEST_F(Granules, WithALiveThreadStay) {
  build();
  bench_->arrive(96, 3);
  end(exit(ContextId(1), ThreadSet::of_word(~1u)));
  EXPECT_THAT(finished(), IsEmpty());
}

TEST_F(Granules, TheLastEndsWithItsBlock) {
  build();
  bench_->arrive(160, 3);
  for (const unsigned c : {0u, 1u, 2u, 0u}) end(exit(ContextId(c)));
  EXPECT_THAT(finished(), ElementsAre("granule of 0", "granule of 0", "granule of 0", "granule of 0"));
  end(exit(ContextId(1)));
  EXPECT_THAT(finished(), ElementsAre("0"));
  EXPECT_EQ(bench_->blocks.residency().used().threads(), 0u);
}

TEST_F(Granules, ThatHaveNotStartedAreWaitedForAtABarrier) {
  build();
  isa::MicroOp& bar = bench_->add(isa::Opcode::bar, {bench_->constant(0)});
  bar.bar_mode = isa::BarMode::sync;
  bench_->arrive(128, 3);
  for (const unsigned c : {0u, 1u}) {
    contexts().set(ContextId(c), 2, ThreadSet::first_n(32));
    bench_->parts().barriers.arrive(ContextId(c), bench_->packet(ContextId(c)));
  }
  end(exit(ContextId(2)));
  EXPECT_TRUE(bench_->events.empty());
  EXPECT_EQ(contexts()[2].words->index, 3u);
  end(exit(ContextId(2)));
  EXPECT_EQ(bench_->events.size(), 2u);
}

}  // namespace
}  // namespace heddle::sm
