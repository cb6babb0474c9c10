// SPDX-License-Identifier: Apache-2.0
// The loop distance of every operation class on every preset: cycles from the issue of an instruction to the first
// issue of one that needs its result, measured on chains of dependent instructions of one warp and compared with the
// preset's value.
#include <fmt/format.h>

#include <cstdio>

#include "memory/cache/sm_caches.h"
#include "sm/sm.h"
#include "sm_fixture.h"

namespace heddle {
namespace {

struct Chain {
  isa::TimingClass timing;
  const char* instruction;  ///< its result is its own operand
};

using isa::TimingClass;
const Chain kChains[] = {
    {TimingClass::int_add, "add.s32 %r1, %r1, %r2;"},
    {TimingClass::int_max, "max.s32 %r1, %r1, %r2;"},
    {TimingClass::int_mul, "mul.lo.s32 %r1, %r1, %r2;"},
    {TimingClass::int_mad, "mad.lo.s32 %r1, %r1, %r2, %r2;"},
    {TimingClass::int_div, "div.u32 %r1, %r1, %r2;"},
    {TimingClass::shuffle, "shfl.sync.bfly.b32 %r1, %r1, 1, 31, -1;"},
    {TimingClass::prefix, "heddle.tree_traverse.sync.u32 %r1, %r1, %p1, 4, -1;"},
    {TimingClass::fp32_add, "add.f32 %f1, %f1, %f2;"},
    {TimingClass::fp32_max, "max.f32 %f1, %f1, %f2;"},
    {TimingClass::fp32_mul, "mul.f32 %f1, %f1, %f2;"},
    {TimingClass::fp32_mad, "fma.rn.f32 %f1, %f1, %f2, %f2;"},
    {TimingClass::fp32_div, "div.rn.f32 %f1, %f1, %f2;"},
    {TimingClass::fp64_add, "add.f64 %d1, %d1, %d2;"},
    {TimingClass::fp64_max, "max.f64 %d1, %d1, %d2;"},
    {TimingClass::fp64_mul, "mul.f64 %d1, %d1, %d2;"},
    {TimingClass::fp64_mad, "fma.rn.f64 %d1, %d1, %d2, %d2;"},
    {TimingClass::fp64_div, "div.rn.f64 %d1, %d1, %d2;"},
    {TimingClass::sfu, "ex2.approx.ftz.f32 %f1, %f1;"},
};

/// The first-level caches of the preset, on FlatMemory.
class CachesSide final : public gpu::MemorySide {
 public:
  CachesSide(ClockDomain& core, const gpu::SmClass& sms, Services& services, Cycle latency)
      : core_(core),
        class_(sms),
        services_(services),
        memory_("memory", core, 1, latency),
        instructions_("instructions") {
    instructions_.bind(store_);
  }
  void bind(sm::Sm& sm) override {
    caches_ = std::make_unique<memory::SmCaches>(core_, class_.caches, sm.statistics(), services_, 1);
    sm.data.bind(caches_->in(memory::SmCacheKind::l1d));
    sm.constant.bind(caches_->in(memory::SmCacheKind::constant));
    sm.texture.bind(caches_->in(memory::SmCacheKind::texture));
    caches_->out().bind(memory_.socket(0));
    sm.instructions.bind(instructions_);
  }
  bool idle() const override { return caches_->busy() == 0; }
  void end_of_kernel() override { caches_->invalidate(); }

