// SPDX-License-Identifier: Apache-2.0
// Machines whose packer, prefix sum, ganging or locality blocks are RTL or in lockstep behave identically; a broken
// block is detected at its first difference, with cycle, inputs, both outputs and a waveform.
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "BrokenPcCoalescer8.h"
#include "BrokenPrefixSum32.h"
#include "BrokenScoreCutoff64.h"
#include "BrokenSubwarpPack8x32.h"
#include "BrokenVictimLookup8.h"
#include "cached_side.h"
#include "core/error.h"
#include "core/statistics/sampling.h"
#include "core/trace/vcd.h"
#include "gpu/gpu.h"
#include "rtl/blocks.h"
#include "rtl/pc_coalescer_rtl.h"
#include "rtl/prefix_sum_rtl.h"
#include "rtl/score_cutoff_rtl.h"
#include "rtl/subwarp_packer_rtl.h"
#include "rtl/victim_lookup_rtl.h"
#include "sm/sm.h"
#include "sm_fixture.h"

namespace heddle {
namespace {

using sm::BlockSite;
using sm::PackerShape;
using sm::PcCoalescer;
using sm::PcCoalescerShape;
using sm::PrefixSumUnit;
using sm::ScoreCutoff;
using sm::ScoreCutoffShape;
using sm::SubwarpPacker;
using sm::VictimLookup;
using sm::VictimSetShape;

/// Lockstep with a broken block.
class WithBrokenPacker final : public rtl::SubwarpPackerLockstep {
 public:
  WithBrokenPacker(const PackerShape& shape, const BlockSite& site)
      : SubwarpPackerLockstep(shape, site, make(Mechanism<SubwarpPacker>("model"), shape, site),
                              std::make_unique<rtl::SubwarpPackerRtl<BrokenSubwarpPack8x32, 8, 32>>(site)) {}
};
HEDDLE_REGISTER(SubwarpPacker, WithBrokenPacker, "broken", "the highest row of a column", "this test");

class WithBrokenPrefixSum final : public rtl::PrefixSumLockstep {
 public:
  WithBrokenPrefixSum(unsigned lanes, const BlockSite& site)
      : PrefixSumLockstep(lanes, site, make(Mechanism<PrefixSumUnit>("model"), lanes, site),
                          std::make_unique<rtl::PrefixSumRtl<BrokenPrefixSum32, 32>>(site)) {}
};
HEDDLE_REGISTER(PrefixSumUnit, WithBrokenPrefixSum, "broken", "an adder that adds nothing", "this test");

class WithBrokenCoalescer final : public rtl::PcCoalescerLockstep {
 public:
  WithBrokenCoalescer(const PcCoalescerShape& shape, const BlockSite& site)
      : PcCoalescerLockstep(shape, site, make(Mechanism<PcCoalescer>("model"), shape, site),
                            std::make_unique<rtl::PcCoalescerRtl<BrokenPcCoalescer8, 8>>(site)) {}
};
HEDDLE_REGISTER(PcCoalescer, WithBrokenCoalescer, "broken", "slices 2 and 5 are never at one PC", "this test");

class WithBrokenVictims final : public rtl::VictimLookupLockstep {
 public:
  WithBrokenVictims(const VictimSetShape& shape, const BlockSite& site)
      : VictimLookupLockstep(shape, site, make(Mechanism<VictimLookup>("model"), shape, site),
                             std::make_unique<rtl::VictimLookupRtl<BrokenVictimLookup8, 8, false>>(site)) {}
};
HEDDLE_REGISTER(VictimLookup, WithBrokenVictims, "broken", "a full set always replaces way 0", "this test");

class WithBrokenCutoff final : public rtl::ScoreCutoffLockstep {
 public:
  WithBrokenCutoff(const ScoreCutoffShape& shape, const BlockSite& site)
      : ScoreCutoffLockstep(shape, site, make(Mechanism<ScoreCutoff>("model"), shape, site),
                            std::make_unique<rtl::ScoreCutoffRtl<BrokenScoreCutoff64, 64>>(shape.rule, site)) {}
};
HEDDLE_REGISTER(ScoreCutoff, WithBrokenCutoff, "broken", "at one score the highest warp is first", "this test");

class Lockstep : public SmTest {
 protected:
  void SetUp() override {
    SmTest::SetUp();
    folder_ = std::filesystem::temp_directory_path() / ("heddle_lockstep_" + std::to_string(getpid()));
    services_.results_folder = folder_ / "results";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void use(const std::string& machine_name, const std::vector<std::string>& settings,
           const gpu::BuildOptions& options = {}) {
    parameters_ = parameters_of(machine_name, settings);
    parameters_.sm_classes.front().count = 1;
    build(options);
  }
  /// 256 threads diverge by thread number, compute, and store.
  Cycle diverge() {
    const Cycle cycles = run(kernel(".param .u64 p", R"(
      .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<4>;
      ld.param.u64 %rd1, [p];
      mov.u32 %r1, %tid.x;
      mul.lo.u32 %r3, %r1, 2654435761; shr.u32 %r3, %r3, 28;
      setp.lt.u32 %p1, %r3, 5;
      mov.u32 %r4, 7;
      @%p1 bra LOW;
      add.u32 %r4, %r4, %r1; add.u32 %r4, %r4, 3; mul.lo.u32 %r4, %r4, %r4;
      bra JOIN;
LOW:
      sub.u32 %r4, %r1, %r4;
      setp.eq.u32 %p2, %r3, 2;
      @%p2 add.u32 %r4, %r4, 1;
JOIN:
      mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;
      st.global.u32 [%rd3], %r4;
      ret;)"),
                             {1}, {256}, {address(out_.data())});
    for (std::uint32_t i = 0; i < 256; ++i) {
      const std::uint32_t hash = i * 2654435761u >> 28;
      EXPECT_EQ(out_[i], hash < 5 ? i - 7 + (hash == 2 ? 1 : 0) : (i + 10) * (i + 10));
    }
    return cycles;
  }
  /// 256 threads part: those below `bound` of each 32 subtract, the others add. Then all of them meet at a barrier,
  /// behind which their gangs are ready at once, add and store.
  Cycle part(unsigned bound) {
    std::string adds, subtracts;
    for (unsigned i = 0; i < 24; ++i) {
      adds += "add.u32 %r4, %r4, %r1; ";
      subtracts += "sub.u32 %r4, %r4, %r1; ";
    }
    const std::string body = R"(
      .reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<4>;
      ld.param.u64 %rd1, [p];
      mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;
      and.b32 %r3, %r1, 31; mov.u32 %r4, 0;
      setp.lt.u32 %p1, %r3, )" +
                             std::to_string(bound) + "; @%p1 bra LOW; " + adds + "bra JOIN; LOW: " + subtracts +
                             "bra JOIN; JOIN: bar.sync 0; " + adds + "st.global.u32 [%rd3], %r4; ret;";
    const Cycle cycles = run(kernel(".param .u64 p", body), {1}, {256}, {address(out_.data())});
    for (std::uint32_t i = 0; i < 256; ++i) EXPECT_EQ(out_[i], i % 32 < bound ? 0 : 48 * i) << i;
    return cycles;
  }
  /// Cache-conscious scheduling of eight warps whose lines, twelve each, do not fit into an L1 data cache of eight:
  /// they load them three times. Each loses more lines than its eight victim tags hold.
  Cycle lose(const std::string& victim_lookup, const std::string& score_cutoff,
             const std::vector<std::string>& settings = {}) {
    std::vector<std::string> all = {
        "sm.vetoes=[\"cache_conscious\"]",          "sm.cache_conscious.k_throttle=1000",
        "sm.cache_conscious.score_bits=8",          "sm.cache_conscious.victim_tags.entries=8",
        "sm.blocks.victim_lookup=" + victim_lookup, "sm.blocks.score_cutoff=" + score_cutoff};
    all.insert(all.end(), settings.begin(), settings.end());
    parameters_ = parameters_of("small", all);
    parameters_.sm_classes.front().count = 1;
    l1d_.tags.sets = 1;
    l1d_.tags.ways = 8;
    build_on(cached_side(40, l1d_, services_));
    std::string loads;
    const auto load = [&](unsigned line) {
      loads += "ld.global.u32 %r3, [%rd3+" + std::to_string(1024 * line) + "]; add.u32 %r4, %r4, %r3; ";
    };
    for (unsigned i = 0; i < 12; ++i) {
      load(i);
      if (i >= 4) load(i - 4);
    }
    const std::string body = R"(
      .reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<4>;
      ld.param.u64 %rd1, [p];
      mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;
      mov.u32 %r4, 0; mov.u32 %r5, 0;
AGAIN: )" + loads + R"(
      add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 3;
      @%p1 bra AGAIN;
      st.global.u32 [%rd3], %r4; ret;)";
    // At the same address in every process.
    alignas(128) static std::uint32_t data[12 * 256];
    std::fill(std::begin(data), std::end(data), 1);
    const Cycle cycles = run(kernel(".param .u64 p", body), {1}, {256}, {address(data)});
    for (std::uint32_t i = 0; i < 256; ++i) EXPECT_EQ(data[i], 60u) << i;
    return cycles;
  }
  /// Threads 0, 3, 6, ... of 32 append their numbers.
  Cycle accumulate() {
    return run(kernel(".param .u64 p", R"(
      .reg .pred %p<3>; .reg .b32 %r<8>; .reg .b64 %rd<4>;
      ld.param.u64 %rd1, [p];
      mov.u32 %r1, %tid.x;
      rem.u32 %r3, %r1, 3; setp.eq.u32 %p1, %r3, 0;
      heddle.cond_acc.sync.global.b32 %r2, [%rd1], %p1, %r1, -1;
      ret;)"),
               {1}, {32}, {address(out_.data())});
  }
  /// The message of the difference found by `work`.
  template <typename Work>
  std::string difference(Work&& work) {
    try {
      work();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::difference) << error.what();
      return error.what();
    }
    ADD_FAILURE() << "no difference";
    return {};
  }
  static std::string text_of(const std::filesystem::path& file) {
    std::ifstream in(file);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }
  /// The result of `work` in a separate process, because SystemC elaborates once; 0 if it failed.
  template <typename Work>
  Cycle cycles_apart(Work&& work) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      Cycle cycles = work();
      if (HasFailure()) cycles = 0;
      const bool written = write(ends[1], &cycles, sizeof cycles) == sizeof cycles;
      _exit(written ? 0 : 1);
    }
    close(ends[1]);
    Cycle cycles = 0;
    if (read(ends[0], &cycles, sizeof cycles) != sizeof cycles) cycles = 0;
    close(ends[0]);
    waitpid(child, nullptr, 0);
    return cycles;
  }

  std::filesystem::path folder_;
  memory::CacheParameters l1d_;
  std::vector<std::uint32_t> out_ = std::vector<std::uint32_t>(256);
};

