// SPDX-License-Identifier: Apache-2.0
// Small mechanisms that use features no built-in mechanism uses; each is linked in and selected by name.
#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include "cached_side.h"
#include "chain_test.h"
#include "core/error.h"
#include "core/kernel/level.h"
#include "gpu/gpu.h"
#include "sm/grouping/reconvergence_stack.h"
#include "sm/issue/issue_kit.h"
#include "sm/sm.h"
#include "sm_fixture.h"

namespace heddle::sm {
namespace {

constexpr IssueSlot kSlot(0);  ///< the only one of these schemes

// -- packets that are not instructions: a copy in front of an addition, loads sent twice, ghosts

struct KindsIssued {
  std::map<PacketKind, unsigned> issued;
} kinds;

class Embroidered final : public IssueScheme {
 public:
  explicit Embroidered(unsigned contexts) : members_(ContextSet::first_n(contexts)) {}
  SlotShape slot(IssueSlot) const override { return {members_, false}; }
  void attach(IssueKit& kit) override {
    kit.events().issued.add([](const Packet& packet) { ++kinds.issued[packet.kind]; });
    extra_ = kit.account().issuing_cause("extra", "a packet that is no instruction issued");
    kit.events().issued.add([this](const Packet& packet) {
      if (packet.kind != PacketKind::normal || packet.op->opcode != isa::Opcode::ld) return;
      again_ = packet;
      addresses_ = *packet.memory;
      again_.memory = &addresses_;
    });
  }
  void cycle(IssueKit& kit) override {
    kit.begin();
    if (again_.op != nullptr) {
      // The load goes through the memory stage once more.
      PacketPlan replay = kit.plan(kSlot, again_.context, *again_.op, again_.threads);
      replay.kind = PacketKind::replay;
      replay.replayed = &again_;
      kit.stay();
      if (kit.takes(kit.unit_of(*replay.op)) && kit.place(replay)) {
        kit.issue(replay);
        again_ = {};
        kit.charge(kSlot, extra_);
        return;
      }
    }
    kit.pick(kSlot, kit.order(kSlot), kit.candidates(members_), [&](ContextId c) {
      PacketPlan plan = kit.whole(kSlot, c);
      if (!kit.place(plan)) return false;
      const bool adds = plan.op->opcode == isa::Opcode::add;
      if (adds && copied_ != plan.op) {
        copied_ = plan.op;
        plan.kind = copies_ % 2 == 0 ? PacketKind::copy : PacketKind::ghost;
        ++copies_;
        kit.issue(plan);
        kit.charge(kSlot, extra_);
        return true;
      }
      return kit.issue_whole(plan);
    });
  }

 private:
  ContextSet members_;
  const isa::MicroOp* copied_ = nullptr;
  unsigned copies_ = 0;
  Packet again_;
  MemoryAccess addresses_;
  CauseId extra_{};
};

class EmbroideredWarps final : public StackWarps {
 public:
  EmbroideredWarps(const GroupingShape& shape, ContextTable& table) : StackWarps(shape, table) {}
  std::string name() const override { return "test_kinds"; }
  std::unique_ptr<IssueScheme> make_scheme() override { return std::make_unique<Embroidered>(warps_); }
};
HEDDLE_REGISTER(GroupingUnit, EmbroideredWarps, "test_kinds", "replays, copies and ghosts", "tests");

// -- a value unit: knows results without executing, at no unit's cost

class KnownValues final : public IssueScheme {
 public:
  explicit KnownValues(unsigned contexts) : members_(ContextSet::first_n(contexts)) {}
  SlotShape slot(IssueSlot) const override { return {members_, false}; }
  void cycle(IssueKit& kit) override {
    kit.begin();
    kit.pick(kSlot, kit.order(kSlot), kit.candidates(members_), [&](ContextId c) {
      PacketPlan plan = kit.whole(kSlot, c);
      if (plan.op->opcode == isa::Opcode::mul) plan.skips_execute = true;
      return (plan.skips_execute || kit.place(plan)) && kit.issue_whole(plan);
    });
  }