 private:
  ClockDomain& core_;
  const gpu::SmClass& class_;
  Services& services_;
  FlatMemory memory_;
  PerfectInstructionStore store_;
  sc_core::sc_export<InstructionStore> instructions_;
  std::unique_ptr<memory::SmCaches> caches_;
};

class LoopDistance : public SmTest, public ::testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    parameters_ = parameters_of(GetParam());
    parameters_.sm_classes.resize(1);
    parameters_.sm_classes.front().count = 1;
    for (std::size_t i = 0; i < kPairs; ++i) {
      chain_[i * kStride] = address(&chain_[i * kStride]);
      chain_[i * kStride + 1] = address(&chain_[(i + 1) % kPairs * kStride]);
    }
  }
  void build_with_caches() {
    build_on([this](ClockTree&, ClockDomain& core, unsigned) {
      return std::make_unique<CachesSide>(core, parameters_.sm_classes.front(), services_, memory_latency_);
    });
  }
  /// Cycles of `length` times `instruction` by one warp of 32 threads.
  /// before: instructions in front of them.
  Cycle cycles_of(const std::string& instruction, unsigned length, const std::string& before) {
    std::string body = R"(
      .reg .b32 %r<4>; .reg .f32 %f<4>; .reg .f64 %d<4>; .reg .b64 %rd<2>; .reg .pred %p<2>;
      .shared .align 4 .b8 box[4];
      mov.u32 %r1, %tid.x; mov.u32 %r2, 3; mov.u32 %r3, 0; mov.f32 %f1, 0f3F000000; mov.f32 %f2, 0f3F800001;
      mov.f64 %d1, 0d3FE0000000000000; mov.f64 %d2, 0d3FF0000000000001;
      setp.gt.u32 %p1, %r1, 4000;
    )";
    if (instruction.find("ld.shared") != std::string::npos)
      body += "mov.u32 %r1, box; st.shared.u32 [%r1], %r1; bar.sync 0;\n";
    body += "ld.param.u64 %rd1, [po];" + before + "\n";
    for (unsigned i = 0; i < length; ++i) {
      std::string text = instruction;
      if (const std::size_t place = text.find('#'); place != std::string::npos)
        text.replace(place, 1, fmt::format("L{}", i));
      if (const std::size_t place = text.find('#'); place != std::string::npos)
        text.replace(place, 1, fmt::format("L{}", i));
      body += text + "\n";
    }
    // What the chain computes is used, so that nothing drops it.
    body += R"(
      ld.param.u64 %rd1, [po]; st.global.u32 [%rd1+32], %r1; st.global.f32 [%rd1+36], %f1; st.global.f64 [%rd1+40], %d1;
      ret;
    )";
    return run(kernel(".param .u64 po", body), {1}, {32}, {address(chain_.data())});
  }
  /// Cycles by which one more instruction lengthens the chain.
  Cycle measured(const std::string& instruction, const std::string& before = "") {
    const Cycle shorter = cycles_of(instruction, 32, before), longer = cycles_of(instruction, 96, before);
    EXPECT_EQ((longer - shorter) % 64, 0u) << instruction;
    return (longer - shorter) / 64;
  }
  /// Of two schedulers in cascade, the second one issues every instruction of a lone warp: the first stage is not
  /// passed.
  bool cascaded() const {
    const std::string& grouping = parameters_.sm_classes.front().sm.grouping.name();
    return grouping == "warp_interweaving" || grouping == "branch_and_warp_interweaving";
  }
  /// The warps of a gang meet in the cycle in which they arrive.
  bool in_gangs() const { return std::string(GetParam()) == "vws-i"; }
  /// Cycles that narrow warps which wait for each other take longer because they issue one after the other.
  Cycle turns() const {
    const sm::SmParameters& p = parameters_.sm_classes.front().sm;
    return p.warp_size < isa::kWordThreads && p.schedulers == 1 ? isa::kWordThreads / p.warp_size - 1 : 0;
  }
  /// What a load takes longer where sub-warps wait for their partners.
  Cycle with_partners() const {
    constexpr Cycle kBarrierOfPartners = 24;
    const bool partners = parameters_.sm_classes.front().sm.grouping.name() == "dynamic_warp_resizing";
    return partners ? kBarrierOfPartners + turns() : 0;
  }
  /// The addition for a full warp in a unit narrower or slower than the widest, and the shape's minimum.
  Cycle expected(Cycle stated, unsigned lanes, unsigned interval) const {
    const sm::SmParameters& p = parameters_.sm_classes.front().sm;
    // Sub-warps take one wave; a slice has its share of a unit's lanes; other groupings pass a whole warp.
    const unsigned threads = p.grouping.name() == "large_warps"      ? 32
                             : p.grouping.name() == "variable_warps" ? p.simd_width
                                                                     : p.warp_size;
    const unsigned waves = std::max(1u, threads / std::min(lanes, p.simd_width));
    const unsigned whole = std::max(1u, threads / p.simd_width);  // waves of the widest unit
    // A unit that takes the next wave later than its result is there is a limit of its own.
    const Cycle behind = Cycle{waves - 1} * interval - std::min<Cycle>(Cycle{waves - 1} * interval, whole - 1);
    const Cycle distance = std::max<Cycle>(stated + behind, Cycle{waves} * interval);
    return p.shape == sm::PipelineShape::barrel ? std::max<Cycle>(distance, p.pipeline_depth) : distance;
  }
  unsigned lanes_of(TimingClass timing) const {
    const sm::SmParameters& p = parameters_.sm_classes.front().sm;
    const auto kind = [&](const sm::UnitParameters& unit) {
      if (unit.count != 0) return unit.lanes;
      return unit.instead == "sfu" ? p.sfu.lanes : unit.instead == "fp64" ? p.fp64.lanes : p.alu.lanes;
    };
    switch (timing) {
      case TimingClass::sfu:
      case TimingClass::fp32_div:
      case TimingClass::int_div:
        return unit_of(timing) == isa::Unit::sfu ? kind(p.sfu) : kind(p.alu);
      case TimingClass::fp64_add:
      case TimingClass::fp64_max:
      case TimingClass::fp64_mul:
      case TimingClass::fp64_mad:
      case TimingClass::fp64_div:
        return kind(p.fp64);
      default:
        return kind(p.alu);
    }
  }
  /// The unit of the last kernel's chain.
  isa::Unit unit_of(TimingClass timing) const {
    for (const isa::MicroOp& op : kernels_.back()->ops) {
      if (op.timing_class == timing) return op.unit;
    }
    return isa::Unit::alu;
  }

  /// Pairs of a pointer to itself and one to the next pair, in another line. Kernels write after the first.
  static constexpr std::size_t kPairs = 128, kStride = 33 * 16;
  std::vector<std::uint64_t> chain_ = std::vector<std::uint64_t>(kPairs * kStride);
};

