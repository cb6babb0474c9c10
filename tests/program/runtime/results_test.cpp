// SPDX-License-Identifier: Apache-2.0
// Results of a timed run: run.json, run.csv, the summary line, balanced accounts; also of stopped runs.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "run_program.h"

namespace heddle::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class Results : public RunProgram {
 protected:
  json results(const std::string& folder = "out") const { return json::parse(read(folder + "/run.json")); }
  static std::string last_line(const std::string& text) {
    const std::size_t end = text.find_last_not_of('\n');
    const std::size_t begin = text.rfind('\n', end);
    return text.substr(begin == std::string::npos ? 0 : begin + 1,
                       end - (begin == std::string::npos ? 0 : begin + 1) + 1);
  }
  static std::string command(const std::string& rest) { return std::string(HEDDLE_COMMAND) + " run " + rest; }
  static std::string program(const std::string& name) { return std::string(HEDDLE_PROGRAMS) + "/" + name; }
};

TEST_F(Results, HoldIdentityConfigurationAndTimes) {
  ASSERT_EQ(run("regions", "-m small -o out").status, 0);
  const json run = results();
  EXPECT_EQ(run["schema_version"], 1);
  EXPECT_EQ(run["complete"], true);
  EXPECT_EQ(run["identity"]["machine"], "small");
  EXPECT_THAT(run["identity"]["program"].get<std::string>(), testing::EndsWith("/regions"));
  EXPECT_EQ(run["identity"]["program_sha256"].get<std::string>().size(), 64u);
  ASSERT_EQ(run["identity"]["ptx"].size(), 1u);
  EXPECT_EQ(run["identity"]["ptx"][0]["sha256"].get<std::string>().size(), 64u);
  EXPECT_EQ(run["configuration"]["gpu"]["sm_classes"][0]["count"]["value"], 2);
  std::uint64_t cycles = 0;
  for (const json& kernel : run["kernels"]) cycles += kernel["cycles"].get<std::uint64_t>();
  EXPECT_EQ(run["run"]["cycles"], cycles);
  EXPECT_GT(cycles, 1000u);
  EXPECT_NEAR(run["run"]["simulated_seconds"], static_cast<double>(cycles) / 700e6, 1e-7);
}

TEST_F(Results, TheTimeIsThatOfTheTimedLaunchesAsInTheLastLine) {
  ASSERT_EQ(run("regions", "-m small --timing-kernels 2 -o out").status, 0);
  const json run = results();
  const std::uint64_t cycles = run["kernels"][1]["cycles"];
  EXPECT_EQ(run["run"]["cycles"], cycles);
  EXPECT_NEAR(run["run"]["simulated_seconds"], static_cast<double>(cycles) / 700e6, 1e-7)
      << "without what the other launches would take";
}

TEST_F(Results, AResultCanBeMadeAgainFromItsConfiguration) {
  ASSERT_EQ(run("regions", "-m small --set sm.order=lrr -o out").status, 0);
  const json first = results();
  std::ofstream(folder_ / "machine.json") << first["configuration"].dump();
  ASSERT_EQ(run("regions", "-m ./machine.json -o again").status, 0);
  EXPECT_EQ(results("again")["statistics"], first["statistics"]);
}

TEST_F(Results, IssueSlotsAddUp) {
  ASSERT_EQ(run("regions", "-m small -o out").status, 0);
  const json run = results();
  const std::uint64_t schedulers = run["configuration"]["gpu"]["sm_classes"][0]["sm"]["schedulers"]["value"];
  const auto check = [&](const json& statistics, std::uint64_t cycles) {
    std::uint64_t charged = 0, lanes = 0;
    for (const auto& [name, value] : statistics.items()) {
      if (name.rfind("issue.slots.", 0) == 0 && name != "issue.slots.cycles") charged += value.get<std::uint64_t>();
    }
    for (const auto& [bucket, value] : statistics["issue.slot_lanes"].items()) lanes += value.get<std::uint64_t>();
    EXPECT_EQ(charged, schedulers * statistics["issue.slots.cycles"].get<std::uint64_t>());
    EXPECT_EQ(lanes, charged) << "every slot has its class of lanes";
    EXPECT_EQ(statistics["issue.slots.cycles"].get<std::uint64_t>(), cycles) << "every cycle is accounted for";
  };
  for (const json& kernel : run["kernels"]) {
    check(kernel["statistics"]["classes"]["sm"], 2 * kernel["cycles"].get<std::uint64_t>());
  }
  for (const char* sm : {"sm0", "sm1"}) {
    check(run["statistics"]["instances"][sm], run["run"]["cycles"].get<std::uint64_t>());
  }
}