 private:
  ContextSet members_;
};

class KnownWarps final : public StackWarps {
 public:
  KnownWarps(const GroupingShape& shape, ContextTable& table) : StackWarps(shape, table) {}
  std::string name() const override { return "test_values"; }
  std::unique_ptr<IssueScheme> make_scheme() override { return std::make_unique<KnownValues>(warps_); }
};
HEDDLE_REGISTER(GroupingUnit, KnownWarps, "test_values", "products are known", "tests");

// -- a mechanism's own module on the SM, and unmet needs

class Turnstile final : public sc_core::sc_module {
 public:
  Turnstile(const sc_core::sc_module_name& name, SmSite& site)
      : sc_module(name),
        group_(site.statistics, "turnstile"),
        passed_(group_, "passed", "packets that issued", unit::kInstructions) {
    site.events.issued.add([this](const Packet&) { ++passed_; });
  }

 private:
  StatisticsGroup group_;
  Counter passed_;
};

class WatchedWarps final : public StackWarps {
 public:
  WatchedWarps(const GroupingShape& shape, ContextTable& table) : StackWarps(shape, table) {}
  std::string name() const override { return "test_site"; }
  void build(SmSite& site) override { turnstile_ = std::make_unique<Turnstile>("turnstile", site); }

 private:
  std::unique_ptr<Turnstile> turnstile_;
};
HEDDLE_REGISTER(GroupingUnit, WatchedWarps, "test_site", "counts packets in a module of its own", "tests");

class NeedyWarps final : public StackWarps {
 public:
  static GroupingTraits traits(const GroupingShape& shape) {
    GroupingTraits traits = StackWarps::traits(shape);
    traits.needs.add(Feature::load_holds_context);
    return traits;
  }
  NeedyWarps(const GroupingShape& shape, ContextTable& table) : StackWarps(checked(shape, 1), table, traits(shape)) {}
  std::string name() const override { return "test_needs"; }
};
HEDDLE_REGISTER(GroupingUnit, NeedyWarps, "test_needs", "needs a context that waits for its load", "tests");

// -- a veto that follows the memory side: after a load of many lines, only its context issues until the load is
// complete

struct Heard {
  unsigned widest = 0;  ///< transactions of one access
  std::map<CacheEvent::What, unsigned> cache;
  unsigned arrived = 0, opened = 0;
} heard;

class OneDivergentLoad final : public Veto {
 public:
  explicit OneDivergentLoad(const SchedulerShape& shape) : all_(ContextSet::first_n(shape.contexts)) {}
  void build(SmSite& site) override {
    loading_ = std::make_unique<Level<ContextId>>(site.gate.domain(), kNoContext);
    site.events.coalesced.add([this](const Packet& packet, std::size_t transactions) {
      heard.widest = std::max(heard.widest, static_cast<unsigned>(transactions));
      if (transactions > 1 && packet.op->opcode == isa::Opcode::ld) loading_->write(packet.context);
    });
    site.events.completed.add([this](const Packet& packet) {
      if (packet.context == loading_->read()) loading_->write(kNoContext);
    });
    site.events.l1d.add([](const CacheEvent& event) { ++heard.cache[event.what]; });
    site.events.barrier_arrived.add([](const Packet&) { ++heard.arrived; });
    site.events.barrier_opened.add([](std::uint16_t) { ++heard.opened; });
  }
  const ContextSet& held(const ContextTable&) override {
    held_.clear();
    if (loading_->read() != kNoContext) {
      held_ = all_;
      held_.reset(loading_->read());
    }
    return held_;
  }