TEST_P(LoopDistance, IsWhatThePresetStates) {
  build();
  const sm::SmParameters& p = parameters_.sm_classes.front().sm;
  for (const Chain& chain : kChains) {
    const auto& timing = p.latency[static_cast<std::size_t>(chain.timing)];
    const Cycle found = measured(chain.instruction);
    Cycle wanted = expected(timing.latency, lanes_of(chain.timing), timing.interval);
    // Warps narrower than the ISA's meet first: all but the last to arrive issue one cycle after it.
    const bool meets = chain.timing == TimingClass::shuffle || chain.timing == TimingClass::prefix;
    if (meets && p.warp_size < isa::kWordThreads && !in_gangs()) wanted += 1 + turns();
    if (cascaded()) --wanted;
    fmt::print("| {} | {} | {} | {} | {} |\n", GetParam(), isa::name_of(chain.timing), timing.latency, wanted, found);
    EXPECT_EQ(found, wanted) << chain.instruction;
  }
}

TEST_P(LoopDistance, OfSharedMemoryIsWhatThePresetStates) {
  build();
  const sm::SmParameters& p = parameters_.sm_classes.front().sm;
  const Cycle found = measured("ld.shared.u32 %r1, [%r1];");
  // Where conflicts are counted by half-warps, a warp passes the banks twice.
  const Cycle wanted = p.shared.latency + (p.shared.half_warps && p.warp_size > isa::kWordThreads / 2 ? 1 : 0);
  fmt::print("| {} | shared memory | {} | {} | {} |\n", GetParam(), p.shared.latency, wanted, found);
  EXPECT_EQ(found, wanted);
}

// The count of a conditional accumulate: a shared store's way, and what the prefix-sum network adds to it.
TEST_P(LoopDistance, OfAConditionalAccumulateIsWhatThePresetStates) {
  build();
  const sm::SmParameters& p = parameters_.sm_classes.front().sm;
  const Cycle found = measured("heddle.cond_acc.sync.shared.b32 %r1, [out], %p1, %r1, -1;",
                               ".shared .align 128 .b8 out[128]; setp.le.u32 %p1, %r1, 4000;");
  const Cycle wanted = p.shared.latency + p.prefix_delay() + (p.shared.half_warps ? 1 : 0);
  fmt::print("| {} | conditional accumulate | {} | {} | {} |\n", GetParam(), p.shared.latency, wanted, found);
  // Narrow warps meet first, and their packets follow each other through the banks and back.
  const Cycle packets = std::max(1u, isa::kWordThreads / p.warp_size);
  EXPECT_GE(found, wanted);
  EXPECT_LT(found, wanted + packets);
}

// From the cycle in which a buffered context may fetch: request, line, decoded instructions take a cycle each.
constexpr Cycle kFrontEnd = 3;

