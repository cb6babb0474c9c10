// SPDX-License-Identifier: Apache-2.0
#include "core/statistics/sampling.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "../../unit/core/vcd_reader.h"
#include "core/trace/vcd.h"

namespace heddle {
namespace {

/// Counts its cycles; works in the given ones.
struct Worker : Clocked {
  Worker(ClockDomain& d, StatisticsOwner& owner, Probes& probes)
      : domain(d),
        group(owner, "worker"),
        worked(group, "worked", "cycles worked", unit::kCycles),
        probe(probes, "worker", d.name()) {
    d.add(*this);
    probe.add("last", 32, "the last cycle worked", &last);
    pulse = probe.pulse("now", 32, "this cycle, when worked");
  }
  void tick() override {
    ++worked;
    last = static_cast<std::uint32_t>(domain.now());
    if (probe.on()) probe.fire(pulse, domain.now());
  }
  ClockDomain& domain;
  StatisticsGroup group;
  Counter worked;
  ProbeGroup probe;
  ProbeGroup::SignalId pulse = 0;
  std::uint32_t last = 0;
};

class Sampling : public ::testing::Test {
 protected:
  ClockTree tree;
  ClockDomain core{"core", tree, 700000};  // 1428.57 ps
  Statistics statistics;
  Probes probes;
  Structures structures;
  StatisticsOwner owner{statistics, "sm0", "sm"};
  Worker worker{core, owner, probes};
};

TEST_F(Sampling, ASeriesHasARowAtTheEndOfEveryIntervalWhetherAnythingHappenedOrNot) {
  TimeSeries series(statistics, "*", 10);
  unsigned settled = 0;
  SeriesSampler sampler(core, series, [&] { ++settled; });
  for (const Cycle cycle : {3, 9, 10, 35}) {
    core.wake(worker, cycle);
    sc_core::sc_start(core.time_of(cycle) + sc_core::sc_time(1, sc_core::SC_PS) - sc_core::sc_time_stamp());
  }
  sc_core::sc_start(core.time_of(45) - sc_core::sc_time_stamp());
  ASSERT_EQ(series.rows(), 4u);
  const std::uint64_t expected[] = {2, 1, 0, 1};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(series.cycle(i), 10 * i + 9);
    EXPECT_EQ(series.row(i)[0], expected[i]) << i;
  }
  EXPECT_EQ(settled, 4u);
}

TEST_F(Sampling, AWaveformHasThePicosecondsOfTheEdges) {
  const auto file = std::filesystem::path(::testing::TempDir()) / ("sampling-" + std::to_string(::getpid()) + ".vcd");
  sample_probes(core, probes);
  {
    VcdWriter writer(probes, structures, {file, "*", {}, nullptr, 1 << 20},
                     [&](std::uint64_t cycle) { return picoseconds_of(core, cycle); });
    core.wake(worker, 3);
    sc_core::sc_start(core.time_of(20));
    core.wake(worker, 21);
    sc_core::sc_start(core.time_of(5));
  }
  test::VcdReader vcd(file.string());
  EXPECT_EQ(vcd.value("machine.worker.now", 4286), 3);
  EXPECT_EQ(vcd.value("machine.worker.now", 5713), 3);
  EXPECT_EQ(vcd.value("machine.worker.now", 5714), -1);
  EXPECT_EQ(vcd.value("machine.worker.now", 30000), 21);
  EXPECT_EQ(vcd.value("machine.worker.last", 29999), 3);
  std::filesystem::remove(file);
  std::filesystem::remove(std::filesystem::path(file).replace_extension(".gtkw"));
}

TEST_F(Sampling, ActivityCountsCyclesInWhichAnyOfTheModulesWasCalled) {
  struct Other : Clocked {
    void tick() override {}
  } second, third;
  core.add(second);
  core.add(third);
  const ModuleActivity activity(core, {{&worker, &second}, {}});
  for (Clocked* module : {static_cast<Clocked*>(&worker), static_cast<Clocked*>(&second)}) core.wake(*module, 3);
  core.wake(third, 4);
  sc_core::sc_start(core.time_of(5));
  EXPECT_EQ(activity.cycles(0), 1u);
  core.wake(second, 7);
  sc_core::sc_start(core.time_of(5));
  EXPECT_EQ(activity.cycles(0), 2u);
  EXPECT_EQ(activity.cycles(1), 0u);
}

struct Idle final : Stage {
  Idle(const char* name, ClockGate& gate) : Stage(name, gate) {}
  void cycle() override {}
};

TEST_F(Sampling, StagesAreActiveWhenCalledOrWhenTheirPartIsAndTheyHaveACallPending) {
  ClockGate gate(core);
  Idle first("first", gate), second("second", gate), third("third", gate);
  const StageActivity activity(core, {{&gate, {&worker}}});
  const auto counts = [&] {
    return std::vector<std::uint64_t>{activity.cycles(0), activity.of_stage(0, 0), activity.of_stage(0, 1),
                                      activity.of_stage(0, 2), activity.of_other(0, 0)};
  };
  gate.wake(first.stage_number(), 3);
  gate.wake(second.stage_number(), 100);  // beyond what the gate has a word for
  sc_core::sc_start(core.time_of(5));
  EXPECT_EQ(counts(), (std::vector<std::uint64_t>{1, 1, 1, 0, 0}));
  core.wake(worker, 7);
  sc_core::sc_start(core.time_of(5));
  EXPECT_EQ(counts(), (std::vector<std::uint64_t>{2, 1, 2, 0, 1}));
  core.wake(worker, 120);
  sc_core::sc_start(core.time_of(95));
  EXPECT_EQ(counts(), (std::vector<std::uint64_t>{3, 1, 3, 0, 2}));
}

TEST_F(Sampling, NobodyWatchingMeansNothingSampled) {
  sample_probes(core, probes);
  core.wake(worker, 3);
  sc_core::sc_start(core.time_of(5));
  EXPECT_FALSE(worker.probe.on());
  EXPECT_EQ(worker.worked.value(), 1u);
}

}  // namespace
}  // namespace heddle
