// SPDX-License-Identifier: Apache-2.0
#include "core/trace/vcd.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "core/error.h"
#include "vcd_reader.h"

namespace heddle {
namespace {

using test::VcdReader;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const TextTable kStates = {"idle", "ready", "waiting"};

/// Two SMs and a memory bank; the core clock has 1000 ps, the memory clock 1500 ps.
class VcdTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder = std::filesystem::path(::testing::TempDir()) / ("vcd-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    issue1.add("pc", 8, "PC of the next instruction", &pc1);
    issue0.add("pc", 8, "PC of the next instruction", &pc0);
    issue0.add("stalled", 1, "nothing could issue", &stalled);
    issue0.add("state", 2, "state of the first context", &state, &kStates);
    issue0.add_wide("mask", 100, "threads", [this](std::uint64_t* words) { words[0] = mask[0], words[1] = mask[1]; });
    fired_pc = issue0.pulse("issued", 8, "PC issued in this cycle");
    bank.add("row", 12, "open row", [this] { return row; });
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  std::string path() const { return (folder / "out.vcd").string(); }
  std::unique_ptr<VcdWriter> record(const std::string& signals = "*", const std::string& windows_text = "",
                                    std::uint64_t most_bytes = 1 << 30) {
    request.file = folder / "out.vcd";
    request.signals = signals;
    request.most_bytes = most_bytes;
    request.windows = nullptr;
    if (!windows_text.empty()) {
      windows = std::make_unique<Windows>(parse_windows(windows_text));
      request.windows = windows.get();
    }
    return std::make_unique<VcdWriter>(probes, structures, request, [](std::uint64_t cycle) { return 1000 * cycle; });
  }
  void core(std::uint64_t cycle) { probes.sample({"gpu.core_clock", cycle, 1000 * cycle, 1000 * cycle + 1000}); }
  void memory(std::uint64_t cycle) { probes.sample({"memory", cycle, 1500 * cycle, 1500 * cycle + 1500}); }
  static std::string text(const std::filesystem::path& file) {
    std::ostringstream out;
    out << std::ifstream(file).rdbuf();
    return out.str();
  }
  ExitCode code_of(const std::function<void()>& action) {
    try {
      action();
    } catch (const Error& error) {
      return error.code();
    }
    return ExitCode{};
  }

  std::filesystem::path folder;
  std::unique_ptr<Windows> windows;
  WaveformRequest request;
  Probes probes;
  Structures structures;
  ProbeGroup issue1{probes, "sm1.issue", "gpu.core_clock"}, issue0{probes, "sm0.issue", "gpu.core_clock"},
      bank{probes, "mc0.bank3", "memory"};
  std::uint8_t pc0 = 0, pc1 = 0;
  bool stalled = false;
  enum class State : std::uint8_t { idle, ready, waiting } state = State::idle;
  std::uint64_t mask[2] = {};
  unsigned row = 0;
  ProbeGroup::SignalId fired_pc = 0;
};

TEST_F(VcdTest, AReaderOfTheStandardFindsTheDeclaredSignalsInTheirHierarchy) {
  record()->close();
  VcdReader vcd(path());
  EXPECT_EQ(vcd.timescale(), "1 ps");
  EXPECT_THAT(vcd.names(),
              ElementsAre("machine.clock.core_cycle", "machine.clock.memory_cycle", "machine.mc0.bank3.row",
                          "machine.sm0.issue.issued", "machine.sm0.issue.mask", "machine.sm0.issue.pc",
                          "machine.sm0.issue.stalled", "machine.sm0.issue.state", "machine.sm1.issue.pc"));
  EXPECT_EQ(vcd.variable("machine.sm0.issue.mask").width, 100u);
}

TEST_F(VcdTest, ValuesHoldFromTheCycleInWhichTheyAreSampled) {
  auto writer = record();
  core(0);
  pc0 = 0x80;
  stalled = true;
  mask[1] = std::uint64_t{1} << 35;
  mask[0] = 5;
  core(1);
  pc0 = 0x81;
  core(3);
  writer->close();
  VcdReader vcd(path());
  EXPECT_EQ(vcd.value("machine.sm0.issue.pc", 999), 0);
  EXPECT_EQ(vcd.value("machine.sm0.issue.pc", 1000), 0x80);
  EXPECT_EQ(vcd.value("machine.sm0.issue.pc", 2999), 0x80);
  EXPECT_EQ(vcd.value("machine.sm0.issue.pc", 3000), 0x81);
  EXPECT_EQ(vcd.value("machine.sm0.issue.stalled", 999), 0);
  EXPECT_EQ(vcd.value("machine.sm0.issue.stalled", 1000), 1);
  EXPECT_EQ(vcd.bits("machine.sm0.issue.mask", 1000), "1" + std::string(96, '0') + "101");
  EXPECT_EQ(vcd.value("machine.clock.core_cycle", 3500), 3);
}

TEST_F(VcdTest, OnlyChangesAreWritten) {
  auto writer = record("sm0.issue.pc");
  for (std::uint64_t cycle = 0; cycle < 100; ++cycle) {
    pc0 = static_cast<std::uint8_t>(cycle / 50);
    core(cycle);
  }
  writer->close();
  EXPECT_EQ(VcdReader(path()).variable("machine.sm0.issue.pc").values.size(), 3u);  // 0, 1, and unknown at the end
}

TEST_F(VcdTest, APulseLastsOneCycle) {
  auto writer = record();
  core(0);
  EXPECT_TRUE(issue0.on());
  issue0.fire(fired_pc, 7);
  core(1);
  core(2);
  issue0.fire(fired_pc, 9);
  core(3);
  issue0.fire(fired_pc, 9);
  core(4);
  writer->close();
  VcdReader vcd(path());
  EXPECT_EQ(vcd.value("machine.sm0.issue.issued", 0), -1);
  EXPECT_EQ(vcd.value("machine.sm0.issue.issued", 1000), 7);
  EXPECT_EQ(vcd.value("machine.sm0.issue.issued", 1999), 7);
  EXPECT_EQ(vcd.value("machine.sm0.issue.issued", 2000), -1);
  EXPECT_EQ(vcd.value("machine.sm0.issue.issued", 3000), 9);
  EXPECT_EQ(vcd.value("machine.sm0.issue.issued", 4999), 9);
  EXPECT_EQ(vcd.value("machine.sm0.issue.issued", 5000), -1);
}

TEST_F(VcdTest, APulseEndsAtTheNextEdgeThoughNothingIsDueThen) {
  auto writer = record();
  core(0);
  issue0.fire(fired_pc, 7);
  core(1);
  memory(4);  // 6000 ps
  core(9);
  writer->close();
  VcdReader vcd(path());
  EXPECT_EQ(vcd.value("machine.sm0.issue.issued", 1999), 7);
  EXPECT_EQ(vcd.value("machine.sm0.issue.issued", 2000), -1);
}

TEST_F(VcdTest, DomainsAreSampledAtTheirOwnEdges) {
  auto writer = record();
  row = 1;
  core(0);
  memory(0);
  row = 2;
  core(1);
  memory(1);
  writer->close();
  VcdReader vcd(path());
  EXPECT_EQ(vcd.value("machine.mc0.bank3.row", 0), 1);
  EXPECT_EQ(vcd.value("machine.mc0.bank3.row", 1499), 1);
  EXPECT_EQ(vcd.value("machine.mc0.bank3.row", 1500), 2);
}

TEST_F(VcdTest, AWindowHoldsItsFirstAndLastCycleAndNothingElse) {
  auto writer = record("*", "10:12");
  for (std::uint64_t cycle = 0; cycle < 20; ++cycle) {
    pc0 = static_cast<std::uint8_t>(cycle);
    core(cycle);
  }
  writer->close();
  VcdReader vcd(path());
  EXPECT_EQ(vcd.bits("machine.sm0.issue.pc", 9999), "");
  EXPECT_EQ(vcd.value("machine.sm0.issue.pc", 10000), 10);
  EXPECT_EQ(vcd.value("machine.sm0.issue.pc", 12999), 12);
  EXPECT_EQ(vcd.value("machine.sm0.issue.pc", 13000), -1);
  EXPECT_EQ(vcd.times().back(), 13000u);
}

TEST_F(VcdTest, SeveralWindowsLieInOneFile) {
  auto writer = record("sm0.*", "2:2,5:6");
  for (std::uint64_t cycle = 0; cycle < 9; ++cycle) {
    pc0 = static_cast<std::uint8_t>(cycle);
    core(cycle);
  }
  writer->close();
  VcdReader vcd(path());
  const std::int64_t expected[] = {-1, -1, 2, -1, -1, 5, 6, -1};
  for (std::uint64_t cycle = 2; cycle < 8; ++cycle) {
    EXPECT_EQ(vcd.value("machine.sm0.issue.pc", 1000 * cycle), expected[cycle]) << cycle;
  }
  EXPECT_THAT(vcd.keywords,
              ElementsAre("$dumpvars", "$end", "$dumpoff", "$end", "$dumpon", "$end", "$dumpoff", "$end"));
}

TEST_F(VcdTest, PatternsChooseSignalsAndTurnOnOnlyTheirModules) {
  auto writer = record("sm0.issue.p*,mc*.bank*");
  EXPECT_TRUE(issue0.on());
  EXPECT_FALSE(issue1.on());
  EXPECT_EQ(writer->signals(), 2u + 2u);  // and the two cycle counters
  writer->close();
  EXPECT_FALSE(issue0.on());
  VcdReader vcd(path());
  EXPECT_TRUE(vcd.has("machine.mc0.bank3.row"));
  EXPECT_FALSE(vcd.has("machine.sm1.issue.pc"));
}

TEST_F(VcdTest, APatternThatMatchesNothingIsAnError) {
  EXPECT_EQ(code_of([&] { record("sm7.*"); }), ExitCode::usage);
}

TEST_F(VcdTest, RecordingStopsAtTheSizeCap) {
  auto writer = record("*", "", 4000);
  for (std::uint64_t cycle = 0; cycle < 1000; ++cycle) {
    pc0 = static_cast<std::uint8_t>(cycle);
    core(cycle);
  }
  EXPECT_TRUE(writer->capped());
  writer->close();
  EXPECT_LT(std::filesystem::file_size(folder / "out.vcd"), 4200u);
  EXPECT_NO_THROW(VcdReader{path()});
}

TEST_F(VcdTest, TheOrderOfConstructionDoesNotShow) {
  record()->close();
  const std::string first = text(folder / "out.vcd");
  Probes other;
  ProbeGroup b{other, "mc0.bank3", "memory"}, i0{other, "sm0.issue", "gpu.core_clock"},
      i1{other, "sm1.issue", "gpu.core_clock"};
  i0.add("pc", 8, "PC", &pc0);
  i0.add("stalled", 1, "stalled", &stalled);
  i0.add("state", 2, "state", &state, &kStates);
  i0.add_wide("mask", 100, "threads", [](std::uint64_t*) {});
  i0.pulse("issued", 8, "issued");
  i1.add("pc", 8, "PC", &pc1);
  b.add("row", 12, "row", &row);
  VcdWriter(other, structures, {folder / "other.vcd", "*", {}, nullptr, 1 << 30}, [](std::uint64_t c) {
    return 1000 * c;
  }).close();
  EXPECT_EQ(text(folder / "other.vcd"), first);
}

TEST_F(VcdTest, SmallStructuresShowTheirEntries) {
  unsigned registers[2] = {3, 9};
  Structure table{structures, "sm0.issue.scoreboard", "registers waiting", 2, {{"register", 8}, {"valid", 1}}};
  table.read([&](std::size_t entry, std::size_t field) { return field == 0 ? registers[entry] : 1; });
  table.trace_entries("gpu.core_clock");
  auto writer = record("*.scoreboard.*");
  core(0);
  registers[1] = 10;
  core(1);
  writer->close();
  VcdReader vcd(path());
  EXPECT_EQ(vcd.value("machine.sm0.issue.scoreboard.1.register", 0), 9);
  EXPECT_EQ(vcd.value("machine.sm0.issue.scoreboard.1.register", 1000), 10);
  EXPECT_EQ(vcd.value("machine.sm0.issue.scoreboard.0.valid", 0), 1);
}

TEST_F(VcdTest, TheSaveFileGroupsSignalsAndTranslatesCodes) {
  issue0.show(issue0.add_wide("waiting", 48, "contexts that wait", [](std::uint64_t*) {}), Radix::count);
  record("sm0.*")->close();
  const std::string save = text(folder / "out.gtkw");
  EXPECT_THAT(save, HasSubstr("[dumpfile] \"" + path() + "\"\n"));
  EXPECT_THAT(save, HasSubstr("@800200\n-sm0.issue\n"));
  EXPECT_THAT(save, HasSubstr("@1000200\n-sm0.issue\n"));
  EXPECT_THAT(save, HasSubstr("@24\n[color] 5\n+{pc} machine.sm0.issue.pc[7:0]\n")) << "a number";
  EXPECT_THAT(save, HasSubstr("@22\n[color] 4\n+{mask} machine.sm0.issue.mask[99:0]\n")) << "a set";
  EXPECT_THAT(save, HasSubstr("@28\n[color] 4\n+{stalled} machine.sm0.issue.stalled\n"));
  EXPECT_THAT(save, HasSubstr("@20000024\n[color] 5\n+{waiting (count)} machine.sm0.issue.waiting[47:0]\n"))
      << "a large set";
  EXPECT_THAT(save, HasSubstr("@24\n[color] 2\n+{issued} machine.sm0.issue.issued[7:0]\n")) << "valid for one cycle";
  EXPECT_THAT(save, HasSubstr("@2022\n^1 " + (folder / "out.1.txt").string() +
                              "\n[color] 3\n+{state} machine.sm0.issue.state[1:0]\n"));
  EXPECT_EQ(text(folder / "out.1.txt"), "# value text\n0 idle\n1 ready\n2 waiting\n");
}

TEST_F(VcdTest, TheSaveFileClosesTheGroupsBeyondTheFirstScreen) {
  ProbeGroup large{probes, "sm2.large", "gpu.core_clock"}, last{probes, "sm3.last", "gpu.core_clock"};
  for (int i = 0; i < 55; ++i) large.add(fmt::format("signal{}", i), 8, "one of many", &pc0);
  record()->close();
  EXPECT_THAT(text(folder / "out.gtkw"), HasSubstr("@800200\n-sm2.large\n")) << "with it there are 64 traces";
  last.add("signal", 8, "the last", &pc0);
  record()->close();
  const std::string save = text(folder / "out.gtkw");
  EXPECT_THAT(save, HasSubstr("@800200\n-sm2.large\n"));
  EXPECT_THAT(save, HasSubstr("@1000200\n-sm2.large\n"));
  EXPECT_THAT(save, HasSubstr("@c00200\n-sm3.last\n"));
  EXPECT_THAT(save, HasSubstr("@1401200\n-sm3.last\n"));
}

TEST_F(VcdTest, GroupsOfTheSaveFileAreThoseOfThePlaces) {
  unsigned registers[2] = {3, 9};
  Structure table{structures, "sm0.hazards.waiting", "registers waiting", 2, {{"register", 8}, {"lanes", 8}}};
  table.read([&](std::size_t entry, std::size_t) { return registers[entry]; });
  table.trace_entries("gpu.core_clock");
  // The memory first, then the SM with its structure; only the memory starts open when there is no room for all.
  request.place_of = [](std::string_view scope) -> WaveformPlace {
    if (scope == "clock") return {{0}, 0, {}, true};
    if (scope.substr(0, 2) == "mc") return {{1}, 0, {"DRAM"}, true};
    return {{2}, scope == "sm0.issue" ? 0u : 1u, {std::string(scope.substr(0, 3)), "issue"}, false};
  };
  request.except = "sm1.*,clock.*,*.mask,*.stalled,*.state,*.issued";
  record()->close();
  const auto lines = [&] {
    std::istringstream save(text(folder / "out.gtkw"));
    std::vector<std::string> found;
    for (std::string line; std::getline(save, line);) {
      if (line[0] == '-' || line[0] == '+') found.push_back(line.substr(0, line.find('}')));
    }
    return found;
  };
  const auto expected = {"+{core_cycle", "+{memory_cycle", "-DRAM",     "+{mc0 bank3 row",  "-DRAM",
                         "-sm0",         "-issue",         "+{pc",      "-hazards waiting", "+{0 register",
                         "+{0 lanes",    "+{1 register",   "+{1 lanes", "-hazards waiting", "-issue",
                         "-sm0"};
  EXPECT_THAT(lines(), ::testing::ElementsAreArray(expected));
  EXPECT_THAT(text(folder / "out.gtkw"), Not(HasSubstr("@c00200"))) << "all are open when there is room";
  ProbeGroup large{probes, "sm0.large", "gpu.core_clock"};
  for (int i = 0; i < 64; ++i) large.add(fmt::format("signal{}", i), 8, "one of many", &pc0);
  record()->close();
  const std::string save = text(folder / "out.gtkw");
  EXPECT_THAT(save, HasSubstr("@800200\n-DRAM\n"));
  EXPECT_THAT(save, HasSubstr("@c00200\n-sm0\n@c00200\n-issue\n"));
  EXPECT_THAT(save, HasSubstr("@1401200\n-issue\n@1401200\n-sm0\n"));
}

/// The first line of the save file that begins so, without its beginning.
std::string line_of(const std::string& save, const std::string& beginning) {
  const auto at = save.find("\n" + beginning);
  return at == std::string::npos
             ? ""
             : save.substr(at + 1 + beginning.size(), save.find('\n', at + 1) - at - 1 - beginning.size());
}

TEST_F(VcdTest, TheViewOpensWhereMostSignalsChange) {
  auto writer = record("sm0.*");
  for (std::uint64_t cycle = 0; cycle < 400; ++cycle) {
    // Changes at a time: one in every tenth cycle, two in cycles 200 to 209, three in 205.
    if (cycle % 10 == 0 || cycle / 10 == 20) ++pc0;
    if (cycle / 10 == 20) ++mask[0];
    if (cycle == 205) stalled = true;
    core(cycle);
  }
  writer->close();
  const std::string save = text(folder / "out.gtkw");
  // Halves of 12 cycles: 192 to 203 and 204 to 215. A cycle is shown before them.
  EXPECT_EQ(line_of(save, "[timestart] "), "191000");
  EXPECT_THAT(line_of(save, "*"), HasSubstr(" 205000 -1 -1")) << "the marker is where most signals change at once";
}

TEST_F(VcdTest, AViewOfATriggerOpensAtItsFirstMatch) {
  auto writer = record("sm0.*", "pc=*:12+30");
  const auto run = [&](std::uint64_t from, std::uint64_t end, bool busy) {
    windows->open({from, end - 1});
    for (std::uint64_t cycle = from; cycle < end; ++cycle) {
      if (busy) ++pc0;
      core(cycle);
    }
  };
  run(100, 130, false);
  run(300, 330, true);
  writer->close();
  const std::string save = text(folder / "out.gtkw");
  EXPECT_EQ(line_of(save, "[timestart] "), "99000");
  EXPECT_THAT(line_of(save, "*"), HasSubstr(" 100000 -1"));
}

TEST_F(VcdTest, AViewOfTheCyclesBeforeAnErrorOpensAtTheEnd) {
  auto writer = record("sm0.*", "last=100");
  for (std::uint64_t cycle = 0; cycle < 400; ++cycle) {
    if (cycle < 350) ++pc0;
    core(cycle);
  }
  writer->close(true);
  const std::string save = text(folder / "out.gtkw");
  EXPECT_EQ(line_of(save, "[timestart] "), "375000");
  EXPECT_THAT(line_of(save, "*"), HasSubstr(" 399000 -1"));
}

TEST_F(VcdTest, AShortRecordingFillsTheView) {
  auto writer = record("sm0.*", "10:15");
  for (std::uint64_t cycle = 0; cycle < 20; ++cycle) core(cycle);
  writer->close();
  const auto zoom = [&] { return std::stod(line_of(text(folder / "out.gtkw"), "*")); };
  const double of_six = zoom();
  EXPECT_EQ(line_of(text(folder / "out.gtkw"), "[timestart] "), "9750");
  writer = record("sm0.*", "0:11");
  for (std::uint64_t cycle = 0; cycle < 20; ++cycle) core(cycle);
  writer->close();
  EXPECT_NEAR(zoom(), of_six - 1, 1e-3) << "twice as long: a step of zoom, which are powers of two";
}

TEST_F(VcdTest, MarksAreNamedMarkersOfRecordedCycles) {
  auto writer = record("sm0.*", "100:200");
  for (std::uint64_t cycle = 0; cycle < 300; ++cycle) {
    if (cycle == 50) writer->mark(50, "early");
    if (cycle == 120) writer->mark(120, "expand");
    if (cycle == 130) writer->mark(130, "shrink");
    core(cycle);
  }
  writer->close();
  const std::string save = text(folder / "out.gtkw");
  EXPECT_THAT(line_of(save, "*"), HasSubstr(" 120000 130000 -1 -1"));
  EXPECT_THAT(save, HasSubstr("\n[markername] Aexpand\n[markername] Bshrink\n"));
  EXPECT_THAT(save, Not(HasSubstr("early")));
}

TEST_F(VcdTest, OfManyMarksTheFirstHaveNamesOrTheLastBeforeAnError) {
  for (const char* recorded : {"", "last=500"}) {
    auto writer = record("sm0.*", recorded);
    for (std::uint64_t cycle = 0; cycle < 300; ++cycle) {
      if (cycle >= 200) writer->mark(cycle, "launch" + std::to_string(cycle));
      core(cycle);
    }
    writer->close(true);
    const std::string save = text(folder / "out.gtkw");
    EXPECT_EQ(line_of(save, "[markername] A"), *recorded == 0 ? "launch200" : "launch274") << recorded;
    EXPECT_EQ(line_of(save, "[markername] Z"), *recorded == 0 ? "launch225" : "launch299") << recorded;
  }
}

TEST_F(VcdTest, AFullDiskIsReported) {
  const WaveformRequest full{"/dev/full", "*", {}, nullptr, 1 << 30};
  EXPECT_EQ(code_of([&] {
              VcdWriter writer(probes, structures, full, [](std::uint64_t c) { return c; });
              writer.close();
            }),
            ExitCode::io);
  EXPECT_EQ(
      code_of([&] {
        VcdWriter(probes, structures, {"/dev/null/x.vcd", "*", {}, nullptr, 1}, [](std::uint64_t c) { return c; });
      }),
      ExitCode::io);
}

// -- signals that only some modules change

TEST_F(VcdTest, SignalsOfAPartAreReadInCyclesInWhichItWorked) {
  std::uint64_t worked = 0;
  unsigned reads = 0, timed = 0;
  issue0.add("reads", 8, "how often it was read", [&] { return ++reads; });
  issue0.changes_by_time(issue0.add("timed", 8, "the same, of one that changes by time", [&] { return ++timed; }));
  request.parts = {{"sm0", &worked}};
  auto writer = record();
  for (std::uint64_t cycle = 0; cycle < 10; ++cycle) core(cycle);
  EXPECT_EQ(reads, 1u) << "in the first cycle";
  EXPECT_EQ(timed, 10u);
  ++worked;
  core(10);
  core(11);
  EXPECT_EQ(reads, 2u);
  EXPECT_EQ(timed, 12u);
  pc1 = 7;  // sm1 is no part
  core(12);
  writer->close();
  VcdReader vcd(path());
  EXPECT_EQ(vcd.value("machine.sm0.issue.reads", 9999), 1);
  EXPECT_EQ(vcd.value("machine.sm0.issue.reads", 10000), 2);
  EXPECT_EQ(vcd.value("machine.sm0.issue.timed", 9000), 10);
  EXPECT_EQ(vcd.value("machine.sm1.issue.pc", 12000), 7);
}

TEST_F(VcdTest, PulsesOfAPartEndThoughItSleeps) {
  std::uint64_t worked = 0;
  request.parts = {{"sm0", &worked}};
  auto writer = record();
  core(0);
  ++worked;
  issue0.fire(fired_pc, 5);
  core(1);
  for (std::uint64_t cycle = 2; cycle < 5; ++cycle) core(cycle);
  ++worked;
  issue0.fire(fired_pc, 5);
  core(5);
  core(6);
  writer->close();
  VcdReader vcd(path());
  EXPECT_EQ(vcd.value("machine.sm0.issue.issued", 1000), 5);
  EXPECT_EQ(vcd.value("machine.sm0.issue.issued", 2000), -1);
  EXPECT_EQ(vcd.value("machine.sm0.issue.issued", 5000), 5);
  EXPECT_EQ(vcd.value("machine.sm0.issue.issued", 6000), -1);
}

TEST_F(VcdTest, ACheckFindsWhatChangesWhileItsPartSleeps) {
  std::uint64_t worked = 0;
  std::uint64_t entry = 0;
  Structure table{structures, "sm0.issue.table", "a table", 2, {{"value", 8}}};
  table.trace_entries("gpu.core_clock");
  table.read([&](std::size_t i, std::size_t) { return i * entry; });
  request.parts = {{"sm0", &worked}};
  const auto changes = [&](const std::function<void()>& change) {
    ::setenv("HEDDLE_CHECK_SIGNALS", "1", 1);
    auto writer = record();
    ::unsetenv("HEDDLE_CHECK_SIGNALS");
    for (std::uint64_t cycle = 0; cycle < 4; ++cycle) core(cycle);
    change();
    const ExitCode with = code_of([&] { core(4); });
    writer->close();
    return with;
  };
  EXPECT_EQ(changes([] {}), ExitCode{});
  EXPECT_EQ(changes([&] { ++worked, ++pc0, ++entry; }), ExitCode{});
  EXPECT_EQ(changes([&] { ++pc1; }), ExitCode{});
  EXPECT_EQ(changes([&] { ++pc0; }), ExitCode::internal);
  EXPECT_EQ(changes([&] { ++mask[1]; }), ExitCode::internal);
  EXPECT_EQ(changes([&] { ++entry; }), ExitCode::internal);
  EXPECT_EQ(changes([&] { issue0.fire(fired_pc, 5); }), ExitCode::internal);
}

TEST_F(VcdTest, OfAStructureThatKnowsWhatItTouchedNothingElseIsRead) {
  std::uint64_t values[70] = {}, touched[2] = {};
  unsigned reads = 0;
  Structure table{structures, "sm0.issue.table", "a table", 70, {{"value", 8}}};
  table.trace_entries("gpu.core_clock");
  table.read([&](std::size_t i, std::size_t) { return ++reads, values[i]; });
  table.touched([&](std::size_t w) { return touched[w]; });
  const auto changes = [&](bool check, std::size_t entry) {
    if (check) ::setenv("HEDDLE_CHECK_SIGNALS", "1", 1);
    auto writer = record("sm0.issue.table.*");
    ::unsetenv("HEDDLE_CHECK_SIGNALS");
    core(0);
    reads = 0;
    values[entry] = 5;
    touched[1] = 1 << 5;
    const ExitCode with = code_of([&] { core(1); });
    touched[1] = 0;
    if (with == ExitCode{}) core(2);
    writer->close();
    return with;
  };
  EXPECT_EQ(changes(false, 69), ExitCode{});
  EXPECT_EQ(reads, 1u);
  VcdReader vcd(path());
  EXPECT_EQ(vcd.value("machine.sm0.issue.table.69.value", 999), 0);
  EXPECT_EQ(vcd.value("machine.sm0.issue.table.69.value", 1000), 5);
  values[69] = 0;
  EXPECT_EQ(changes(true, 69), ExitCode{});
  EXPECT_EQ(changes(true, 4), ExitCode::internal);
}

TEST_F(VcdTest, ASignalThatCannotChangeAtPresentIsNotRead) {
  std::uint64_t worked = 0;
  unsigned reads = 0;
  bool may = true;
  issue0.changes_by_time(issue0.add("reads", 8, "how often it was read", [&] { return ++reads; }), [&] { return may; });
  request.parts = {{"sm0", &worked}};
  auto writer = record();
  for (std::uint64_t cycle = 0; cycle < 3; ++cycle) core(cycle);
  EXPECT_EQ(reads, 3u);
  may = false;
  for (std::uint64_t cycle = 3; cycle < 6; ++cycle) core(cycle);
  EXPECT_EQ(reads, 3u);
  ++worked;
  core(6);
  EXPECT_EQ(reads, 4u);
}

TEST_F(VcdTest, TheLongestScopeTellsWhenASignalIsRead) {
  std::uint64_t sm = 0, issue = 0;
  unsigned reads = 0, others = 0;
  issue0.add("reads", 8, "how often it was read", [&] { return ++reads; });
  ProbeGroup other{probes, "sm0.other", "gpu.core_clock"};
  other.add("reads", 8, "how often it was read", [&] { return ++others; });
  request.parts = {{"sm0", &sm}, {"sm0.issue", &issue}};
  auto writer = record();
  core(0);
  ++sm;
  core(1);
  EXPECT_EQ(reads, 1u);
  EXPECT_EQ(others, 2u);
  ++sm, ++issue;
  core(2);
  EXPECT_EQ(reads, 2u);
  EXPECT_EQ(others, 3u);
}

TEST_F(VcdTest, SignalsReadTogetherMayBeChosenApart) {
  std::uint64_t values[] = {3, 4, 5};
  constexpr std::size_t kWarps = 70;  // more than a word of each plane holds
  unsigned reads = 0;
  ProbeGroup warps{probes, "sm0.warps", "gpu.core_clock"};
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kWarps; ++i) names.push_back("warp" + std::to_string(i));
  warps.add_planes(names, 4, "state", [&](std::uint64_t* planes) {
    ++reads;
    std::fill_n(planes, 8, 0);
    const std::size_t warp_of[] = {0, 1, kWarps - 1};
    for (std::size_t i = 0; i < 3; ++i) {
      for (unsigned bit = 0; bit < 4; ++bit)
        planes[2 * bit + warp_of[i] / 64] |= (values[i] >> bit & 1) << (warp_of[i] % 64);
    }
  });
  warps.add("other", 4, "another", [] { return 9; });
  for (const char* chosen : {"sm0.warps.*", "*.warp1,*.other"}) {
    auto writer = record(chosen);
    reads = 0;
    core(0);
    core(1);
    EXPECT_EQ(reads, 2u);
    values[1] = 8;
    core(2);
    writer->close();
    VcdReader vcd(path());
    EXPECT_EQ(vcd.value("machine.sm0.warps.warp1", 1999), 4) << chosen;
    EXPECT_EQ(vcd.value("machine.sm0.warps.warp1", 2000), 8) << chosen;
    EXPECT_EQ(vcd.value("machine.sm0.warps.other", 2000), 9) << chosen;
    if (std::string_view(chosen) == "sm0.warps.*") {
      EXPECT_EQ(vcd.value("machine.sm0.warps.warp0", 2000), 3);
      EXPECT_EQ(vcd.value("machine.sm0.warps.warp2", 2000), 0);
      EXPECT_EQ(vcd.value("machine.sm0.warps.warp69", 2000), 5);
    }
    values[1] = 4;
  }
}

TEST_F(VcdTest, NothingIsSampledWhenNobodyRecords) {
  unsigned reads = 0;
  ProbeGroup counted{probes, "sm2.issue", "gpu.core_clock"};
  counted.add("reads", 8, "how often it was read", [&] { return ++reads; });
  core(0);
  EXPECT_EQ(reads, 0u);
  auto writer = record("sm0.*");
  core(1);
  EXPECT_EQ(reads, 0u);
}

}  // namespace
}  // namespace heddle
