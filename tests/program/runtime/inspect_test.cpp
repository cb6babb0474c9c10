// SPDX-License-Identifier: Apache-2.0
// Pipeline logs, timelines, profiles and spans, read back by independent readers, agree with the run's statistics on
// every kind of pipeline and grouping; recording them changes nothing.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "kanata_reader.h"
#include "run_program.h"

namespace heddle::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class Inspect : public RunProgram, public testing::WithParamInterface<const char*> {
 protected:
  json result(const std::string& folder) const { return json::parse(read(folder + "/run.json")); }
  /// Counters of all SMs, whatever their classes are called.
  static std::uint64_t of_sms(const json& run, const std::string& name) {
    std::uint64_t sum = 0;
    for (const auto& [owner, values] : run["statistics"]["instances"].items()) {
      if (owner.rfind("sm", 0) == 0 && values.contains(name)) sum += values[name].get<std::uint64_t>();
    }
    return sum;
  }
  static json outcome(json run) {
    run["run"].erase("wall_seconds");
    return {{"run", run["run"]}, {"statistics", run["statistics"]}, {"kernels", run["kernels"]}};
  }
  std::string machine() const { return GetParam(); }
};

/// Memory of all kinds, atomics, barriers, branches both ways.
const char* const kProgram = "inspected";

/// Sums of a profile by name.
std::map<std::string, std::uint64_t> sums(const json& profile, const char* what) {
  std::map<std::string, std::uint64_t> all;
  for (const json& kernel : profile["kernels"]) {
    for (const json& instruction : kernel["instructions"]) {
      for (const auto& [name, number] : instruction[what].items()) all[name] += number.get<std::uint64_t>();
    }
  }
  return all;
}

TEST_P(Inspect, RecordingChangesNothing) {
  ASSERT_EQ(run(kProgram, "-m " + machine() + " -o plain").status, 0);
  ASSERT_EQ(run(kProgram, "-m " + machine() + " -o all --inspect --pipeline p.kanata --timeline t.json").status, 0);
  EXPECT_EQ(outcome(result("all")), outcome(result("plain")));
}

TEST_P(Inspect, ThePipelineLogHasALineForEveryInstruction) {
  ASSERT_EQ(run(kProgram, "-m " + machine() + " -o profiled --profile --pipeline p.kanata").status, 0);
  ASSERT_EQ(run(kProgram, "-m " + machine() + " -o out --pipeline q.kanata --pipeline-lines packets").status, 0);
  const json all = result("out");
  std::size_t retired = 0, packets = 0, arrows = 0;
  const auto lines = read_kanata(read("p.kanata"));
  for (const KanataLine& line : lines) {
    retired += line.flushed ? 0 : 1;
    arrows += line.producers.size();
    if (line.flushed) continue;
    EXPECT_TRUE(std::any_of(line.stages.begin(), line.stages.end(),
                            [](const KanataStage& stage) { return stage.name.front() == 'X'; }))
        << line.label << ": an arrow needs a stage with an X";
  }
  EXPECT_EQ(retired, of_sms(all, "issue.warp_instructions"));
  EXPECT_GT(arrows, retired / 10);
  std::set<std::string> states, shown;
  const json profiled = result("profiled");
  for (const json& cause : profiled["profile"]["causes"]) states.insert(cause["name"].get<std::string>());
  for (const KanataLine& line : lines) {
    for (const KanataStage& stage : line.stages) {
      if (stage.lane == 1) shown.insert(stage.name);
    }
  }
  EXPECT_TRUE(std::includes(states.begin(), states.end(), shown.begin(), shown.end()))
      << "the second lane has the names of the profile";
  EXPECT_THAT(shown, testing::Contains("memory"));
  unsigned most = 1;  // highest number of a packet within its instruction
  for (const KanataLine& line : read_kanata(read("q.kanata"))) {
    packets += line.flushed ? 0 : 1;
    if (const auto at = line.label.find("  packet "); at != std::string::npos)
      most = std::max(most, static_cast<unsigned>(std::stoul(line.label.substr(at + 9))));
  }
  EXPECT_EQ(packets, of_sms(all, "issue.packets"));
  EXPECT_EQ(most > 1, packets > of_sms(all, "issue.warp_instructions")) << "packets of an instruction are numbered";
}