TEST_P(LoopDistance, FromABranchToItsTargetIsWhatThePresetStates) {
  build();
  const sm::SmParameters& p = parameters_.sm_classes.front().sm;
  // The target is behind instructions, so that no buffer holds it.
  std::string passed;
  for (unsigned i = 0; i < 40; ++i) passed += "add.s32 %r2, %r2, 1; ";
  const Cycle found = measured("@!%p1 bra #; " + passed + "#:");
  const bool barrel = p.shape == sm::PipelineShape::barrel;
  const Cycle stated = barrel ? p.pipeline_depth : p.branch_latency, wanted = barrel ? stated : stated + kFrontEnd;
  fmt::print("| {} | branch to target | {} | {} | {} |\n", GetParam(), stated, wanted, found);
  EXPECT_EQ(found, wanted);
}

TEST_P(LoopDistance, OfABarrierIsWhatThePresetStates) {
  build();
  const sm::SmParameters& p = parameters_.sm_classes.front().sm;
  // A barrier needs the result before it, so that fetching has the time it takes. What follows is fetched with the
  // barrier or ahead, in one of two places; where a buffer holds one instruction, in neither.
  const std::string both = "and.b32 %r3, %r3, 1; bar.sync %r3;";
  const Cycle chain = measured("and.b32 %r3, %r3, 1;");
  const Cycle found = std::min(measured(both), measured(both, "mov.u32 %r2, 5;")) - chain;
  // Of a gang, too, one instruction is fetched at a time.
  const bool buffers = (p.fetch.buffer_depth > 1 && !in_gangs()) || p.shape == sm::PipelineShape::barrel;
  const Cycle wanted = (buffers ? p.barrier_latency : std::max<Cycle>(p.barrier_latency, kFrontEnd)) + turns();
  fmt::print("| {} | barrier | {} | {} | {} |\n", GetParam(), p.barrier_latency, wanted, found);
  EXPECT_EQ(found, wanted);
}

// Issue, operands and memory stage on the way there, write-back and issue on the way back, and the cycle in which what
// arrives is worked on: of a load that the caches answer at once.
constexpr Cycle kSmWay = 5;

TEST_P(LoopDistance, OfAFirstLevelHitIsWhatThePresetStates) {
  build_with_caches();
  const memory::SmCacheParameters& data = parameters_.sm_classes.front().caches.l1d;
  const sm::SmParameters& p = parameters_.sm_classes.front().sm;
  const Cycle found = measured("ld.global.u64 %rd1, [%rd1];");
  const Cycle stated = data.present ? data.cache.lookup_latency + data.cache.data_latency : 1 + memory_latency_ + 1;
  // A barrel keeps the warp until its instruction has passed all stages.
  const Cycle wanted = std::max<Cycle>(stated + kSmWay + p.operands.latency,
                                       p.shape == sm::PipelineShape::barrel ? p.pipeline_depth : 0) +
                       with_partners();
  fmt::print("| {} | {} | {} | {} | {} |\n", GetParam(), data.present ? "first-level hit" : "no cache", stated, wanted,
             found);
  EXPECT_EQ(found, wanted);
}

TEST_P(LoopDistance, OfAFirstLevelMissIsWhatThePresetStates) {
  build_with_caches();
  const memory::SmCacheParameters& data = parameters_.sm_classes.front().caches.l1d;
  const Cycle found = measured("ld.global.u64 %rd1, [%rd1+8];");
  const memory::CacheParameters& c = data.cache;
  const Cycle caches = data.present ? c.lookup_latency + c.miss_latency + c.fill_latency : 0;
  // The multiplexer takes a cycle each way.
  const Cycle stated = caches + 1 + memory_latency_ + 1;
  // Two packets a cycle pass write-back.
  const Cycle back = with_partners() != 0 ? turns() / 2 : 0;
  const Cycle wanted = stated + kSmWay + parameters_.sm_classes.front().sm.operands.latency + with_partners() + back;
  fmt::print("| {} | first-level miss | {} | {} | {} |\n", GetParam(), stated, wanted, found);
  EXPECT_EQ(found, wanted);
}

INSTANTIATE_TEST_SUITE_P(Presets, LoopDistance,
                         ::testing::Values("gtx480", "quadro-fx5800", "gtx285", "tesla-16x8", "large-warp-core",
                                           "interweaving-sm", "interweaving-baseline", "interweaving-frontiers",
                                           "interweaving-warps", "interweaving-both", "vws-ws32", "vws-ws4", "vws-i",
                                           "dwr-64", "ccws", "small", "barrel-core", "database-core"),
                         [](const auto& preset) {
                           std::string name = preset.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace heddle
