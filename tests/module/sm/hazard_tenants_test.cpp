// SPDX-License-Identifier: Apache-2.0
// Small hazard trackers that use what no built-in one does: times of release, commits of their own, operands that were
// gathered, threads that change contexts.
#include <algorithm>
#include <array>
#include <map>

#include "chain_test.h"
#include "core/error.h"
#include "sm/hazards/hazard_tracker.h"

namespace heddle::sm {
namespace {

/// A scoreboard for trackers that differ from it in one respect.
class AroundScoreboard : public HazardTracker {
 public:
  explicit AroundScoreboard(const HazardShape& shape) : board_(make(Mechanism<HazardTracker>("scoreboard"), shape)) {}
  Wait check(const ContextTable& contexts, ContextId context, const isa::MicroOp& op) override {
    return board_->check(contexts, context, op);
  }
  std::uint32_t issued(const ContextTable& contexts, const Packet& packet, bool variable) override {
    return board_->issued(contexts, packet, variable);
  }
  void released(const Release& release) override { board_->released(release); }
  std::size_t pending(WarpId warp) const override { return board_->pending(warp); }
  void admit(const isa::Kernel& kernel) override { board_->admit(kernel); }

 private:
  std::unique_ptr<HazardTracker> board_;
};

// -- results are committed two cycles late

class LateScoreboard final : public AroundScoreboard {
 public:
  using AroundScoreboard::AroundScoreboard;
  static HazardTraits traits() {
    return {.offers = {Feature::register_waits}, .shared_by_warp = true, .keeps_time = true};
  }
  Cycle release_at(const Packet&, Cycle done) const override { return done + 2; }
};
HEDDLE_REGISTER(HazardTracker, LateScoreboard, "test_late", "results are committed two cycles late", "tests");

// -- results are committed in the order of issue, however long each takes

class InOrderCommit final : public AroundScoreboard {
 public:
  explicit InOrderCommit(const HazardShape& shape) : AroundScoreboard(shape), in_flight_(shape.warps) {}
  static HazardTraits traits() {
    return {.offers = {Feature::register_waits}, .shared_by_warp = true, .commits = true};
  }
  std::uint32_t issued(const ContextTable& contexts, const Packet& packet, bool variable) override {
    in_flight_[packet.warp].push_back({packet.issue_id, {}});
    return AroundScoreboard::issued(contexts, packet, variable);
  }
  bool commit(Packet& packet) override {
    auto& list = in_flight_[packet.warp];
    const auto entry =
        std::find_if(list.begin(), list.end(), [&](const Entry& e) { return e.issue_id == packet.issue_id; });
    if (entry != list.begin()) {
      entry->done = &packet;
      return false;
    }
    list.erase(entry);
    return true;
  }
  void advance(Cycle, std::vector<PacketHandle>& released) override {
    for (auto& list : in_flight_) {
      while (!list.empty() && list.front().done) {
        released.push_back(list.front().done);
        list.erase(list.begin());
      }
    }
  }

