// SPDX-License-Identifier: Apache-2.0
// `heddle check` on every workload at its small size: no reliance on lock step except where the catalogue says so, and
// no races.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "../runtime/run_program.h"
#include "catalogue.h"

namespace {

class WorkloadCheck : public heddle::test::RunProgram, public testing::WithParamInterface<nlohmann::json> {};

TEST_P(WorkloadCheck, DependsOnLockStepOnlyWhereTheCatalogueSaysSo) {
  const std::string name = GetParam().at("name");
  const bool lock_step = GetParam().value("needs_lock_step", false);
  const heddle::test::Result result =
      shell(std::string(HEDDLE_COMMAND) + " check --global " + HEDDLE_PROGRAMS + "/" + name);
  EXPECT_EQ(result.status, lock_step ? 109 : 0) << result.out << result.err;
  // With any interleaving, the program's own check of its results passes.
  if (!lock_step) {
    EXPECT_EQ(result.out.compare(0, name.size() + 12, name + " PASS items="), 0) << result.out;
  }
}

INSTANTIATE_TEST_SUITE_P(All, WorkloadCheck, testing::ValuesIn(heddle::test::programs()),
                         [](const auto& instance) { return instance.param.at("name").template get<std::string>(); });

}  // namespace
