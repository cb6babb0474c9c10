// SPDX-License-Identifier: Apache-2.0
#include "cli/describe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/reference_pages.h"
#include "common/machine_description.h"
#include "gpu/gpu_parameters.h"

namespace heddle::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Explain : public ::testing::Test {
 protected:
  std::string explain(const std::string& word, const Configuration* machine = nullptr) {
    return explain_name(
        word,
        {list_parameters(description), list_parameter_groups(GroupReference(description)), list_statistics(statistics)},
        machine);
  }
  MachineParameters description;
  Statistics statistics;
  StatisticsOwner sm0{statistics, "sm0", "sm"}, sm1{statistics, "sm1", "sm"};
  StatisticsGroup issue0{sm0, "issue"}, issue1{sm1, "issue"};
  Counter issued0{issue0, "issued", "instructions that issued", unit::kInstructions};
  Counter issued1{issue1, "issued", "instructions that issued", unit::kInstructions};
  Histogram lanes{issue0, "lanes", "active lanes of an issue", unit::kLanes, Buckets::linear(1, 16, 2)};
};

TEST_F(Explain, AParameterByFullAndShortNameInAnyCase) {
  for (const char* word : {"gpu.sm_classes.*.sm.warp_size", "sm.warp_size", "SM.Warp_Size",
                           "gpu.sm_classes[0].sm.warp_size", "sm.warp_size=32"}) {
    const auto text = explain(word);
    EXPECT_THAT(text, HasSubstr("sm.warp_size  (gpu.sm_classes.*.sm.warp_size)\n")) << word;
    EXPECT_THAT(text, HasSubstr("unit      threads\n"));
    EXPECT_THAT(text, HasSubstr("legal     a power of two"));
    EXPECT_THAT(text, HasSubstr("default   32 threads\n"));
  }
}

TEST_F(Explain, AKeyThatNamesAMechanismWithItsChoices) {
  const auto text = explain("sm.order");
  EXPECT_THAT(text, HasSubstr("gto: greedy then oldest"));
  EXPECT_THAT(text, HasSubstr("lrr: loose round robin"));
}

TEST_F(Explain, AMechanismWithItsKeysAndParameters) {
  const auto text = explain("two_level_rotating");
  EXPECT_THAT(text, HasSubstr("\nChosen by\n  sm.order=two_level_rotating\n  sm.fill_order=two_level_rotating\n"));
  EXPECT_THAT(text, HasSubstr("sm.two_level_rotating.group_size"));
}

TEST_F(Explain, AMechanismSaysWhereItComesFromAndItsParametersComeFromThereToo) {
  const char* const source = "source    docs/sources/large-warps-and-database-search.md 2.6\n";
  EXPECT_THAT(explain("two_level_rotating"), HasSubstr(source));
  EXPECT_THAT(explain("sm.two_level_rotating.timeout"), HasSubstr(source));
  EXPECT_THAT(explain("sm.two_level_active.active"), HasSubstr("redundancy-and-resources.md, decision 25\n"))
      << "one of its own comes first";
}

TEST_F(Explain, AKeyThatTakesAListOfMechanismsIsWrittenAsOne) {
  EXPECT_THAT(explain("static_limit"), HasSubstr("sm.vetoes=[\"static_limit\"]\n"));
}

TEST_F(Explain, MechanismsOfOneNameAreDescribedEachWithItsKeys) {
  const auto text = explain("model");
  EXPECT_THAT(text, AllOf(HasSubstr("sm.blocks.packer=model"), HasSubstr("sm.blocks.prefix_sum=model")));
}

TEST_F(Explain, AGroupAsAList) {
  const auto text = explain("sm.fetch");
  EXPECT_THAT(text, HasSubstr("sm.fetch.width"));
  EXPECT_THAT(text, HasSubstr("sm.fetch.buffer_depth"));
  EXPECT_THAT(text, Not(HasSubstr("sm.shared")));
}

TEST_F(Explain, AGroupInAGroupIsOneLine) {
  const auto text = explain("memory");
  EXPECT_THAT(text, HasSubstr("memory.controller.*"));
  EXPECT_THAT(text, HasSubstr("memory.has_l2"));
  EXPECT_THAT(text, Not(HasSubstr("memory.controller.ranks")));
}

TEST_F(Explain, AValueAtAKeyIsTheMechanism) {
  EXPECT_EQ(explain("sm.order=gto"), explain("gto"));
  EXPECT_THAT(explain("gto"), HasSubstr("greedy then oldest"));
}

TEST_F(Explain, AParameterInBytesSaysHowASizeIsWritten) {
  EXPECT_THAT(explain("sm.residency.shared_bytes"), HasSubstr("48KB, 1.5 MB; 1 KB = 1 KiB = 1024 bytes"));
  EXPECT_THAT(explain("sm.warp_size"), Not(HasSubstr("KB")));
}

TEST_F(Explain, WhatNothingIsCalledIsEmpty) { EXPECT_EQ(explain("mshr"), ""); }

TEST_F(Explain, AStatisticOnceAClassByAnyOfItsNames) {
  for (const char* word : {"issue.issued", "sm0.issue.issued", "sm.issue.issued", "sm*.issue.issued"}) {
    EXPECT_EQ(explain(word),
              "issue.issued  (statistic of class sm)\n  instructions that issued\n  kind      counter\n  unit      "
              "instructions\n")
        << word;
  }
  EXPECT_THAT(explain("issue.lanes"), HasSubstr("buckets   1-16, 17-32\n"));
  EXPECT_THAT(explain("sm.issue.*"), HasSubstr("issue.lanes"));
}

TEST_F(Explain, TheValueOfAMachineAndWhereItComesFrom) {
  Configuration configuration{description};
  configuration.load_text(
      R"({"name": "paper", "gpu": {"sm_classes": [{"count": {"value": 30, "published": "thirty", "source": "spec 4"}}]}})",
      "paper.json");
  const auto text = explain("gpu.sm_classes.*.count", &configuration);
  EXPECT_THAT(text, HasSubstr("value     30 units, published as \"thirty\", spec 4 (set by machine paper) in paper\n"));
  EXPECT_THAT(explain("seed", &configuration), HasSubstr("value     1 (default) in paper\n"));
}

TEST_F(Explain, ThePagesNameEveryParameterAndStatistic) {
  const auto parameters = list_parameters(description);
  const auto page = parameter_pages(parameters);
  for (const auto& entry : parameters) {
    EXPECT_THAT(page, HasSubstr("| `" + entry.path.substr(entry.path.rfind('.') + 1) + "` | " + entry.sentence))
        << entry.path;
  }
  EXPECT_THAT(statistic_pages(list_statistics(statistics)),
              HasSubstr("| `issue.issued` | instructions that issued | counter | instructions |\n"));
}

}  // namespace
}  // namespace heddle::cli
