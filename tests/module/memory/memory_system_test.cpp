// SPDX-License-Identifier: Apache-2.0
#include "memory/memory_system.h"

#include "tests/module/memory/bench.h"
#include "tests/module/memory/sm_place.h"

namespace heddle::memory {
namespace {

struct Variant {
  bool reversed = false;       ///< modules constructed in the other order
  std::uint64_t permuted = 0;  ///< seed of the order of calls
  bool gated = true;           ///< modules called only when due
  std::uint64_t speed = 1;     ///< every clock this many times as fast
  bool checked = false;        ///< a protocol checker on every SM's connection
  bool one_clock = false;      ///< everything in the clock of the SMs
  unsigned threads = 0;        ///< that share the SMs, slices and controllers, as parts; 0: no parts
};

/// The memory side of a small GTX 480: four SMs with data and texture caches, the crossbar, L2 and DRAM in clocks of
/// their own.
class Machine final : public sc_core::sc_module {
 public:
  Machine(sc_core::sc_module_name name, const MemorySystemParameters& parameters, const Variant& variant,
          unsigned sms = 4)
      : sc_module(name),
        core_("core", tree_, 700000 * variant.speed),
        crossbar_("icnt", tree_, 650000 * variant.speed),
        l2_("l2", tree_, 700000 * variant.speed),
        dram_("dram", tree_, 924000 * variant.speed) {
    sms_.resize(sms);
    shooters_.resize(sms);
    readers_.resize(sms);
    for (unsigned i = 0; i < sms; ++i) {
      owners_.push_back(std::make_unique<StatisticsOwner>(services_.statistics, "sm" + std::to_string(i), "sm"));
    }
    if (variant.threads != 0) {
      for (unsigned i = 0; i < sms; ++i)
        parts_.push_back(std::make_unique<ClockDomain>(("part" + std::to_string(i)).c_str(), core_));
    }
    if (!variant.reversed) build_sms(sms, variant);
    const auto clock = [&](ClockDomain& own) -> ClockDomain& { return variant.one_clock ? core_ : own; };
    memory_ = std::make_unique<MemorySystem>(
        "memory", MemoryClocks{clock(crossbar_), clock(l2_), clock(dram_), variant.threads != 0}, parameters, sms,
        services_);
    if (variant.reversed) build_sms(sms, variant);
    for (unsigned i = 0; i < sms; ++i) {
      if (variant.checked) {
        checked_.connect(shooters_[i]->out(), caches(i).in(SmCacheKind::l1d));
        checked_.connect(readers_[i]->out(), caches(i).in(SmCacheKind::texture));
        checked_.connect(caches(i).out(), memory_->in(i));
      } else {
        shooters_[i]->out().bind(caches(i).in(SmCacheKind::l1d));
        readers_[i]->out().bind(caches(i).in(SmCacheKind::texture));
        caches(i).out().bind(memory_->in(i));
      }
    }
    for (ClockDomain* domain : {&core_, &crossbar_, &l2_, &dram_}) {
      domain->permute_calls(variant.permuted);
      domain->set_gating(variant.gated);
    }
    tree_.use_threads(variant.threads);
  }

  Shooter& shooter(unsigned i) { return *shooters_[i]; }
  MemorySystem& memory() { return *memory_; }
  SmCaches& caches(unsigned i) { return sms_[i]->caches; }
  ClockDomain& core() { return core_; }
  Statistics& statistics() { return services_.statistics; }
  Structures& structures() { return services_.structures; }
  void expect_silence() { checked_.expect_silence(); }

  /// textures: texture reads in addition, so that an SM's caches compete.
  void random_load(unsigned requests, unsigned textures = 0) {
    std::uint64_t state = 4711;
    const auto draw = [&state](unsigned below) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      return static_cast<unsigned>((state >> 33) % below);
    };
    for (unsigned i = 0; i < requests; ++i) {
      const unsigned kind = draw(16);
      Shot shot;
      shot.at = 10 + i / 4 + draw(4);
      shot.kind = kind < 10   ? AccessKind::load
                  : kind < 14 ? AccessKind::store
                  : kind < 15 ? AccessKind::atomic
                              : AccessKind::reduction;
      shot.address = 0x100000 + 128 * draw(kind % 2 == 0 ? 64 : 65536);
      shot.warp = draw(48);
      shot.local = kind == 13;
      shot.bytes = kind == 12 ? 32 : 128;
      shooters_[i % shooters_.size()]->shoot(shot);
    }
    for (unsigned i = 0; i < textures; ++i) {
      Shot shot;
      shot.at = 10 + i / 4 + draw(4);
      shot.kind = AccessKind::texture;
      shot.address = 0x100000 + 128 * draw(65536);
      readers_[i % readers_.size()]->shoot(shot);
    }
  }

