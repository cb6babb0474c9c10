// SPDX-License-Identifier: Apache-2.0
// Every workload at its small size in functional mode: it passes its own check, the digest is the catalogue's, and it
// is about as long as the catalogue says.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

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
  // A quarter of room: the compiler's choices are not what this test is about.
  const std::int64_t stated = GetParam().at("thread_instructions").at("small");
  EXPECT_LE(std::abs(instructions - stated), stated / 4) << instructions << " thread-instructions, not " << stated;
}

INSTANTIATE_TEST_SUITE_P(All, Workload, testing::ValuesIn(heddle::test::programs()),
                         [](const auto& instance) { return instance.param.at("name").template get<std::string>(); });

}  // namespace
