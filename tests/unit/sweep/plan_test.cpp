// SPDX-License-Identifier: Apache-2.0
// Keys: what they depend on, and their stability.
#include "sweep/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "core/error.h"
#include "sweep/workflow.h"

namespace heddle::sweep {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

RunInputs some_inputs() {
  return {"0.1.0",          "aa",         {{"gpu.x", "1"}, {"gpu.y", "\"gto\""}}, "bb", {"--size", "small"},
          {"--functional"}, {{"f", "cc"}}};
}

TEST(RunKey, IsTheSameInEveryVersionThatReadsTheseFolders) {
  // Changing this value invalidates all finished runs of all users.
  EXPECT_EQ(run_key(some_inputs()), "840039f7dcf4b4a8dbbc45780defa07b");
}

TEST(RunKey, ChangesWithEachThingThatARunDependsOn) {
  const std::string key = run_key(some_inputs());
  EXPECT_EQ(key.size(), kKeyDigits);
  const auto changed = [&](auto change) {
    RunInputs inputs = some_inputs();
    change(inputs);
    return run_key(inputs) != key;
  };
  EXPECT_TRUE(changed([](RunInputs& i) { i.version = "0.1.1"; }));
  EXPECT_TRUE(changed([](RunInputs& i) { i.model_sha256 = "ab"; }));
  EXPECT_TRUE(changed([](RunInputs& i) { i.configuration["gpu.x"] = "2"; }));
  EXPECT_TRUE(changed([](RunInputs& i) { i.program_sha256 = "bc"; }));
  EXPECT_TRUE(changed([](RunInputs& i) { i.arguments[1] = "large"; }));
  EXPECT_TRUE(changed([](RunInputs& i) { i.options.clear(); }));
  EXPECT_TRUE(changed([](RunInputs& i) { i.inputs["f"] = "dd"; }));
}

TEST(RunKey, TellsApartWhatWouldBeOneTextWithoutLengths) {
  RunInputs a = some_inputs(), b = some_inputs();
  a.arguments = {"--size small"};
  b.arguments = {"--size", "small"};
  EXPECT_NE(run_key(a), run_key(b));
  a.arguments = {"x"};
  a.options = {};
  b.arguments = {};
  b.options = {"x"};
  EXPECT_NE(run_key(a), run_key(b));
}

class PlanTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder = fs::path(::testing::TempDir()) / ("plan-" + std::to_string(::getpid()));
    fs::create_directories(folder);
    write("app", "#!/bin/sh\n");
    fs::permissions(folder / "app", fs::perms::owner_all);
    write("libcudart.so", "model");
  }
  void TearDown() override { fs::remove_all(folder); }
  void write(const std::string& name, const std::string& text) { std::ofstream(folder / name) << text; }
  Study study(const std::string& rest) {
    return parse_study(R"({"programs": [{"command": ["./app", "-n", "3"]}], )" + rest + "}", folder / "s.json");
  }
  Plan plan(const std::string& rest) { return Plan(study(rest), {"/bin/true", folder / "libcudart.so", "1"}); }
  fs::path folder;
};

TEST_F(PlanTest, PointsThatResolveToOneMachineShareARun) {
  // gto is the default of `small`.
  const Plan both = plan(R"("machines": ["small"], "points": [{}, {"sm.order": "gto"}, {"sm.order": "lrr"}])");
  ASSERT_EQ(both.keys().size(), 3u);
  EXPECT_EQ(both.keys()[0], both.keys()[1]);
  EXPECT_NE(both.keys()[0], both.keys()[2]);
  EXPECT_EQ(both.runs().size(), 2u);
}

TEST_F(PlanTest, KeysStayWhenTheStudyChangesAroundThem) {
  const Plan before = plan(R"("machines": ["small"], "parameters": {"sm.order": ["gto", "lrr"]})");
  const Plan after = plan(R"("name": "other", "machines": ["gtx480", "small"], "retries": 3, "requests": {"minutes": 1},
                             "parameters": {"sm.order": ["lrr"]}, "collect": ["ipc"])");
  EXPECT_EQ(after.keys()[1], before.keys()[1]);
}

