// SPDX-License-Identifier: Apache-2.0
// Every target of kind structural or cost in the source of database search: our code must give exactly the source's
// number.
#include "database_targets.h"

#include <gtest/gtest.h>

namespace heddle::studies {
namespace {

const Evaluations& evaluations() {
  static const Evaluations all = [] {
    Evaluations targets;
    add_prefix_targets(targets);
    add_instruction_targets(targets);
    add_scan_targets(targets);
    add_index_targets(targets);
    add_hold_targets(targets);
    return targets;
  }();
  return all;
}

TEST(DatabaseTargets, HaveAnEvaluationEachAndNoOther) { expect_one_each("db.", evaluations()); }

TEST(DatabaseTargets, AreWhatOurCodeGives) { expect_as_stated(evaluations()); }

}  // namespace
}  // namespace heddle::studies