  /// Everything observable of a run.
  std::vector<std::uint64_t> seen() {
    std::vector<std::uint64_t> values;
    for (const auto* shooters : {&shooters_, &readers_}) {
      for (auto& shooter : *shooters) {
        for (std::size_t i = 0; i < shooter->answers(); ++i) {
          values.push_back(shooter->sent(i));
          values.push_back(shooter->replied(i));
        }
      }
    }
    for (const StatisticsOwner* owner : services_.statistics.owners()) {
      values.insert(values.end(), owner->data(), owner->data() + owner->size());
    }
    return values;
  }

  bool all_answered() {
    bool all = memory_->idle();
    for (const auto* shooters : {&shooters_, &readers_}) {
      for (auto& shooter : *shooters) all = all && shooter->all_answered() && shooter->pool().outstanding() == 0;
    }
    return all;
  }

 private:
  void build_sms(unsigned sms, const Variant& variant) {
    SmCachesParameters parameters;
    for (unsigned k = 0; k < sms; ++k) {
      const unsigned i = variant.reversed ? sms - 1 - k : k;
      const std::string number = std::to_string(i);
      ClockDomain& clock = parts_.empty() ? core_ : *parts_[i];
      const auto build_caches = [&] {
        sms_[i] = std::make_unique<SmPlace>(("sm" + number).c_str(), clock, parameters, *owners_[i], services_, 1);
      };
      if (!variant.reversed) build_caches();
      shooters_[i] = std::make_unique<Shooter>(("shooter" + number).c_str(), clock, i);
      readers_[i] = std::make_unique<Shooter>(("reader" + number).c_str(), clock, i);
      if (variant.reversed) build_caches();
    }
  }

