// SPDX-License-Identifier: Apache-2.0
// Waveform files, and the views that open with them.
#include <gmock/gmock.h>

#include "vcd_fixture.h"
#include "vcd_reader.h"

namespace heddle {
namespace {

using test::VcdReader;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

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