TEST_F(Lockstep, AMachineIsTheSameWithEveryPacker) {
  const auto with = [&](const std::string& packer) {
    return cycles_apart([&] {
      use("large-warp-core", {"sm.blocks.packer=" + packer});
      return diverge();
    });
  };
  const Cycle model = with("model");
  EXPECT_GT(model, 0u);
  EXPECT_EQ(with("rtl"), model);
  EXPECT_EQ(with("lockstep"), model);
}

TEST_F(Lockstep, AMachineIsTheSameWithEveryPrefixSum) {
  const auto with = [&](const std::string& network) {
    return cycles_apart([&] {
      use("database-core", {"sm.blocks.prefix_sum=" + network});
      const Cycle cycles = accumulate();
      for (std::uint32_t i = 0; i < 11; ++i) EXPECT_EQ(out_[i], 3 * i);
      return cycles;
    });
  };
  const Cycle model = with("model");
  EXPECT_GT(model, 0u);
  EXPECT_EQ(with("rtl"), model);
  EXPECT_EQ(with("lockstep"), model);
}

TEST_F(Lockstep, AMachineIsTheSameWithEveryGangingBlock) {
  for (const char* machine : {"vws-i", "vws-e", "vws-wide"}) {
    SCOPED_TRACE(machine);
    for (const unsigned bound : {0u, 8u, 16u}) {
      const auto with = [&](const std::string& kind) {
        return cycles_apart([&] {
          use(machine, {"sm.blocks.pc_coalescer=" + kind, "sm.blocks.gang_issue=" + kind});
          return bound == 0 ? diverge() : part(bound);
        });
      };
      const Cycle model = with("model");
      EXPECT_GT(model, 0u);
      EXPECT_EQ(with("rtl"), model) << bound;
      EXPECT_EQ(with("lockstep"), model) << bound;
    }
  }
}