TEST_F(PlanTest, AChangedProgramInputOrMachineMakesAnotherKey) {
  write("in", "1");
  write("m.json", R"({"extends": "small"})");
  const auto key = [&] {
    return Plan(parse_study(R"({"programs": [{"command": ["./app"], "inputs": ["in"]}], "machines": ["./m.json"]})",
                            folder / "s.json"),
                {"/bin/true", folder / "libcudart.so", "1"})
        .keys()[0];
  };
  const std::string first = key();
  EXPECT_EQ(key(), first);
  write("in", "2");
  const std::string second = key();
  EXPECT_NE(second, first);
  write("m.json", R"({"extends": "small", "sm": {"order": "lrr"}})");
  const std::string third = key();
  EXPECT_NE(third, second);
  write("app", "#!/bin/sh\ntrue\n");
  const std::string fourth = key();
  EXPECT_NE(fourth, third);
  write("libcudart.so", "another model");
  EXPECT_NE(key(), fourth);
}

TEST_F(PlanTest, AChangeWhileTheStudyRunsIsSeenWhenTheRunIsPrepared) {
  Plan made = plan(R"("machines": ["small"])");
  EXPECT_EQ(made.prepare(0).key, made.keys()[0]);
  write("app", "#!/bin/sh\nexit 1\n");
  EXPECT_NE(made.prepare(0).key, made.keys()[0]);
}

TEST_F(PlanTest, WrongParametersMachinesAndProgramsNameThePoint) {
  const auto message = [&](const std::string& rest) {
    try {
      plan(rest);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_THAT(message(R"("machines": ["small"], "parameters": {"sm.ordr": ["gto"]})"),
              HasSubstr("s.json: app on small, sm.ordr=gto: --set sm.ordr=\"gto\": "));
  EXPECT_THAT(message(R"("machines": ["small"], "parameters": {"sm.ordr": ["gto"]})"),
              HasSubstr("did you mean 'sm.order'?"));
  EXPECT_THAT(message(R"("machines": ["smal"])"), HasSubstr("did you mean 'small'?"));
  EXPECT_THAT(message(R"("machines": ["./absent.json"])"), HasSubstr("absent.json: no such machine description"));
  fs::remove(folder / "app");
  EXPECT_THAT(message(R"("machines": ["small"])"), HasSubstr("s.json:1: programs: program "));
}

TEST_F(PlanTest, TheListGivesTheSamePlanBackUnlessTheStudyDiffers) {
  const std::string rest = R"("machines": ["small"], "parameters": {"sm.order": ["gto", "lrr"]})";
  const Plan made = plan(rest);
  write("points.json", plan_json(made, "/out", nullptr));
  const auto known = known_plan(study(rest), made.model(), folder / "points.json");
  ASSERT_NE(known, nullptr);
  EXPECT_EQ(known->keys(), made.keys());
  EXPECT_EQ(known_plan(study(R"("machines": ["small"])"), made.model(), folder / "points.json"), nullptr);
  write("points.json", "{\"points\": [");
  EXPECT_EQ(known_plan(study(rest), made.model(), folder / "points.json"), nullptr);
}

TEST_F(PlanTest, SnakemakeIsToldOfStudyFolderAndCommand) {
  const Plan made = plan(R"("machines": ["small"])");
  const auto local =
      workflow_command(made, {.slurm = false, .jobs = 3, .sweep = "/sw", .folder = "/out", .extra = {"-n"}});
  EXPECT_THAT(local, Contains("/sw/Snakefile"));
  EXPECT_THAT(local, Contains("study=" + (folder / "s.json").string()));
  EXPECT_THAT(local, Contains("--cores"));
  EXPECT_THAT(local, Not(Contains("--profile")));
  EXPECT_EQ(local.back(), "-n");
  EXPECT_THAT(workflow_command(made, {.slurm = true, .sweep = "/sw", .folder = "/out"}), Contains("/sw/slurm"));
}

}  // namespace
}  // namespace heddle::sweep
