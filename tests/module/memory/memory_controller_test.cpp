// SPDX-License-Identifier: Apache-2.0
#include "memory/dram/memory_controller.h"

#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "core/config/configuration.h"
#include "memory/constant_latency_memory.h"
#include "memory/dram/command_trace.h"
#include "memory/dram/dram_energy.h"
#include "tb/dram/checked_memory.h"
#include "tests/module/memory/bench.h"

namespace heddle::memory {
namespace {

/// docs/sources/gtx480.md's GTX 480: tRCD 12, CL 12, burst 2, tCCDL 3, tRP 12.
MemoryControllerParameters gtx480() {
  MemoryControllerParameters p;
  p.dram.geometry = {1, 4, 4, 4096, 64};
  return p;
}

class ControllerTest : public ::testing::Test {
 protected:
  void build(const MemoryControllerParameters& parameters, unsigned sockets = 1) {
    controller_ = std::make_unique<MemoryController>("mc0", bench_.clock, parameters, bench_.group("mc0"),
                                                     bench_.services, MemoryControllerSetting{sockets, nullptr});
    for (unsigned i = 0; i < sockets; ++i) {
      shooters_.push_back(std::make_unique<Shooter>(("shooter" + std::to_string(i)).c_str(), bench_.clock, i));
      checked_.connect(shooters_.back()->out(), controller_->in(i));
    }
  }
  Shooter& shooter(unsigned i = 0) { return *shooters_[i]; }
  void expect_conservation() {
    for (auto& s : shooters_) {
      EXPECT_TRUE(s->all_answered());
      EXPECT_EQ(s->pool().outstanding(), 0u);
    }
    EXPECT_EQ(controller_->busy(), 0u);
    EXPECT_EQ(controller_->counts().requests.value(), controller_->counts().replies.value());
    const auto& c = controller_->channel().counts();
    EXPECT_EQ(c.row_hits.value() + c.row_closed.value() + c.row_conflicts.value() + c.forwarded.value(),
              controller_->counts().requests.value());
    checked_.expect_silence();
  }