TEST_F(Results, KernelsAddUpToTheRun) {
  ASSERT_EQ(run("regions", "-m small -o out").status, 0);
  const json run = results();
  ASSERT_EQ(run["kernels"].size(), 4u);
  for (const char* name : {"issue.warp_instructions", "issue.slots.cycles", "memory.transactions"}) {
    std::uint64_t sum = 0;
    for (const json& kernel : run["kernels"]) sum += kernel["statistics"]["classes"]["sm"][name].get<std::uint64_t>();
    EXPECT_EQ(run["statistics"]["classes"]["sm"][name], sum) << name;
  }
  for (std::size_t i = 0; i < 4; ++i) {
    const json& kernel = run["kernels"][i];
    EXPECT_EQ(kernel["launch"], i + 1);
    EXPECT_EQ(kernel["timed"], true);
    EXPECT_EQ(kernel["statistics"]["classes"]["sm"]["issue.thread_instructions"], kernel["thread_instructions"]);
    EXPECT_EQ(kernel["statistics"]["classes"]["host"]["launches.timed"], 1);
    EXPECT_GT(kernel["statistics"]["machine"]["ipc"], 0);
  }
}

TEST_F(Results, RegionsHoldTheirLaunches) {
  ASSERT_EQ(run("regions", "-m small -o out").status, 0);
  const json run = results();
  std::map<std::string, json> regions;
  for (const json& region : run["regions"]) EXPECT_TRUE(regions.emplace(region["name"], region).second) << "one a name";
  const auto instructions = [&](std::size_t launch) {
    return run["kernels"][launch - 1]["thread_instructions"].get<std::uint64_t>();
  };
  const auto of = [&](const char* name) {
    return regions[name]["statistics"]["classes"]["sm"].value("issue.thread_instructions", std::uint64_t{0});
  };
  EXPECT_EQ(of("outer"), instructions(2) + instructions(3));
  EXPECT_EQ(of("inner"), instructions(3) + instructions(4)) << "a name used again adds to its region";
  EXPECT_EQ(regions["inner"]["first_launch"], 3);
  EXPECT_EQ(regions["inner"]["last_launch"], 4);
  EXPECT_EQ(of("left open"), 0u);
  EXPECT_EQ(regions["left open"]["statistics"]["classes"]["host"]["copies.to_host"], 4000);
}

TEST_F(Results, TheTableHoldsTheSameNumbers) {
  ASSERT_EQ(run("regions", "-m small -o out").status, 0);
  const json run = results();
  const std::string table = read("out/run.csv");
  const auto line = [&](const std::string& owner, const std::string& name, const json& value, const char* unit) {
    return "\nrun," + owner + "," + name + "," + value.dump() + "," + unit + "\n";
  };
  EXPECT_THAT(table, HasSubstr(line("sm1", "memory.transactions",
                                    run["statistics"]["instances"]["sm1"]["memory.transactions"], "transactions")));
  EXPECT_THAT(table, HasSubstr(line("class mc", "controller.requests",
                                    run["statistics"]["classes"]["mc"]["controller.requests"], "requests")));
}

TEST_F(Results, StructuresOfEveryModuleAreDeclaredWithBits) {
  ASSERT_EQ(run("regions", "-m small -o out").status, 0);
  std::map<std::string, std::uint64_t> bits;
  const json run_json = results();
  for (const json& structure : run_json["structures"]) {
    bits[structure["name"]] = structure["bits"].get<std::uint64_t>();
    EXPECT_GT(structure["bits"].get<std::uint64_t>(), 0u) << structure;
    EXPECT_FALSE(structure["sentence"].get<std::string>().empty());
  }
  EXPECT_EQ(bits["sm0.operands.registers"], 32768u * 32);
  EXPECT_EQ(bits["sm0.shared_memory.banks"], 48u * 1024 * 8);
  for (const char* name : {"sm1.issue.contexts", "sm0.grouping.stack", "sm0.hazards.scoreboard", "sm0.order0.last",
                           "sm0.memory.queue", "sm0.l1d.tags", "l2_0.cache.tags", "mc0.controller.queue"}) {
    EXPECT_EQ(bits.count(name), 1u) << name;
  }
}

TEST_F(Results, ASeriesAddsUpToTheCounter) {
  ASSERT_EQ(run("regions", "-m small -o out --series 'sm*.issue.thread_instructions' --series-every 100").status, 0);
  const json run = results();
  const json& series = run["time_series"];
  EXPECT_EQ(series["every"], 100);
  ASSERT_EQ(series["columns"], json({"cycle", "sm0.issue.thread_instructions", "sm1.issue.thread_instructions"}));
  std::uint64_t sum = 0, cycle = 99;
  for (const json& row : series["rows"]) {
    EXPECT_EQ(row[0], cycle);
    cycle += 100;
    sum += row[1].get<std::uint64_t>();
  }
  EXPECT_GT(series["rows"].size(), 10u);
  EXPECT_EQ(sum, run["statistics"]["instances"]["sm0"]["issue.thread_instructions"]);
}