TEST_P(Inspect, TheProfileAddsUpToTheStatistics) {
  ASSERT_EQ(run(kProgram, "-m " + machine() + " -o out --inspect").status, 0);
  const json all = result("out");
  auto counts = sums(all["profile"], "counts");
  EXPECT_EQ(counts["issues"], of_sms(all, "issue.warp_instructions"));
  EXPECT_EQ(counts["packets"], of_sms(all, "issue.packets"));
  EXPECT_EQ(counts["active_lanes"], of_sms(all, "issue.active_lanes"));
  EXPECT_EQ(counts["offered_lanes"], of_sms(all, "issue.offered_lanes"));
  EXPECT_EQ(counts["transactions"], of_sms(all, "memory.transactions"));
  EXPECT_EQ(counts["l1_hits"], of_sms(all, "l1d.read_hits"));
  EXPECT_EQ(counts["l1_misses"], of_sms(all, "l1d.read_misses"));
  EXPECT_EQ(counts["l1_merges"], of_sms(all, "l1d.read_merges"));
  // In every cycle a context either issues or waits for one cause.
  std::uint64_t waited = 0, there = 0, issued = 0;
  for (const auto& [cause, cycles] : sums(all["profile"], "stalls")) waited += cycles;
  for (const json& row : all["spans"]["warps"]["rows"]) {
    there += row[6].get<std::uint64_t>() - row[5].get<std::uint64_t>() + 1;
    issued += row[7].get<std::uint64_t>();
  }
  EXPECT_EQ(waited + issued, there);
  EXPECT_EQ(issued, counts["issues"]);
  EXPECT_FALSE(all["spans"]["truncated"].get<bool>());
}

TEST_P(Inspect, BlocksHaveSpansThatFillTheirSlots) {
  ASSERT_EQ(run(kProgram, "-m " + machine() + " -o out --inspect").status, 0);
  const json all = result("out");
  const json& rows = all["spans"]["blocks"]["rows"];
  EXPECT_EQ(rows.size(), of_sms(all, "issue.blocks_finished"));
  std::map<std::pair<unsigned, unsigned>, std::uint64_t> busy_until;
  for (const json& row : rows) {
    const auto slot = std::pair(row[0].get<unsigned>(), row[1].get<unsigned>());
    EXPECT_LE(row[4], row[5]);
    EXPECT_GE(row[4].get<std::uint64_t>(), busy_until[slot]);
    busy_until[slot] = row[5];
  }
}

TEST_P(Inspect, TheTimelineNestsAndItsArrowsHaveEnds) {
  ASSERT_EQ(run(kProgram, "-m " + machine() + " -o out --timeline t.json").status, 0);
  const json all = result("out");
  std::map<std::pair<int, int>, std::vector<std::pair<double, double>>> open;
  std::map<std::uint64_t, std::string> arrows;
  std::map<std::string, std::uint64_t> slices;
  std::uint64_t counters = 0;
  // By time, an outer slice before those within it, which is the order of the file where times are equal.
  json events = json::parse(read("t.json"))["traceEvents"];
  std::stable_sort(events.begin(), events.end(),
                   [](const json& a, const json& b) { return a.value("ts", -1.0) < b.value("ts", -1.0); });
  for (const json& event : events) {
    const std::string kind = event["ph"];
    if (kind == "C") ++counters;
    if (kind == "s" || kind == "t" || kind == "f") arrows[event["id"]] += kind;
    if (kind != "X") continue;
    ++slices[event["cat"]];
    auto& stack = open[{event["pid"], event["tid"]}];
    const double begin = event["ts"], end = begin + event["dur"].get<double>();
    while (!stack.empty() && stack.back().second <= begin) stack.pop_back();
    EXPECT_LE(end, (stack.empty() ? end : stack.back().second) + 1e-6) << event;
    stack.emplace_back(begin, end);
  }
  EXPECT_EQ(slices["kernel"], all["kernels"].size());
  EXPECT_EQ(slices["block"], of_sms(all, "issue.blocks_finished"));
  EXPECT_GT(slices["basic block"], 10u);
  EXPECT_GT(slices["stall"], 10u);
  EXPECT_GT(counters, 10u);
  std::uint64_t activates = 0;
  for (const auto& [owner, values] : all["statistics"]["instances"].items()) {
    if (owner.rfind("mc", 0) == 0) activates += values.value("controller.channel.activates", std::uint64_t{0});
  }
  EXPECT_EQ(slices["row"], activates);
  EXPECT_EQ(arrows.empty(), activates == 0);
  for (const auto& [id, phases] : arrows) EXPECT_EQ(phases, "stf") << id;
}