  Bench bench_;
  std::unique_ptr<MemoryController> controller_;
  std::vector<std::unique_ptr<Shooter>> shooters_;
  Checked checked_;
};

TEST_F(ControllerTest, UnloadedLatenciesAreTheSumsOfTheTable) {
  build(gtx480());
  const auto closed = shooter().load(10, 0x0);
  const auto hit = shooter().load(200, 0x80);
  const auto conflict = shooter().load(400, 0x10000);  // next row of bank 0
  bench_.run_to(800);
  // One cycle into the queue; ACT, tRCD, RD, tCCDL, RD (a line is two bursts of one bank group), CL, burst.
  EXPECT_EQ(shooter().latency(closed), 1 + 12 + 3 + 12 + 2u);
  EXPECT_EQ(shooter().latency(hit), 1 + 3 + 12 + 2u);
  EXPECT_EQ(shooter().latency(conflict), 1 + 12 + 12 + 3 + 12 + 2u);
  const auto& c = controller_->channel().counts();
  EXPECT_EQ(c.row_closed.value(), 1u);
  EXPECT_EQ(c.row_hits.value(), 1u);
  EXPECT_EQ(c.row_conflicts.value(), 1u);
  expect_conservation();
}

TEST_F(ControllerTest, FrontAndBackLatencyAdd) {
  auto p = gtx480();
  p.front_latency = 20;
  p.back_latency = 7;
  build(p);
  const auto read = shooter().load(10, 0x0);
  bench_.run_to(800);
  EXPECT_EQ(shooter().latency(read), 20 + 12 + 3 + 12 + 2 + 7u);
}

TEST_F(ControllerTest, WritesAreAnsweredWhenTheirDataHasPassed) {
  build(gtx480());
  const auto write = shooter().store(10, 0x0);
  bench_.run_to(800);
  EXPECT_EQ(shooter().latency(write), 1 + 12 + 3 + 4 + 2u);
  EXPECT_EQ(controller_->counts().written_bytes.value(), 128u);
  expect_conservation();
}

TEST_F(ControllerTest, AReadPassesAnOlderWriteToItsRowWhileTheBusReads) {
  build(gtx480());
  shooter().load(10, 0x0);
  const auto first = shooter().load(400, 0x80);
  const auto write = shooter().store(400, 0x100);
  const auto second = shooter().load(400, 0x180);
  bench_.run_to(1000);
  // Reads in 401, 404, 407 and 410; then the bus turns, 12 + 2 + 2 - 4 cycles, for writes in 422 and 425.
  EXPECT_EQ(shooter().latency(first), 1 + 3 + 12 + 2u);
  EXPECT_EQ(shooter().replied(second), 410 + 12 + 2u);
  EXPECT_EQ(shooter().replied(write), 425 + 4 + 2u);
  expect_conservation();
}

TEST_F(ControllerTest, AStreamKeepsTheDataBusAsBusyAsItsBankGroupAllows) {
  auto p = gtx480();
  p.dram.geometry = {1, 1, 16, 4096, 64};
  build(p);
  for (unsigned i = 0; i < 500; ++i) shooter().load(10, 128 * i);
  bench_.run_to(5000);
  expect_conservation();
  // Every burst is in the one bank group: tCCDL = 3 apart.
  const Cycle taken = shooter().replied(499) - shooter().replied(0);
  EXPECT_GE(taken, 499u * 6);
  EXPECT_LE(taken, 499u * 6 * 102 / 100);
}

TEST_F(ControllerTest, BankGroupInterleavingReachesThePeakOfTheBus) {
  auto p = gtx480();
  AddressMapParameters map;
  map.pattern = "RRRR.BBCCCCCGGC.SSSSSS";
  controller_ = std::make_unique<MemoryController>(
      "mc0", bench_.clock, p, bench_.group("mc0"), bench_.services,
      MemoryControllerSetting{1, std::make_shared<const AddressMap>(map, p.dram.geometry, "map")});
  shooters_.push_back(std::make_unique<Shooter>("shooter", bench_.clock));
  checked_.connect(shooter().out(), controller_->in());
  for (unsigned i = 0; i < 400; ++i) shooter().load(10, 128 * i);
  bench_.run_to(5000);
  expect_conservation();
  const Cycle taken = shooter().replied(399) - shooter().replied(0);
  EXPECT_GE(taken, 399u * 4);
  EXPECT_LE(taken, 399u * 4 * 105 / 100);
}

TEST_F(ControllerTest, RandomRowsOfOneBankAreBoundByTrc) {
  build(gtx480());
  for (unsigned i = 0; i < 50; ++i) shooter().shoot({10, AccessKind::load, std::uint64_t{65536} * i, 64});
  bench_.run_to(5000);
  expect_conservation();
  EXPECT_EQ(shooter().replied(49) - shooter().replied(0), 49 * 40u);
}

TEST_F(ControllerTest, RandomRowsOfAllBanksAreBoundByTrrd) {
  build(gtx480());
  for (unsigned i = 0; i < 160; ++i) {
    shooter().shoot({10, AccessKind::load, std::uint64_t{65536} * (i / 16) + 4096 * (i % 16), 64});
  }
  bench_.run_to(5000);
  expect_conservation();
  const Cycle taken = shooter().replied(159) - shooter().replied(0);
  EXPECT_GE(taken, 159u * 6);
  EXPECT_LE(taken, 159u * 7) << "an activate gives way to a column command for a cycle at most";
}

TEST_F(ControllerTest, AFullQueueHoldsTheSocketsAndEverySocketGetsItsTurn) {
  auto p = gtx480();
  p.dram.queue_entries = 4;
  build(p, 2);
  for (unsigned i = 0; i < 40; ++i) {
    shooter(0).load(10, std::uint64_t{65536} * i);
    shooter(1).load(10, std::uint64_t{65536} * i + 4096);
  }
  bench_.run_to(1000);
  EXPECT_EQ(controller_->counts().most_queued.value(), 4u);
  const auto a = shooter(0).answers(), b = shooter(1).answers();
  EXPECT_GT(a, 5u);
  EXPECT_LE(std::max(a, b) - std::min(a, b), 2u);
  bench_.run_to(10000);
  expect_conservation();
}

TEST_F(ControllerTest, EverySocketGivesARequestACycle) {
  build(gtx480(), 2);
  shooter(0).load(10, 0);
  shooter(1).load(10, 65536);
  for (Cycle cycle = 10; cycle < 20; ++cycle) {
    bench_.run_to(cycle);
    EXPECT_NE(controller_->counts().requests.value(), 1u) << "both in one cycle";
  }
  bench_.run_to(1000);
  expect_conservation();
}

TEST_F(ControllerTest, AFullReturnQueueHoldsReadsUntilARepliesLeave) {
  auto p = gtx480();
  p.dram.return_entries = 1;
  build(p);
  for (unsigned i = 0; i < 10; ++i) shooter().load(10, 128 * i);
  bench_.run_to(2000);
  expect_conservation();
  // The last burst of a read waits for the reply before it: RD, CL, burst, and a cycle for the place to be free.
  for (std::size_t i = 1; i < 10; ++i) EXPECT_EQ(shooter().replied(i) - shooter().replied(i - 1), 1 + 12 + 2u);
}

TEST_F(ControllerTest, ARequestOverTwoRowsIsAnsweredWhenBothAreDone) {
  build(gtx480());
  const auto wide = shooter().shoot({10, AccessKind::load, 4096 - 128, 256});
  bench_.run_to(800);
  // Both pieces enter in one cycle; the second row is activated tRRD after the first.
  EXPECT_EQ(shooter().latency(wide), 1 + 6 + 12 + 3 + 12 + 2u);
  EXPECT_EQ(controller_->channel().counts().activates.value(), 2u);
  EXPECT_TRUE(shooter().all_answered());
  EXPECT_EQ(controller_->busy(), 0u);
}

/// The parameters with settings of the form "key=value".
MemoryControllerParameters configured(MemoryControllerParameters parameters, const std::vector<std::string>& settings) {
  Configuration configuration(parameters);
  for (const auto& setting : settings) configuration.set(setting);
  configuration.lock();
  return parameters;
}

/// Random loads and stores through the sockets; the independent checker verifies the trace file of their commands,
/// which must reproduce the controller's counters.
struct LoadedMachine {
  const char* name;
  std::vector<std::string> settings;
};
void PrintTo(const LoadedMachine& machine, std::ostream* out) { *out << machine.name; }
class RandomLoad : public ControllerTest, public ::testing::WithParamInterface<LoadedMachine> {};

TEST_P(RandomLoad, EveryCommandIsLegalAndTheTraceGivesTheCountersAgain) {
  const auto parameters = configured(gtx480(), GetParam().settings);
  build(parameters, 2);
  const std::string path = ::testing::TempDir() + "commands" + std::to_string(getpid()) + ".csv";
  CommandTrace trace(path);
  controller_->channel().listen(trace.of_channel(0, parameters.dram.geometry));
  std::uint64_t state = 99;
  const auto draw = [&state](unsigned below) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<unsigned>((state >> 33) % below);
  };
  for (unsigned i = 0; i < 3000; ++i) {
    const std::uint64_t address = std::uint64_t{4096} * draw(64) + 128 * draw(32);
    shooter(i % 2).shoot({10 + 3 * i, draw(3) == 0 ? AccessKind::store : AccessKind::load, address, 128});
  }
  bench_.run_to(90000);
  expect_conservation();
  controller_->settle();
  trace.flush();

