// SPDX-License-Identifier: Apache-2.0
#include "core/statistics/run_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/digest.h"
#include "core/error.h"
#include "core/file.h"

namespace heddle {
namespace {

using ::testing::HasSubstr;

class RunJson : public ::testing::Test {
 protected:
  struct Sm {
    Sm(Statistics& statistics, const std::string& name)
        : owner(statistics, name, "sm"),
          group(owner, "issue"),
          issued(group, "issued", "instructions issued", unit::kInstructions),
          cycles(group, "cycles", "cycles", unit::kCycles),
          lanes(group, "lanes", "active lanes", unit::kLanes, Buckets::linear(1, 16, 2)),
          ipc(group, "ipc", "instructions a cycle", unit::kInstructionsPerCycle,
              [this](const StatisticsView& v) { return v.ratio(issued, cycles); }) {}
    StatisticsOwner owner;
    StatisticsGroup group;
    Counter issued, cycles;
    Histogram lanes;
    Derived ipc;
  };
  void SetUp() override {
    folder = std::filesystem::path(::testing::TempDir()) / ("run-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    statistics.derive({"ipc", "instructions a cycle of all SMs", unit::kInstructionsPerCycle,
                       [](const StatisticsSample& s) { return s.value("sm*.issue.issued") / 100; }});
    report.version = "0.1";
    report.commit = "abc-modified";
    report.machine = "small";
    report.configuration = "{\"seed\": 1}\n";
    report.program = "./vecadd";
    report.arguments = {"-n", "a \"quoted\" one"};
    report.ptx = {{"vecadd.ptx", sha256("")}};
    report.cycles = 100;
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  nlohmann::json written() const { return nlohmann::json::parse(run_json(report, statistics, structures)); }
  static std::string text(const std::filesystem::path& file) {
    std::ostringstream out;
    out << std::ifstream(file).rdbuf();
    return out.str();
  }