INSTANTIATE_TEST_SUITE_P(Machines, Inspect,
                         testing::Values("small", "gtx480", "tesla-16x8", "large-warp-core", "compaction-core",
                                         "formation-core", "subdivision-core", "interweaving-sm", "interweaving-both",
                                         "vws-ws4"),
                         [](const auto& machine) {
                           std::string name = machine.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

class InspectOptions : public Inspect {};

TEST_F(InspectOptions, FiltersChooseSmsWarpsKernelsAndCycles) {
  ASSERT_EQ(run("regions", "-m small -o out --pipeline p.kanata --sms 1 --warps 0-1").status, 0);
  const auto lines = read_kanata(read("p.kanata"));
  EXPECT_FALSE(lines.empty());
  for (const KanataLine& line : lines) EXPECT_TRUE(line.thread == 512 || line.thread == 513) << line.thread;
  ASSERT_EQ(run("regions", "-m small -o out --pipeline p.kanata --window 1000:1500").status, 0);
  const auto inside = read_kanata(read("p.kanata"));
  EXPECT_FALSE(inside.empty());
  for (const KanataLine& line : inside) {
    EXPECT_GE(line.begin, 1000u);
    EXPECT_LE(line.begin, 1500u);
  }
  ASSERT_EQ(run("regions", "-m small -o out --pipeline p.kanata --profile --kernels nobody").status, 0);
  EXPECT_TRUE(read_kanata(read("p.kanata")).empty());
  EXPECT_TRUE(result("out")["profile"]["kernels"].empty());
}

TEST_F(InspectOptions, LinesOfABufferedPipelineBeginWhereTheyAreFetched) {
  ASSERT_EQ(run(kProgram, "-m small --pipeline p.kanata").status, 0);
  std::size_t flushed = 0, all = 0;
  for (const KanataLine& line : read_kanata(read("p.kanata"))) {
    ++all;
    flushed += line.flushed ? 1 : 0;
    ASSERT_FALSE(line.stages.empty()) << line.label;
    EXPECT_EQ(line.stages.front().name.front(), 'F') << line.label;
  }
  EXPECT_LT(flushed, all / 4) << "only what lies behind branches is fetched for nothing";
}

TEST_F(InspectOptions, APartOfTheCyclesHasAPartOfTheStalls) {
  ASSERT_EQ(run("regions", "-m small -o whole --profile").status, 0);
  ASSERT_EQ(run("regions", "-m small -o first --profile --window :999").status, 0);
  ASSERT_EQ(run("regions", "-m small -o rest --profile --window 1000:").status, 0);
  for (const char* what : {"counts", "stalls"}) {
    auto whole = sums(result("whole")["profile"], what), first = sums(result("first")["profile"], what),
         rest = sums(result("rest")["profile"], what);
    for (const auto& [name, number] : whole) {
      if (name.rfind("l1_", 0) == 0 || name.rfind("l2_", 0) == 0) continue;
      EXPECT_EQ(first[name] + rest[name], number) << name;
    }
  }
}

TEST_F(InspectOptions, ALogStopsAtItsSizeAndSaysSo) {
  const Result result = run("regions", "-m small --pipeline p.kanata --timeline t.json --trace-bytes 20000");
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.err, testing::AllOf(HasSubstr("the pipeline log stops at its size limit"),
                                         HasSubstr("the timeline stops at its size limit")));
  EXPECT_LT(fs::file_size(folder_ / "t.json"), 40000u);
  read_kanata(read("p.kanata"));
  EXPECT_NO_THROW(json::parse(read("t.json")));
}

TEST_F(InspectOptions, ThreadsThatARecordingLeavesOutAreSaid) {
  EXPECT_THAT(run("regions", "-m small --threads 2 --pipeline p.kanata").err,
              HasSubstr("note: one thread simulated the machine, because what its SMs did was recorded"));
  EXPECT_THAT(run("regions", "-m small --threads 2").err, testing::Not(HasSubstr("one thread")));
}

TEST_F(InspectOptions, ARequestThatMatchedNothingIsSaid) {
  const auto note = [this](const std::string& options) { return run("regions", "-m small " + options).err; };
  EXPECT_THAT(note("--pipeline p.kanata --kernels nothing"),
              HasSubstr("note: no kernel matches 'nothing', so none was recorded"));
  EXPECT_THAT(note("--vcd w.vcd --window kernel=nothing"),
              HasSubstr("note: no kernel matches the window 'nothing'; these ran: "));
  EXPECT_THAT(note("--vcd w.vcd --window 900000000:"), HasSubstr("before the window from 900000000"));
  EXPECT_THAT(note("--vcd w.vcd --window line=nowhere.cu:1"), HasSubstr("note: no instruction opened the window"));
  const Result refused = run("regions", "-m small --pipeline p.kanata --sms 40");
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("--sms 40: the machine has SMs 0 to 1"));
}

TEST_F(InspectOptions, WrongOptionsEndTheRunBeforeItsFirstKernel) {
  EXPECT_EQ(run("regions", "-m small --pipeline p.kanata --sms x").status, 2);
  EXPECT_EQ(run("regions", "-m small --pipeline p.kanata --warps 3-1").status, 2);
  EXPECT_EQ(run("regions", "-m small --pipeline p.kanata --pipeline-lines rows").status, 2);
  EXPECT_EQ(run("regions", "-m small --pipeline p.kanata --window last=100").status, 2);
  EXPECT_EQ(run("regions", "-m small --pipeline /proc/nowhere/p.kanata").status, 106);
  EXPECT_EQ(run("regions", "-m small --timeline /proc/nowhere/t.json").status, 106);
}

}  // namespace
}  // namespace heddle::test