  tb::CommandChecker checker(tb::checked_memory(parameters.dram));
  std::ifstream file(path);
  EXPECT_GT(checker.take(file), 4000u);
  std::remove(path.c_str());
  const auto& c = controller_->channel().counts();
  checker.finish(static_cast<std::int64_t>(c.cycles.value()));
  for (const auto& fault : checker.faults()) ADD_FAILURE() << fault;
  const tb::CommandSums& sums = checker.sums().at(0);
  const auto commands = [&sums](const char* name) {
    const auto found = sums.commands.find(name);
    return found == sums.commands.end() ? 0 : found->second;
  };
  EXPECT_EQ(commands("ACT"), c.activates.value());
  EXPECT_EQ(commands("PRE"), c.precharges.value());
  EXPECT_EQ(commands("PREab"), c.rank_precharges.value());
  EXPECT_EQ(commands("RD"), c.reads.value());
  EXPECT_EQ(commands("WR"), c.writes.value());
  EXPECT_EQ(commands("REFab"), c.rank_refreshes.value());
  EXPECT_EQ(commands("REFpb"), c.bank_refreshes.value());
  EXPECT_EQ(sums.data_cycles, c.data_cycles.value());
  EXPECT_EQ(sums.command_cycles, c.command_cycles.value());
  EXPECT_EQ(sums.turnarounds, c.turnarounds.value());
  EXPECT_EQ(sums.open_cycles, c.open_cycles.value());
  EXPECT_EQ(64 * (c.reads.value() + 2 * c.forwarded.value()), controller_->counts().read_bytes.value());
  EXPECT_EQ(64 * c.writes.value(), controller_->counts().written_bytes.value());
  EXPECT_GT(c.row_hits.value(), 0u);
}

const LoadedMachine kMachines[] = {
    {"plain", {}},
    {"refreshed", {"refresh=all_bank", "all_bank.postpone=8", "all_bank.pull_in=8"}},
    {"refreshed_by_bank", {"refresh=per_bank", "row_policy=timeout", "scheduler=fr_fcfs_cap"}},
    {"by_age", {"turns=by_age", "gddr5.tPPD=5"}},
    {"capped", {"turn_cap=4", "age_cap=100"}},
    {"write_mode_to_low",
     {"write_queue_entries=32", "write_drain_high=24", "write_drain_low=8", "write_mode_to_low=true"}},
    {"refreshed_as_activate", {"standard=gddr6", "refresh=per_bank", "gddr6.activate_to_refresh=tRRD"}},
    {"write_queue", {"write_queue_entries=32", "write_drain_high=24", "write_drain_low=8"}},
    {"hbm2", {"standard=hbm2", "refresh=per_bank", "row_policy=closed"}},
    {"gddr6", {"standard=gddr6", "refresh=all_bank", "row_policy=adaptive"}},
    {"hit_conflict", {"standard=hit_conflict", "scheduler=fr_fcfs_hold"}},
};
INSTANTIATE_TEST_SUITE_P(Controllers, RandomLoad, ::testing::ValuesIn(kMachines),
                         [](const auto& machine) { return std::string(machine.param.name); });

TEST_F(ControllerTest, EnergyIsTheSumOverCommandsOfWhatTheirCurrentsAddToStandby) {
  // One read of a closed row; two chips, 1.5 V. The bench's clock is 1 GHz: a cycle is a nanosecond.
  auto p = configured(gtx480(), {"gddr5.IDD0=75", "gddr5.IDD2N=45", "gddr5.IDD3N=55", "gddr5.IDD4R=211",
                                 "gddr5.VDD=1500", "gddr5.chips=2"});
  build(p);
  shooter().shoot({10, AccessKind::load, 0, 64});
  bench_.run_to(1000);
  controller_->settle();
  const double ns = 1e9 * bench_.clock.time_of(1000000).to_seconds() / 1e6;
  const DramEnergy energy(controller_->tables().device, ns, 16);
  EXPECT_DOUBLE_EQ(energy.activate, ns * 2 * 1.5 * (75 * 40 - (55 * 28 + 45 * 12)));
  EXPECT_DOUBLE_EQ(energy.read, ns * 2 * 1.5 * (211 - 55) * 2);
  const auto sample = bench_.services.statistics.total();
  const double background =
      static_cast<double>(controller_->channel().counts().open_cycles.value()) * ns * 2 * 1.5 * 55 +
      static_cast<double>(controller_->channel().counts().cycles.value() -
                          controller_->channel().counts().open_cycles.value()) *
          ns * 2 * 1.5 * 45;
  EXPECT_NEAR(sample.value("*.channel.energy"), (energy.activate + energy.read + background) / 1000, 1e-6);
}

TEST(ConstantLatency, UnloadedLatencyIsThePublishedOneAndThroughputIsBound) {
  // docs/sources/branch-and-warp-interweaving.md, V10: at 10 bytes a cycle a line of 128 occupies the channel 12.8
  // cycles.
  Bench bench;
  ConstantLatencyMemory memory("memory", bench.clock, {}, bench.group("memory"), bench.services);
  Shooter shooter("shooter", bench.clock);
  Checked checked;
  checked.connect(shooter.out(), memory.in());
  for (unsigned i = 0; i < 11; ++i) shooter.load(10, 128 * i);
  bench.run_to(2000);
  EXPECT_EQ(shooter.latency(0), 330u);
  EXPECT_EQ(shooter.replied(1) - shooter.replied(0), 13u);
  EXPECT_EQ(shooter.replied(5) - shooter.replied(0), 64u);
  EXPECT_EQ(shooter.replied(10) - shooter.replied(0), 128u);
  EXPECT_EQ(memory.counts().requests.value(), memory.counts().replies.value());
  checked.expect_silence();
}

}  // namespace
}  // namespace heddle::memory