TEST_F(Lockstep, AMachineIsTheSameWithEveryResizingBlock) {
  for (const char* machine : {"dwr-16", "dwr-32", "dwr-64"}) {
    SCOPED_TRACE(machine);
    const auto with = [&](const std::string& kind) {
      return cycles_apart([&] {
        use(machine, {"sm.blocks.partner_synch=" + kind, "sm.blocks.mask_merge=" + kind});
        return diverge();
      });
    };
    const Cycle model = with("model");
    EXPECT_GT(model, 0u);
    EXPECT_EQ(with("rtl"), model);
    EXPECT_EQ(with("lockstep"), model);
  }
}

TEST_F(Lockstep, AMachineIsTheSameWithEveryLocalityBlock) {
  for (const char* rule : {"crossing_admitted", "inclusive"}) {
    for (const char* replacement : {"fifo", "lru"}) {
      SCOPED_TRACE(std::string(rule) + ", " + replacement);
      const auto with = [&](const std::string& kind) {
        return cycles_apart([&] {
          const Cycle cycles = lose(kind, kind,
                                    {std::string("sm.cache_conscious.cutoff_rule=") + rule,
                                     std::string("sm.cache_conscious.victim_tags.replacement=") + replacement});
          EXPECT_GT(counted("cache_conscious.held_loads"), 0);
          return cycles;
        });
      };
      const Cycle model = with("model");
      EXPECT_GT(model, 0u);
      EXPECT_EQ(with("rtl"), model);
      EXPECT_EQ(with("lockstep"), model);
    }
  }
}