 private:
  ContextSet all_, held_;
  std::unique_ptr<Level<ContextId>> loading_;
};
HEDDLE_REGISTER(Veto, OneDivergentLoad, "test_divergent", "a load of many lines goes alone", "tests");

class Tenants : public ChainTest {
 protected:
  void SetUp() override {
    ChainTest::SetUp();
    kinds = {};
  }
};

TEST_F(Tenants, TwoWarpsIssueAsAGangOnOneSlot) {
  sm().grouping.choose("paired_warps");
  run_chain(64);
  EXPECT_EQ(counted("issue.warp_instructions"), 2 * 15);
  EXPECT_GT(counted("issue.slots.pair"), 10) << "warps that run alike stay together";
  EXPECT_EQ(counted("issue.slots.issued") + 2 * counted("issue.slots.pair"), 2 * 15) << "a pair takes one slot";
}

TEST_F(Tenants, TheGuideShowsTheExampleWhole) {
  const auto text_of = [](const std::string& file) {
    std::ifstream in(std::string(HEDDLE_DOCS) + "/" + file);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  };
  const std::string example = text_of("examples/paired_warps.cpp");
  EXPECT_NE(example.find("HEDDLE_REGISTER"), std::string::npos);
  EXPECT_NE(text_of("guide-grouping.md").find("```cpp\n" + example + "```"), std::string::npos);
}

TEST_F(Tenants, ReplaysCopiesAndGhostsTakeTimeAndLeaveNothingBehind) {
  sm().grouping.choose("test_kinds");
  run_chain(64);
  EXPECT_EQ(kinds.issued[PacketKind::replay], 2u * 2) << "one a load: of the parameter, of the value";
  EXPECT_GT(kinds.issued[PacketKind::copy], 0u);
  EXPECT_GT(kinds.issued[PacketKind::ghost], 0u);
  EXPECT_EQ(kinds.issued[PacketKind::normal], 2u * 15);
  EXPECT_EQ(counted("issue.warp_instructions"), 2 * 15) << "an instruction is counted once";
  EXPECT_EQ(counted("memory.loads"), 2 * 2 * 2) << "each load was sent twice";
  EXPECT_EQ(counted("issue.blocks_finished"), 1);
}

TEST_F(Tenants, APacketWhoseResultIsKnownSkipsItsUnit) {
  sm().grouping.choose("test_values");
  const Cycle product = sm().latency[static_cast<std::size_t>(isa::TimingClass::int_mul)].latency;
  EXPECT_EQ(run_chain(32), kChainCycles - 4 * (product - 1)) << "the four products of the chain are there at once";
}

TEST_F(Tenants, AMechanismBuildsAModuleOnTheSm) {
  sm().grouping.choose("test_site");
  run_chain(64);
  EXPECT_EQ(counted("turnstile.passed"), counted("issue.packets"));
  const auto* const module = sc_core::sc_find_object("gpu.sm0.turnstile");
  EXPECT_NE(module, nullptr) << "it is a child of the SM";
}

TEST_F(Tenants, ANeedThatNobodyMeetsIsRefusedWithASentence) {
  sm().grouping.choose("test_needs");
  try {
    build();
    FAIL() << "a buffered pipeline has several instructions of a context in flight";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::configuration);
    EXPECT_NE(std::string(error.what()).find("sm.shape: test_needs needs contexts that wait for their loads"),
              std::string::npos)
        << error.what();
  }
}

TEST_F(Tenants, AVetoFollowsCoalescingTheDataCacheAndBarriers) {
  sm().vetoes.choose({"test_divergent"});
  memory::CacheParameters l1d;
  build_on(cached_side(memory_latency_, l1d, services_));
  std::vector<std::uint32_t> lines(65 * 32);
  run(kernel(".param .u64 po", R"(
  .reg .b32 %r<4>; .reg .b64 %rd<4>;
  mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [po]; mad.wide.u32 %rd2, %r1, 128, %rd1;
  ld.global.u32 %r2, [%rd2];
  add.u32 %r2, %r2, 1;
  bar.sync 0;
  ld.global.u32 %r3, [%rd2];
  st.global.u32 [%rd2], %r2;
  ret;
)"),
      {1}, {64}, {address(lines.data())});
  EXPECT_EQ(heard.widest, 32u);
  EXPECT_EQ(heard.cache[CacheEvent::What::miss], counted("l1d.read_misses"));
  EXPECT_EQ(heard.cache[CacheEvent::What::hit], counted("l1d.read_hits"));
  EXPECT_EQ(heard.cache[CacheEvent::What::write], counted("l1d.stores"));
  EXPECT_EQ(heard.arrived, 2u) << "warps";
  EXPECT_EQ(heard.opened, 1u);
  EXPECT_GT(counted("issue.slots.held"), 50) << "the other warp waits for the whole of the first load";
  for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(lines[32 * i], 1u);
}

}  // namespace
}  // namespace heddle::sm