 private:
  struct Entry {
    std::uint64_t issue_id;
    PacketHandle done;  ///< null until the result is there
  };
  std::vector<std::vector<Entry>> in_flight_;  ///< by warp, in order of issue
};
HEDDLE_REGISTER(HazardTracker, InOrderCommit, "test_in_order", "results are committed in the order of issue", "tests");

// -- hears of operands

struct Operands {
  unsigned issued = 0, gathered = 0;
} operands;

class OperandFollower final : public AroundScoreboard {
 public:
  using AroundScoreboard::AroundScoreboard;
  static HazardTraits traits() {
    return {.offers = {Feature::register_waits}, .shared_by_warp = true, .follows_operands = true};
  }
  std::uint32_t issued(const ContextTable& contexts, const Packet& packet, bool variable) override {
    if (packet.op->unit != isa::Unit::control) ++operands.issued;
    return AroundScoreboard::issued(contexts, packet, variable);
  }
  void gathered(const Packet& packet) override {
    EXPECT_GT(packet.gathered, packet.issued);
    ++operands.gathered;
  }
};
HEDDLE_REGISTER(HazardTracker, OperandFollower, "test_operands", "counts packets that have their operands", "tests");

// -- a dependency matrix: an entry in flight knows which contexts hold threads that it was issued for, as one bit a hot
// context of the warp and one for all others

struct Regrouped {
  unsigned splits = 0, merges = 0, longer = 0;
} moves;

class Matrix : public HazardTracker {
 public:
  Matrix(const HazardShape& shape, bool listens)
      : listens_(listens), in_flight_(shape.warps), exact_(make(Mechanism<HazardTracker>("full_masks"), shape)) {}
  static HazardTraits traits() {
    return {.offers = {Feature::hazards_by_thread, Feature::register_waits},
            .shared_by_warp = true,
            .conservative = true,
            .follows_threads = true};
  }
  void admit(const isa::Kernel& kernel) override { exact_->admit(kernel); }
  Wait check(const ContextTable& contexts, ContextId context, const isa::MicroOp& op) override {
    Wait wait = Wait::none;
    for (const Entry& entry : in_flight_[contexts[context].warp]) {
      if (!entry.holders[column(context)] || !feeds(*entry.op, op) || wait == Wait::memory) continue;
      wait = entry.variable ? Wait::memory : Wait::hazard;
    }
    if (wait != Wait::none && exact_->check(contexts, context, op) == Wait::none) ++moves.longer;
    return wait;
  }
  std::uint32_t issued(const ContextTable& contexts, const Packet& packet, bool variable) override {
    const std::uint32_t token = exact_->issued(contexts, packet, variable);
    if (token != 0) {
      Entry entry{token, packet.op, variable, {}};
      entry.holders[column(packet.context)] = true;
      in_flight_[packet.warp].push_back(entry);
    }
    return token;
  }
  void released(const Release& release) override {
    exact_->released(release);
    std::erase_if(in_flight_[release.warp], [&](const Entry& entry) { return entry.token == release.token; });
  }
  std::size_t pending(WarpId warp) const override { return in_flight_[warp].size(); }
  void regrouped(const Regrouping& change) override {
    if (!listens_) return;
    std::array<ThreadSet, 3> before, after;
    for (const Regrouping::Part& part : change.parts) {
      before[column(part.context)] = part.before;
      after[column(part.context)] = part.after;
    }
    const ThreadSet hot_before = before[0] | before[1], hot_after = after[0] | after[1];
    before[kCold] = hot_after - hot_before;
    after[kCold] = hot_before - hot_after;
    Step step{};
    for (unsigned from = 0; from < 3; ++from) {
      for (unsigned to = 0; to < 3; ++to) step[from][to] = before[from].intersects(after[to]);
    }
    step[kCold][kCold] = true;
    moves.splits += (step[0][0] || step[0][1]) && (step[0][kCold] || (step[0][0] && step[0][1]));
    for (unsigned to = 0; to < 2; ++to) moves.merges += step[0][to] + step[1][to] + step[kCold][to] > 1;
    for (Entry& entry : in_flight_[change.warp]) {
      Row moved{};
      for (unsigned from = 0; from < 3; ++from) {
        for (unsigned to = 0; to < 3; ++to) moved[to] = moved[to] || (entry.holders[from] && step[from][to]);
      }
      entry.holders = moved;
    }
  }

 private:
  static constexpr unsigned kCold = 2;
  using Row = std::array<bool, 3>;
  using Step = std::array<Row, 3>;
  struct Entry {
    std::uint32_t token;
    const isa::MicroOp* op;
    bool variable;
    Row holders;
  };
  static unsigned column(ContextId context) { return context % 2; }
  static bool feeds(const isa::MicroOp& producer, const isa::MicroOp& consumer) {
    const isa::RegisterUse &out = producer.allocated, &in = consumer.allocated;
    return std::any_of(out.writes.begin(), out.writes.begin() + out.write_count, [&](isa::RegisterId id) {
      return std::count(in.reads.begin(), in.reads.begin() + in.read_count, id) +
                 std::count(in.writes.begin(), in.writes.begin() + in.write_count, id) !=
             0;
    });
  }