TEST_F(Lockstep, CallsThatAgreedAreCounted) {
  use("database-core", {"sm.blocks.prefix_sum=lockstep"});
  accumulate();
  const StatisticsOwner& sm = gpu_->sms()[0]->statistics();
  EXPECT_EQ(sm.data()[sm.number_of("lockstep.prefix_sum.agreed")], 1u) << "one conditional accumulate";
}

TEST_F(Lockstep, TheOrderOfConstructionAndOfCallsDoesNotMatter) {
  const auto with = [&](const gpu::BuildOptions& options) {
    return cycles_apart([&] {
      use("large-warp-two-level-core",
          {"sm.blocks.packer=lockstep", "sm.order=two_level_rotating_rtl", "sm.two_level_rotating_rtl.group_size=1"},
          options);
      return diverge();
    });
  };
  const Cycle declared = with({});
  EXPECT_GT(declared, 0u);
  EXPECT_EQ(with({.reverse_construction = true}), declared);
  EXPECT_EQ(with({.permute_calls = 7}), declared);
  EXPECT_EQ(with({.gating = false}), declared);
}

TEST_F(Lockstep, TheArbiterOfTheGuideIssuesAsThePolicyDoes) {
  const auto with = [&](const std::vector<std::string>& settings) {
    return cycles_apart([&] {
      use("large-warp-two-level-core", settings);
      return diverge();
    });
  };
  const Cycle model = with({});
  EXPECT_GT(model, 0u);
  EXPECT_EQ(with({"sm.order=two_level_rotating_rtl", "sm.two_level_rotating_rtl.group_size=1"}), model);
}

TEST_F(Lockstep, TheGuideShowsItsExampleWhole) {
  const std::string root = HEDDLE_ROOT;
  const std::string example = text_of(root + "/models/rtl/two_level_round_robin.cpp");
  EXPECT_NE(example.find("HEDDLE_REGISTER"), std::string::npos);
  EXPECT_NE(text_of(root + "/docs/guide-rtl-block.md").find("```cpp\n" + example + "```"), std::string::npos);
}