  ClockTree tree_;
  ClockDomain core_, crossbar_, l2_, dram_;
  std::vector<std::unique_ptr<ClockDomain>> parts_;  ///< of core_, by SM
  Services services_;
  std::vector<std::unique_ptr<StatisticsOwner>> owners_;
  std::vector<std::unique_ptr<SmPlace>> sms_;
  std::vector<std::unique_ptr<Shooter>> shooters_, readers_;  ///< of data and of textures, one an SM
  std::unique_ptr<MemorySystem> memory_;
  Checked checked_;
};

void run(Machine& machine, Cycle cycles) { sc_core::sc_start(machine.core().time_of(cycles)); }

double value(Machine& machine, const std::string& pattern) { return machine.statistics().total().value(pattern); }

TEST(MemorySystem, EveryLevelAnswersWhatItIsAskedAndNothingElse) {
  Machine machine("machine", {}, {.checked = true});
  machine.random_load(4000);
  run(machine, 60000);
  ASSERT_TRUE(machine.all_answered());
  machine.expect_silence();
  machine.statistics().check_classes();
  for (const char* level : {"sm*.l1d", "l2_*.cache", "mc*.controller"}) {
    const std::string l = level;
    EXPECT_GT(value(machine, l + ".requests"), 0) << level;
    EXPECT_EQ(value(machine, l + ".requests"), value(machine, l + ".replies")) << level;
  }
  EXPECT_EQ(value(machine, "sm*.l1d.requests"), 4000);
  EXPECT_EQ(value(machine, "sm*.l1d.requests_below"), value(machine, "crossbar.network.request.packets"));
  EXPECT_EQ(value(machine, "crossbar.network.request.packets"), value(machine, "l2_*.cache.requests"));
  EXPECT_EQ(value(machine, "l2_*.cache.requests_below"), value(machine, "mc*.controller.requests"));
  EXPECT_EQ(value(machine, "mc*.controller.requests"), value(machine, "mc*.controller.channel.row_hits") +
                                                           value(machine, "mc*.controller.channel.row_closed") +
                                                           value(machine, "mc*.controller.channel.row_conflicts"));
  EXPECT_EQ(value(machine, "mc*.controller.bank*.reads"), value(machine, "mc*.controller.channel.reads"));
}

/// Channels of a system whose crossbar and caches are wide enough.
class Channels : public ::testing::TestWithParam<unsigned> {};

TEST_P(Channels, MoveTheirBytesSideBySide) {
  MemorySystemParameters parameters;
  parameters.map.controllers = GetParam();
  parameters.map.slices = 1;
  parameters.map.slice_bits = {};
  parameters.map.pattern = "row_bank_column";
  parameters.controller.dram.geometry = {1, 1, 8, 4096, 64};
  parameters.controller.dram.standard.choose("gddr3");
  parameters.has_l2 = false;
  for (auto* network : {&parameters.crossbar.request, &parameters.crossbar.reply}) network->flit_bytes = 256;
  constexpr unsigned kSms = 8, kLines = 8000;
  Machine machine("machine", parameters, {}, kSms);
  for (unsigned i = 0; i < kLines; ++i) machine.shooter(i % kSms).load(10, 0x100000 + 128 * i);
  run(machine, 60000);
  ASSERT_TRUE(machine.all_answered());
  Cycle last = 0;
  for (unsigned sm = 0; sm < kSms; ++sm) {
    for (std::size_t i = 0; i < machine.shooter(sm).answers(); ++i)
      last = std::max(last, machine.shooter(sm).replied(i));
  }
  // Two bursts a line, tCCD = 2 apart, in cycles of the 924 MHz command clock; the core's has 700.
  const double peak = 2.0 * 2 * kLines / GetParam() * 700 / 924;
  EXPECT_GE(static_cast<double>(last), peak);
  EXPECT_LE(static_cast<double>(last), 1.08 * peak + 200) << "the fill of the pipe, and rows that are opened";
}

INSTANTIATE_TEST_SUITE_P(One, Channels, ::testing::Values(1u, 2u, 4u));

TEST(MemorySystem, AnUnloadedMissIsTheSumOfItsParts) {
  MemorySystemParameters parameters;
  Machine machine("machine", parameters, {}, 1);
  machine.shooter(0).load(100, 0x100000);
  machine.shooter(0).load(2000,
                          0x100000 + 6 * 256 * 64);  // another line of the same slice: L2 miss, row conflict or hit
  run(machine, 4000);
  // L1 look-up 34, multiplexer 1, crossbar 1 + 1 (650 MHz), L2 look-up 120 and miss path 100, controller 1,
  // ACT 12, RD 3, CL 12, burst 2 (924 MHz), L2 fill 1, crossbar 1 + 3 + 1, multiplexer 1, L1 fill 1.
  const double core = 34 + 1 + (1 + 1) * 700.0 / 650 + 220 + (1 + 12 + 3 + 12 + 2) * 700.0 / 924 + 1 +
                      (1 + 3 + 1) * 700.0 / 650 + 1 + 1;
  // Each of the four crossings between clocks may wait for an edge.
  EXPECT_GE(machine.shooter(0).latency(0), core - 4);
  EXPECT_LE(machine.shooter(0).latency(0), core + 6);
}

TEST(MemorySystem, ReadsStreamNearThePeakOfTheChannels) {
  MemorySystemParameters parameters;
  Machine machine("machine", parameters, {}, 8);
  const unsigned lines = 24000;
  for (unsigned i = 0; i < lines; ++i) machine.shooter(i % 8).load(10, 0x1000000 + 128 * std::uint64_t{i});
  run(machine, 60000);
  ASSERT_TRUE(machine.all_answered());
  Cycle last = 0;
  for (unsigned s = 0; s < 8; ++s) last = std::max(last, machine.shooter(s).replied(lines / 8 - 1));
  // Six channels of 64 bytes every 2 command cycles at 924 MHz against 700 MHz core: 253 bytes a core cycle. Eight SMs
  // take a reply of 4 flits each 4 cycles of 650 MHz: 238 bytes.
  const double bytes_per_cycle = 128.0 * lines / static_cast<double>(last);
  EXPECT_LE(bytes_per_cycle, 239);
  EXPECT_GE(bytes_per_cycle, 0.80 * 238);
}

TEST(MemorySystem, APreloadedRegionHitsInTheL2) {
  Machine machine("machine", {}, {}, 1);
  machine.memory().preload(0x200000, 4096);
  for (unsigned i = 0; i < 32; ++i) machine.shooter(0).load(10, 0x200000 + 128 * i);
  run(machine, 3000);
  ASSERT_TRUE(machine.all_answered());
  EXPECT_EQ(value(machine, "l2_*.cache.read_hits"), 32);
  EXPECT_EQ(value(machine, "mc*.controller.requests"), 0);
}

TEST(MemorySystem, StructuresAreDeclaredWithTheirBits) {
  Machine machine("machine", {}, {}, 1);
  // 64 sets x 8 ways of a slice: tag of 40 - 7 - 6 bits, valid, dirty, reserved.
  bool found = false;
  for (const Structure* structure : machine.structures().all()) {
    if (structure->name() != "l2_0.cache.tags") continue;
    found = true;
    EXPECT_EQ(structure->entries(), 512u);
    EXPECT_EQ(structure->bits_per_entry(), 27 + 3u);
  }
  EXPECT_TRUE(found);
}

/// Small queues, so that everything stalls somewhere.
MemorySystemParameters narrow() {
  MemorySystemParameters parameters;
  parameters.l2.miss_table.entries = 8;
  parameters.l2.miss_queue = 1;
  parameters.l2.miss_latency = 0;
  parameters.controller.dram.queue_entries = 6;
  parameters.crossbar.request.input_buffer = 2;
  parameters.crossbar.reply.output_buffer = 2;
  return parameters;
}

/// Several machines in one simulation: the same load gives the same result, whatever the irrelevant differences.
TEST(Order, ConstructionCallsGatingAndClockSpeedChangeNothing) {
  const MemorySystemParameters parameters = narrow();
  Machine reference("reference", parameters, {});
  Machine reversed("reversed", parameters, {.reversed = true});
  Machine permuted("permuted", parameters, {.permuted = 42});
  Machine permuted_too("permuted_too", parameters, {.reversed = true, .permuted = 7});
  Machine ungated("ungated", parameters, {.gated = false});
  Machine faster("faster", parameters, {.speed = 2});
  for (Machine* machine : {&reference, &reversed, &permuted, &permuted_too, &ungated, &faster}) {
    machine->random_load(6000, 3000);
  }
  run(reference, 120000);
  ASSERT_TRUE(reference.all_answered());
  const auto expected = reference.seen();
  EXPECT_GT(expected.size(), 18000u);
  EXPECT_EQ(reversed.seen(), expected);
  EXPECT_EQ(permuted.seen(), expected);
  EXPECT_EQ(permuted_too.seen(), expected);
  EXPECT_EQ(ungated.seen(), expected);
  EXPECT_EQ(faster.seen(), expected);
  for (const char* stall : {"l2_*.cache.stall_miss_table", "l2_*.cache.stall_miss_queue", "sm*.l1d.stall_miss_queue"}) {
    EXPECT_GT(value(reference, stall), 0) << stall << ": the load does not test what it should";
  }
}

class Threads : public ::testing::TestWithParam<bool> {};

TEST_P(Threads, ThatShareThePartsOfTheMemorySideChangeNothing) {
  const MemorySystemParameters parameters = narrow();
  const bool one_clock = GetParam();
  Machine reference("reference", parameters, {.one_clock = one_clock});
  Machine one("one", parameters, {.checked = true, .one_clock = one_clock, .threads = 1});
  Machine two("two", parameters, {.one_clock = one_clock, .threads = 2});
  Machine checked("checked", parameters, {.checked = true, .one_clock = one_clock, .threads = 2});
  Machine many("many", parameters, {.permuted = 42, .one_clock = one_clock, .threads = 5});
  for (Machine* machine : {&reference, &one, &two, &checked, &many}) machine->random_load(6000, 3000);
  run(reference, 120000);
  ASSERT_TRUE(reference.all_answered());
  const auto expected = reference.seen();
  EXPECT_EQ(one.seen(), expected);
  EXPECT_EQ(two.seen(), expected);
  EXPECT_EQ(checked.seen(), expected);
  EXPECT_EQ(many.seen(), expected);
  checked.expect_silence();
}

INSTANTIATE_TEST_SUITE_P(InOneClock, Threads, ::testing::Bool());

TEST(MemorySystem, AMachineWithoutL2OrCrossbarIsAControllerOrASimpleMemory) {
  MemorySystemParameters simple;
  simple.has_crossbar = simple.has_l2 = false;
  simple.map = {};
  simple.controller.dram.geometry = {};
  simple.main_memory.choose("constant_latency");
  Machine one("one", simple, {}, 1);
  MemorySystemParameters flat;
  flat.has_l2 = false;
  flat.map.slices = 1;
  flat.map.slice_bits = {};
  Machine two("two", flat, {}, 2);
  for (Machine* machine : {&one, &two}) machine->random_load(200);
  run(one, 20000);
  EXPECT_TRUE(one.all_answered());
  EXPECT_TRUE(two.all_answered());
  EXPECT_EQ(value(one, "sm*.l1d.requests_below"), value(one, "mc0.controller.requests"));
  EXPECT_EQ(value(two, "sm*.l1d.requests_below"), value(two, "mc*.controller.requests"));
}

}  // namespace
}  // namespace heddle::memory