  bool listens_;
  std::vector<std::vector<Entry>> in_flight_;  ///< by warp
  std::unique_ptr<HazardTracker> exact_;
};

class DependencyMatrix final : public Matrix {
 public:
  explicit DependencyMatrix(const HazardShape& shape) : Matrix(shape, true) {}
};
HEDDLE_REGISTER(HazardTracker, DependencyMatrix, "test_matrix", "contexts that hold an instruction's threads", "tests");

class DeafMatrix final : public Matrix {
 public:
  explicit DeafMatrix(const HazardShape& shape) : Matrix(shape, false) {}
};
HEDDLE_REGISTER(HazardTracker, DeafMatrix, "test_deaf", "a matrix that does not hear of threads that move", "tests");

class HazardTenants : public ChainTest {
 protected:
  void SetUp() override {
    ChainTest::SetUp();
    operands = {};
    moves = {};
  }
  /// Odd threads load, and lose their hot context to even threads when these take two paths.
  void run_paths(const std::string& hazards) {
    sm().grouping.choose("branch_interweaving");
    sm().hazards.choose(hazards);
    sm().schedulers = 2;
    sm().warp_size = sm().simd_width = 64;
    sm().residency.threads = 512;
    build();
    std::vector<std::uint32_t> values(128);
    for (unsigned i = 0; i < 128; ++i) values[i] = 1000 + i;
    run(kernel(".param .u64 po", R"(
  .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<4>;
  mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [po]; mad.wide.u32 %rd2, %r1, 4, %rd1;
  ld.global.u32 %r2, [%rd2];
  and.b32 %r4, %r1, 1; setp.ne.u32 %p1, %r4, 0;
  and.b32 %r5, %r1, 2; setp.ne.u32 %p2, %r5, 0;
  mov.u32 %r6, 1;
  @%p1 bra ODD;
  mul.lo.u32 %r3, %r1, 3; mul.lo.u32 %r3, %r3, 5;
  @%p2 bra SECOND;
  add.u32 %r3, %r3, %r2; add.u32 %r3, %r3, %r2;
  bra.uni JOIN;
SECOND:
  sub.u32 %r3, %r3, %r2;
  bra.uni JOIN;
ODD:
  ld.global.u32 %r6, [%rd2];
  mul.lo.u32 %r3, %r1, %r1; mul.lo.u32 %r3, %r3, %r1;
  add.u32 %r3, %r3, %r6;
JOIN:
  add.u32 %r3, %r3, %r6;
  st.global.u32 [%rd2], %r3;
  ret;
)"),
        {1}, {128}, {address(values.data())});
    for (unsigned i = 0; i < 128; ++i) {
      const unsigned loaded = 1000 + i, even = 15 * i + ((i & 2) != 0 ? 0 - loaded : 2 * loaded) + 1;
      EXPECT_EQ(values[i], (i & 1) != 0 ? i * i * i + 2 * loaded : even) << i;
    }
  }
};

TEST_F(HazardTenants, ACommonScoreboardFreesTheResultAtOnce) { EXPECT_EQ(run_chain(32), kChainCycles); }

TEST_F(HazardTenants, ATrackerThatCommitsLateDelaysEveryDependentInstruction) {
  sm().hazards.choose("test_late");
  EXPECT_EQ(run_chain(32), kChainCycles + 2 * kDependent);
}

class CommitOrders : public HazardTenants {
 protected:
  /// A load, two sums that depend on each other but not on it, a sum of both.
  Cycle run_beside_a_load() {
    build();
    alignas(128) std::array<std::uint32_t, 32> values;
    values.fill(40);
    const Cycle cycles = run(kernel(".param .u64 po", R"(
  .reg .b32 %r<6>; .reg .b64 %rd<4>;
  mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [po]; mad.wide.u32 %rd2, %r1, 4, %rd1;
  ld.global.u32 %r2, [%rd2];
  add.u32 %r3, %r1, 5; add.u32 %r4, %r3, 1; add.u32 %r5, %r4, %r2;
  st.global.u32 [%rd2], %r5;
  ret;
)"),
                             {1}, {32}, {address(values.data())});
    for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(values[i], i + 46);
    return cycles;
  }
};

TEST_F(CommitOrders, OutOfOrder) { EXPECT_EQ(run_beside_a_load(), 335u); }

TEST_F(CommitOrders, AResultHeldBackByAnOlderLoadIsThereWithIt) {
  sm().hazards.choose("test_in_order");
  const Cycle sum = sm().latency[static_cast<std::size_t>(isa::TimingClass::int_add)].latency;
  EXPECT_EQ(run_beside_a_load(), 335 + sum) << "the second sum waits for the load that is older than the first";
}

TEST_F(HazardTenants, ATrackerHearsOfEveryPacketThatHasItsOperands) {
  sm().hazards.choose("test_operands");
  EXPECT_EQ(run_chain(32), kChainCycles) << "hearing of them changes nothing";
  EXPECT_EQ(operands.issued, 14u) << "all but the return";
  EXPECT_EQ(operands.gathered, operands.issued);
}

TEST_F(HazardTenants, ADependencyMatrixFollowsThreadsThroughSplitsAndMerges) {
  run_paths("test_matrix");
  EXPECT_GE(moves.splits, 4u);
  EXPECT_GE(moves.merges, 2u);
  EXPECT_GT(moves.longer, 0u) << "one bit stands for all cold threads, so some wait for others";
}

TEST_F(HazardTenants, AMatrixThatDoesNotHearOfMovedThreadsIsFoundOut) {
  try {
    run_paths("test_deaf");
    FAIL() << "an instruction read a register before it was written";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::internal);
    EXPECT_NE(std::string(error.what()).find("may issue, but by the packets in flight"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace heddle::sm