TEST_F(Lockstep, AnArbiterOfAnotherShapeIsRefused) {
  try {
    use("large-warp-core", {"sm.order=two_level_rotating_rtl"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::configuration);
    EXPECT_NE(std::string(error.what()).find("this machine has 4 in groups of 8"), std::string::npos) << error.what();
  }
}

TEST_F(Lockstep, ABrokenPackerIsCaught) {
  use("large-warp-core", {"sm.blocks.packer=broken"});
  const std::string message = difference([&] { diverge(); });
  EXPECT_EQ(message.find("sm0.packer: RTL and model differ in cycle "), 0u) << message;
  EXPECT_NE(message.find(" at threads, row_id, next_mask"), std::string::npos) << message;
  // A parameter is loaded row by row, by all 256 threads: the model takes row 0, the broken block row 7.
  EXPECT_NE(message.find("inputs: work_mask=0x" + std::string(64, 'f') + " inflight=0x" + std::string(64, '0') +
                         " guard=0x" + std::string(64, 'f') + " mode=0x1"),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("model:  threads=0x" + std::string(56, '0') + std::string(8, 'f') + " row_id=0x" +
                         std::string(32, '0')),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("RTL:    threads=0x" + std::string(8, 'f') + std::string(56, '0') + " row_id=0x" +
                         std::string(32, '7')),
            std::string::npos)
      << message;
  const auto file = folder_ / "results" / "sm0.packer.lockstep.vcd";
  EXPECT_NE(message.find(file.string()), std::string::npos) << message;
  const std::string waveform = text_of(file);
  EXPECT_NE(waveform.find("$var wire 256 "), std::string::npos);
  EXPECT_NE(waveform.find(" differs "), std::string::npos);
  EXPECT_NE(waveform.find("work_mask"), std::string::npos);
}

TEST_F(Lockstep, ABrokenAdderIsCaught) {
  use("database-core", {"sm.blocks.prefix_sum=broken"});
  const std::string message = difference([&] { accumulate(); });
  EXPECT_EQ(message.find("sm0.prefix_sum: RTL and model differ in cycle "), 0u) << message;
  EXPECT_NE(message.find(" at inclusive\n"), std::string::npos) << "the total of 32 lanes has no use for lane 13";
  EXPECT_NE(message.find("inputs: predicates=0x49249249"), std::string::npos) << message;
  EXPECT_TRUE(std::filesystem::exists(folder_ / "results" / "sm0.prefix_sum.lockstep.vcd"));
}

TEST_F(Lockstep, ABrokenCoalescerIsCaught) {
  use("vws-i", {"sm.blocks.pc_coalescer=broken"});
  const std::string message = difference([&] { part(8); });
  EXPECT_EQ(message.find("sm0.pc_coalescer: RTL and model differ in cycle "), 0u) << message;
  EXPECT_NE(message.find(" at gangs\n  inputs: members=0xff "), std::string::npos) << message;
  EXPECT_NE(message.find("model:  gangs=0x0000fc03 singles=0x00"), std::string::npos) << message;
  EXPECT_NE(message.find("RTL:    gangs=0x0000dc03 singles=0x00"), std::string::npos) << message;
}

TEST_F(Lockstep, ABrokenSetOfVictimTagsIsCaught) {
  const std::string message = difference([&] { lose("broken", "model"); });
  EXPECT_EQ(message.find("sm0.victim_lookup: RTL and model differ in cycle "), 0u) << message;
  EXPECT_NE(message.find(" at way, next_order\n  inputs: insert=0x1 remove=0x0 tag=0x"), std::string::npos) << message;
  EXPECT_NE(message.find(" valid=0xff order=0x1\n  model:  found=0x0 way=0x1 "), std::string::npos) << message;
}

TEST_F(Lockstep, ABrokenCutoffIsCaught) {
  const std::string message = difference([&] { lose("model", "broken"); });
  EXPECT_EQ(message.find("sm0.score_cutoff: RTL and model differ in cycle "), 0u) << message;
  EXPECT_NE(message.find(" at admitted\n  inputs: active=0x"), std::string::npos) << message;
}

// A block fails in its 100th call: the waveform begins with the 37th.
TEST_F(Lockstep, TheWaveformHoldsTheLastSixtyFourCalls) {
  use("database-core", {});
  class Late final : public PrefixSumUnit {
   public:
    isa::PrefixSums sum(std::uint64_t predicates) override {
      isa::PrefixSums sums = isa::PrefixSum(32).sum(predicates);
      if (++calls_ == 100) ++sums.total;
      return sums;
    }

   private:
    unsigned calls_ = 0;
  };
  const BlockSite site{"late", services_, gpu_->core_clock()};
  rtl::PrefixSumLockstep both(32, site, make(Mechanism<PrefixSumUnit>("model"), 32u, site), std::make_unique<Late>());
  const std::string message = difference([&] {
    for (std::uint64_t p = 1; p < 200; ++p) both.sum(p);
  });
  EXPECT_NE(message.find("predicates=0x00000064"), std::string::npos) << message;
  EXPECT_NE(message.find("the last 64 calls"), std::string::npos) << message;
  const std::string waveform = text_of(folder_ / "results" / "late.lockstep.vcd");
  const auto binary = [](unsigned value) {
    std::string digits;
    for (; value != 0; value /= 2) digits.insert(digits.begin(), static_cast<char>('0' + value % 2));
    return "b" + digits + " ";
  };
  EXPECT_NE(waveform.find(binary(37)), std::string::npos);
  EXPECT_NE(waveform.find(binary(100)), std::string::npos);
  EXPECT_EQ(waveform.find(binary(36)), std::string::npos);
}

TEST_F(Lockstep, WithoutAFolderForTheWaveformTheDifferenceIsStillTold) {
  std::filesystem::create_directories(folder_);
  std::ofstream(folder_ / "file") << "no folder";
  services_.results_folder = folder_ / "file" / "below";
  use("large-warp-core", {"sm.blocks.packer=broken"});
  const std::string message = difference([&] { diverge(); });
  EXPECT_NE(message.find("model:  threads="), std::string::npos) << message;
  EXPECT_NE(message.find("no waveform: "), std::string::npos) << message;
}

TEST_F(Lockstep, SignalsOfTheRtlAreInTheWaveformOfTheMachine) {
  use("large-warp-core", {"sm.blocks.packer=lockstep"});
  std::filesystem::create_directories(folder_);
  WaveformRequest request;
  request.file = folder_ / "machine.vcd";
  request.signals = "sm0.packer*";
  sample_probes(gpu_->core_clock(), services_.probes);
  {
    VcdWriter writer(services_.probes, services_.structures, request, [](std::uint64_t cycle) { return cycle * 1000; });
    diverge();
    writer.close();
  }
  const std::string waveform = text_of(request.file);
  for (const char* signal :
       {"work_mask", "inflight", "guard", "mode", "sub_mask", "row_id", "next_mask", "any", "last"})
    EXPECT_NE(waveform.find(std::string(" ") + signal + " "), std::string::npos) << signal;
  EXPECT_NE(waveform.find("$scope module rtl $end"), std::string::npos);
  // The mask of a large warp that has all its threads.
  EXPECT_NE(waveform.find("b" + std::string(256, '1')), std::string::npos);
}

TEST_F(Lockstep, RefusesAShapeThatHasNoRtl) {
  try {
    use("large-warp-core", {"sm.blocks.packer=rtl", "sm.warp_size=32"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::configuration);
    EXPECT_NE(std::string(error.what()).find("this machine has 1 of 32"), std::string::npos) << error.what();
  }
}

TEST_F(Lockstep, RefusesARegisterFileWithAPortALane) {
  try {
    use("large-warp-core", {"sm.blocks.packer=lockstep", "sm.large_warps.pack=arbitrary"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::configuration);
    EXPECT_NE(std::string(error.what()).find("'arbitrary'"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace heddle
