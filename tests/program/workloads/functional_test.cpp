// SPDX-License-Identifier: Apache-2.0
// Every workload at its small size in functional mode: it passes its own check, has the catalogue's digest, and
// executes about as many instructions as the catalogue states. Programs with persistent threads fit on one core with
// any block size, with the same results.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "../runtime/run_program.h"
#include "catalogue.h"

namespace {

class Workload : public heddle::test::RunProgram, public testing::WithParamInterface<nlohmann::json> {};

TEST_P(Workload, GivesTheReferenceResult) {
  const std::string name = GetParam().at("name");
  const heddle::test::Result result = run(name, "--functional -o result");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out.compare(0, name.size() + 12, name + " PASS items="), 0) << result.out << result.err;
  const std::string digest = GetParam().value("small_digest", "");  // "" where results are not exact
  EXPECT_NE(result.out.find(" digest=" + digest), std::string::npos) << result.out;

  std::int64_t instructions = 0;
  const nlohmann::json record = nlohmann::json::parse(read("result/run.json"), nullptr, false);
  ASSERT_TRUE(record.is_object());
  for (const auto& launch : record.at("kernels")) instructions += launch.at("thread_instructions").get<std::int64_t>();
  // A tolerance of a quarter: this test is not about the compiler's choices.
  const std::int64_t stated = GetParam().at("thread_instructions").at("small");
  EXPECT_LE(std::abs(instructions - stated), stated / 4) << instructions << " thread-instructions, not " << stated;
}

INSTANTIATE_TEST_SUITE_P(All, Workload, testing::ValuesIn(heddle::test::programs()),
                         [](const auto& instance) { return instance.param.at("name").template get<std::string>(); });

// Resources per thread of a core with 1024 threads: docs/sources/large-warps-and-database-search.md 4.1, except for
// registers, of which compiled kernels need more than the source's 16.
constexpr int kMostRegisters = 32, kSharedBytes = 128, kPersistentThreads = 1024;

std::vector<nlohmann::json> persistent_programs() {
  std::vector<nlohmann::json> found;
  for (const auto& program : heddle::test::programs())
    if (program.contains("threads_option")) found.push_back(program);
  return found;
}

class PersistentWorkload : public heddle::test::RunProgram, public testing::WithParamInterface<nlohmann::json> {};

TEST_P(PersistentWorkload, FitsOneCoreInBlocksOfAnySize) {
  const std::string name = GetParam().at("name");
  for (const int threads : GetParam().at("threads_option")) {
    const std::string option = " --threads " + std::to_string(threads);
    const heddle::test::Result result = shell(
        std::string(HEDDLE_COMMAND) + " run --force --functional --machine barrel-core --set sm.residency.registers=" +
        std::to_string(kMostRegisters * kPersistentThreads) + " -o result " + HEDDLE_PROGRAMS + "/" + name + option);
    EXPECT_EQ(result.status, 0) << option << result.err;
    EXPECT_NE(result.out.find(" PASS "), std::string::npos) << option << result.out << result.err;
    EXPECT_NE(result.out.find(" digest=" + GetParam().value("small_digest", "")), std::string::npos)
        << option << result.out;
    const nlohmann::json record = nlohmann::json::parse(read("result/run.json"), nullptr, false);
    ASSERT_TRUE(record.is_object());
    for (const auto& launch : record.at("kernels")) {
      EXPECT_LE(launch.at("registers"), kMostRegisters) << launch.at("name") << option;
      EXPECT_EQ(launch.at("spilled_bytes"), 0) << launch.at("name") << option;
      EXPECT_LE(launch.at("block").at(0), threads) << launch.at("name") << option;
      EXPECT_LE(launch.at("grid").at(0).get<int>() * launch.at("block").at(0).get<int>(), kPersistentThreads)
          << launch.at("name") << option;
      if (threads == kPersistentThreads) {
        EXPECT_LE(launch.at("dynamic_shared_bytes"), kSharedBytes * kPersistentThreads) << launch.at("name");
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, PersistentWorkload, testing::ValuesIn(persistent_programs()),
                         [](const auto& instance) { return instance.param.at("name").template get<std::string>(); });

}  // namespace
