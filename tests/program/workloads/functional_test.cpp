// SPDX-License-Identifier: Apache-2.0
// Every workload at its small size in functional mode: it passes its own check, has the catalogue's digest, and
// executes about as many instructions as the catalogue states. Programs with persistent threads fit on one core with
// any block size, with the same results.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
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

using MatrixFile = heddle::test::RunProgram;

TEST_F(MatrixFile, SymmetricAndGeneralFilesOfTheSameMatrixGiveTheSameProducts) {
  const auto digest_of = [&](const std::string& header, const std::string& entries) {
    std::ofstream(folder_ / "matrix.mtx") << "%%MatrixMarket matrix coordinate " << header << "\n" << entries;
    const heddle::test::Result result = run("spmv_csr --matrix matrix.mtx");
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.out.rfind("spmv_csr PASS items=6 ", 0), 0u) << result.out;
    return result.out;
  };
  const std::string general = digest_of("real general", "3 3 4\n1 1 2\n2 1 -3\n1 2 -3\n3 3 1\n");
  EXPECT_EQ(digest_of("integer symmetric", "3 3 3\n3 3 1\n2 1 -3\n1 1 2\n"), general);
  EXPECT_NE(digest_of("pattern symmetric", "3 3 3\n3 3\n2 1\n1 1\n"), general);
}

TEST_F(MatrixFile, OneThatIsMalformedOrMissingIsNamedWithTheLine) {
  std::ofstream(folder_ / "matrix.mtx") << "%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1\n";
  const heddle::test::Result malformed = run("spmv_csr --matrix matrix.mtx");
  EXPECT_EQ(malformed.status, 2);
  EXPECT_NE(malformed.err.find(": matrix.mtx: line 3: the row is '3', not a number from 1 to 2\n"), std::string::npos)
      << malformed.err;
  const heddle::test::Result missing = run("spmv_csr --matrix missing.mtx");
  EXPECT_EQ(missing.status, 2);
  EXPECT_NE(missing.err.find(": missing.mtx: cannot be opened\n"), std::string::npos) << missing.err;
}

class MatrixKind : public heddle::test::RunProgram, public testing::WithParamInterface<const char*> {};

TEST_P(MatrixKind, BothKernelsGiveTheProduct) {
  const heddle::test::Result result = run(std::string("spmv_csr --size 70 --times yes --matrix ") + GetParam());
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find("spmv_scalar "), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("spmv_vector "), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("spmv_csr PASS items=140 "), std::string::npos) << result.out;
}

INSTANTIATE_TEST_SUITE_P(Generated, MatrixKind, testing::Values("random", "regular", "power_law"));

class GraphKind : public heddle::test::RunProgram, public testing::WithParamInterface<const char*> {};

TEST_P(GraphKind, DistancesAreThoseOfTheReference) {
  const heddle::test::Result result = run(std::string("bfs_masks --most-edges 12 --graph ") + GetParam());
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out.rfind("bfs_masks PASS items=600 ", 0), 0u) << result.out;
}

INSTANTIATE_TEST_SUITE_P(Generated, GraphKind, testing::Values("random", "small_world"));

}  // namespace