  std::filesystem::path folder;
  Statistics statistics;
  Structures structures;
  Sm sm0{statistics, "sm0"}, sm1{statistics, "sm1"};
  RunReport report;
};

TEST_F(RunJson, HoldsIdentityConfigurationAndItsSchema) {
  report.total = statistics.total();
  const auto run = written();
  EXPECT_EQ(run["schema_version"], kRunSchemaVersion);
  EXPECT_EQ(run["complete"], true);
  EXPECT_EQ(run["identity"]["machine"], "small");
  EXPECT_EQ(run["identity"]["commit"], "abc-modified");
  EXPECT_EQ(run["identity"]["arguments"][1], "a \"quoted\" one");
  EXPECT_EQ(run["identity"]["ptx"][0]["sha256"], "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(run["configuration"]["seed"], 1);
  EXPECT_EQ(run["run"]["cycles"], 100);
}

TEST_F(RunJson, HoldsEveryNumberByInstanceAndClassWithUnitAndSentence) {
  sm0.issued += 30;
  sm0.cycles += 100;
  sm1.issued += 10;
  sm1.cycles += 100;
  sm1.lanes.record(32, 3);
  report.total = statistics.total();
  const auto run = written();
  const auto& all = run["statistics"];
  EXPECT_EQ(all["instances"]["sm0"]["issue.issued"], 30);
  EXPECT_EQ(all["instances"]["sm0"]["issue.ipc"], 0.3);
  EXPECT_EQ(all["classes"]["sm"]["issue.issued"], 40);
  EXPECT_EQ(all["classes"]["sm"]["issue.ipc"], 0.2);
  EXPECT_EQ(all["classes"]["sm"]["issue.lanes"], (nlohmann::json{{"1-16", 0}, {"17-32", 3}, {"sum", 96}}));
  EXPECT_EQ(all["machine"]["ipc"], 0.4);
  const auto& said = run["declarations"];
  EXPECT_EQ(said["classes"]["sm"]["issue.issued"]["unit"], "instructions");
  EXPECT_EQ(said["classes"]["sm"]["issue.lanes"]["kind"], "histogram");
  EXPECT_EQ(said["machine"]["ipc"]["sentence"], "instructions a cycle of all SMs");
  for (const auto& [name, value] : all["classes"]["sm"].items())
    EXPECT_TRUE(said["classes"]["sm"].contains(name)) << name;
}

TEST_F(RunJson, HoldsKernelsOneByOneAndRegions) {
  for (const std::uint64_t amount : {5, 7}) {
    const auto id = statistics.open();
    sm0.issued += amount;
    KernelRecord record;
    record.launch = report.kernels.size() + 1;
    record.name = "kernel";
    record.block = {32, 2, 1};
    record.first_cycle = 10 * amount;
    record.cycles = 9;
    record.statistics = summarize(statistics, statistics.close(id));
    report.kernels.push_back(record);
  }
  report.regions.push_back({"setup", false, 1, 2, summarize(statistics, statistics.total())});
  report.total = statistics.total();
  const auto run = written();
  ASSERT_EQ(run["kernels"].size(), 2u);
  EXPECT_EQ(run["kernels"][0]["statistics"]["classes"]["sm"]["issue.issued"], 5);
  EXPECT_EQ(run["kernels"][1]["statistics"]["classes"]["sm"]["issue.issued"], 7);
  EXPECT_FALSE(run["kernels"][1]["statistics"]["classes"]["sm"].contains("issue.cycles"));  // zero
  EXPECT_EQ(run["kernels"][1]["block"], (nlohmann::json{32, 2, 1}));
  EXPECT_EQ(run["kernels"][1]["first_cycle"], 70);
  EXPECT_EQ(run["regions"][0]["name"], "setup");
  EXPECT_EQ(run["regions"][0]["last_launch"], 2);
  EXPECT_EQ(run["regions"][0]["statistics"]["classes"]["sm"]["issue.issued"], 12);
}

TEST_F(RunJson, HoldsTheTimeSeriesAndTheStructures) {
  TimeSeries series(statistics, "sm*.issue.issued,sm1.issue.lanes[17-32]", 10);
  EXPECT_EQ(series.due(), 9u);
  sm0.issued += 3;
  series.sample(9);
  EXPECT_EQ(series.due(), 19u);
  sm0.issued += 1;
  sm1.lanes.record(20);
  series.sample(19);
  Structure buffer{structures, "sm0.buffer", "fetched instructions", 4, {{"instruction", 64, 2, 1}}};
  report.series = &series;
  report.total = statistics.total();
  const auto run = written();
  EXPECT_EQ(run["time_series"]["every"], 10);
  EXPECT_EQ(run["time_series"]["columns"],
            (nlohmann::json{"cycle", "sm0.issue.issued", "sm1.issue.issued", "sm1.issue.lanes[17-32]"}));
  EXPECT_EQ(run["time_series"]["rows"], (nlohmann::json{{9, 3, 0, 0}, {19, 1, 0, 1}}));
  EXPECT_EQ(run["structures"][0]["bits"], 256);
  EXPECT_EQ(run["structures"][0]["fields"][0]["reads"], 2);
  EXPECT_THROW(TimeSeries(statistics, "no.such", 10), Error);
}

TEST_F(RunJson, ASeriesWithoutAnIntervalGrowsItWithTheRun) {
  TimeSeries series(statistics, "sm0.issue.issued", 0);
  EXPECT_EQ(series.every(), TimeSeries::kFirstInterval);
  std::uint64_t cycle = 0;
  for (std::uint64_t row = 0; row < TimeSeries::kMostRows; ++row) {
    cycle = series.due();
    sm0.issued += 3;
    series.sample(cycle);
  }
  EXPECT_EQ(series.rows(), TimeSeries::kMostRows / 2);
  EXPECT_EQ(series.every(), 2 * TimeSeries::kFirstInterval);
  EXPECT_EQ(series.due(), cycle + 2 * TimeSeries::kFirstInterval);
  for (std::size_t row : {std::size_t{0}, series.rows() - 1}) {
    EXPECT_EQ(series.row(row)[0], 6u);
    EXPECT_EQ(series.cycle(row), (row + 1) * 2 * TimeSeries::kFirstInterval - 1);
  }
}

TEST_F(RunJson, AnUnfinishedRunSaysSo) {
  report.complete = false;
  report.why_incomplete = "interrupted";
  report.total = statistics.total();
  EXPECT_EQ(written()["complete"], false);
  EXPECT_EQ(written()["why_incomplete"], "interrupted");
}

TEST_F(RunJson, TheTableHoldsTheSameNumbers) {
  sm0.issued += 30;
  sm0.cycles += 100;
  sm1.lanes.record(32, 3);
  const auto id = statistics.open();
  sm0.issued += 1;
  KernelRecord record;
  record.launch = 1;
  record.name = "k<int, 2>";
  record.thread_instructions = 64;
  record.statistics = summarize(statistics, statistics.close(id));
  report.kernels.push_back(record);
  report.total = statistics.total();
  const std::string csv = run_csv(report, statistics);
  EXPECT_THAT(csv, HasSubstr("interval,owner,statistic,value,unit\n"));
  EXPECT_THAT(csv, HasSubstr("\nrun,sm0,issue.issued,31,instructions\n"));
  EXPECT_THAT(csv, HasSubstr("\nrun,class sm,issue.lanes[17-32],3,lanes\n"));
  EXPECT_THAT(csv, HasSubstr("\nrun,class sm,issue.lanes[sum],96,lanes\n"));
  EXPECT_THAT(csv, HasSubstr("\nrun,sm0,issue.ipc,0.31,instructions/cycle\n"));
  EXPECT_THAT(csv, HasSubstr("\n\"kernel 1 k<int, 2>\",machine,thread_instructions,64,thread-instructions\n"));
  EXPECT_THAT(csv, HasSubstr("\n\"kernel 1 k<int, 2>\",class sm,issue.issued,1,instructions\n"));
}

TEST_F(RunJson, AReaderRefusesANewerSchemaAndWhatIsNoResult) {
  report.total = statistics.total();
  write_run(folder, report, statistics, structures);
  EXPECT_EQ(read_run(folder / "run.json").find("cycles"), nullptr);
  EXPECT_NE(read_run(folder / "run.json").find("statistics"), nullptr);
  std::ofstream(folder / "newer.json") << "{\"schema_version\": " << kRunSchemaVersion + 1 << "}";
  std::ofstream(folder / "other.json") << "{}";
  EXPECT_THROW(read_run(folder / "newer.json"), Error);
  EXPECT_THROW(read_run(folder / "other.json"), Error);
}

TEST_F(RunJson, AFileIsWrittenWholeOrNotAtAll) {
  const auto file = folder / "deep" / "run.json";
  write_file_atomically(file, "first");
  EXPECT_EQ(text(file), "first");
  // A file limit stands for a full disk: both end in a short write.
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{4096, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  EXPECT_THROW(write_file_atomically(file, std::string(100000, 'x')), Error);
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(text(file), "first");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder / "deep"), {}), 1);
  EXPECT_THROW(write_file_atomically("/proc/no/such", "x"), Error);
}

TEST(Sha256, GivesTheStandardsExamples) {
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(JsonText, NumbersReadBackAndNonFiniteOnesAreNull) {
  EXPECT_EQ(json_number(0.1), "0.1");
  EXPECT_EQ(json_number(3), "3");
  EXPECT_EQ(json_number(1e300), "1e+300");
  EXPECT_EQ(json_number(0.0 / 0.0), "null");
  EXPECT_EQ(json_quote("a\"\\\n\x01"), "\"a\\\"\\\\\\n\\u0001\"");
  EXPECT_EQ(json_quote("bad \xff byte"), "\"bad \xef\xbf\xbd byte\"");
}

}  // namespace
}  // namespace heddle