TEST_F(Results, TheLastLineSaysTimeCyclesAndRates) {
  const Result result = run("regions", "-m small");
  EXPECT_THAT(last_line(result.err), testing::MatchesRegex("heddle: 4 launches on Heddle small: [0-9]+ cycles, "
                                                           "[0-9.e+]+ [mu]?s simulated, [0-9]+ thread-instructions, "
                                                           "[0-9.e+]+ [mu]?s, [0-9.e+]+ ?[kM]? cycles/s, "
                                                           "[0-9.e+]+ ?[kM]? thread-instructions/s"));
  EXPECT_EQ(result.out, "PASS\n");
  EXPECT_THAT(last_line(run("regions", "--functional").err),
              HasSubstr("4 launches on Heddle gtx480, run functionally: "));
  EXPECT_THAT(last_line(run("regions", "-m small --timing-kernels 2").err),
              HasSubstr("1 of them timed, the others run functionally: "));
}

TEST_F(Results, QuietRunsSayNothing) { EXPECT_EQ(run("regions", "-q -m small").err, ""); }

TEST_F(Results, KernelsThatAreNotTimedAreMarked) {
  ASSERT_EQ(run("regions", "-m small --skip-kernels 1-2 -o out").status, 0);
  const json run = results();
  EXPECT_EQ(run["kernels"][0]["timed"], false);
  EXPECT_FALSE(run["kernels"][0].contains("cycles"));
  EXPECT_EQ(run["kernels"][1]["statistics"]["classes"]["host"]["functional.thread_instructions"],
            run["kernels"][1]["thread_instructions"]);
  EXPECT_EQ(run["kernels"][2]["timed"], true);
  // A machine built while a region is open counts in it.
  EXPECT_EQ(run["regions"][0]["statistics"]["classes"]["sm"]["issue.thread_instructions"],
            run["kernels"][2]["thread_instructions"]);
}

TEST_F(Results, ACycleLimitLeavesWhatThereIs) {
  const Result result = run("faults counting", "-m small --max-cycles 5000 -o out");
  EXPECT_EQ(result.status, 105) << result.err;
  const json run = results();
  EXPECT_EQ(run["complete"], false);
  EXPECT_THAT(run["why_incomplete"].get<std::string>(), HasSubstr("limit"));
  EXPECT_EQ(run["kernels"][0]["complete"], false);
  EXPECT_GE(run["kernels"][0]["cycles"], 5000);
  EXPECT_LT(run["kernels"][0]["cycles"], 5500);
  EXPECT_EQ(run["statistics"]["instances"]["sm0"]["issue.slots.cycles"], run["kernels"][0]["cycles"]);
  EXPECT_GT(run["kernels"][0]["thread_instructions"], 100);
}

TEST_F(Results, AnInstructionLimitStopsATimedRun) {
  const Result result = run("faults counting", "-m small --max-instructions 2000 -o out");
  EXPECT_EQ(result.status, 105) << result.err;
  EXPECT_GE(results()["kernels"][0]["thread_instructions"], 2000);
  EXPECT_LT(results()["kernels"][0]["thread_instructions"], 4000);
}

TEST_F(Results, AnInterruptedTimedRunLeavesWhatThereIs) {
  const Result result = shell("timeout --foreground --preserve-status -s INT 2 " +
                              command("-m small -o out " + program("faults") + " counting"));
  EXPECT_EQ(result.status, 130) << result.err;
  const json run = results();
  EXPECT_EQ(run["complete"], false);
  EXPECT_THAT(run["why_incomplete"].get<std::string>(), HasSubstr("interrupted"));
  EXPECT_GT(run["run"]["cycles"], 1000);
}

TEST_F(Results, AFaultInATimedKernelKeepsTheAccount) {
  run("faults bounds", "-m small -o out");
  const json run = results();
  EXPECT_EQ(run["complete"], false);
  EXPECT_THAT(run["why_incomplete"].get<std::string>(), HasSubstr("past the end of"));
  EXPECT_EQ(run["kernels"][0]["complete"], false);
}

TEST_F(Results, ALongKernelShowsItsProgressOnATerminal) {
  // Several times the two seconds between lines, also on a fast host.
  const std::string run = command("-m small --max-instructions 90000000 " + program("faults") + " counting");
  // `script` gives the program a terminal.
  const Result result = shell("timeout -s INT 40 script -qec '" + run + "' /dev/null");
  EXPECT_THAT(result.out, HasSubstr("heddle: launch 1, kernel "));
  EXPECT_THAT(result.out, HasSubstr(" cycles, "));
  const Result piped = shell("timeout -s INT 4 " + run);
  EXPECT_EQ(piped.err.find("heddle: launch 1, kernel "), std::string::npos) << "no terminal, no progress";
}

}  // namespace
}  // namespace heddle::test
