// SPDX-License-Identifier: Apache-2.0
// Queries of heddle explain by words and by sizes.
#include "cli/explanation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/columns.h"
#include "cli/search.h"
#include "cli/terms.h"
#include "common/machine_description.h"
#include "common/machine_statistics.h"
#include "core/error.h"
#include "core/names.h"

namespace heddle::cli {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// Elaborated once, as SystemC requires.
const Catalogue& catalogue() {
  static const auto statistics = machine_statistics({});
  static const Catalogue all{list_machine_parameters(), list_machine_groups(), list_statistics(*statistics)};
  return all;
}

const std::vector<Topic>& topics() {
  static const std::vector<Topic> all = list_topics(catalogue());
  return all;
}

std::string explain(const std::vector<std::string>& words) { return explain_query(words, catalogue(), nullptr); }

/// The first name in the list that answers the query.
std::string first_match(const std::vector<std::string>& words) {
  const SearchResult result = search(topics(), words);
  return result.found.empty() ? "" : result.found.front().topic->name;
}

std::string refusal(const std::vector<std::string>& words) {
  try {
    explain(words);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    return error.what();
  }
  ADD_FAILURE() << words.front() << " is not refused";
  return {};
}

TEST(ExplainQuery, WordsOfTheFieldFindTheirKeys) {
  EXPECT_EQ(first_match({"l1"}), "caches.l1d");
  EXPECT_EQ(first_match({"L1"}), "caches.l1d");
  EXPECT_EQ(first_match({"mshr"}), "caches.l1d.miss_table");
  EXPECT_EQ(first_match({"MSHRs"}), "caches.l1d.miss_table");
  EXPECT_EQ(first_match({"scheduler"}), "sm.order");
  EXPECT_EQ(first_match({"stack"}), "sm.grouping");
  EXPECT_EQ(first_match({"occupancy"}), "sm.residency");
  EXPECT_EQ(first_match({"banks"}), "sm.operands.banks");
  EXPECT_EQ(first_match({"bandwidth"}), "memory.map.controllers");
  EXPECT_EQ(first_match({"coalescing"}), "sm.coalescer");
  EXPECT_EQ(first_match({"LSU"}), "sm.memory_queue");
}

TEST(ExplainQuery, SeveralWordsAreOneQueryAndFillersDoNotCount) {
  EXPECT_EQ(first_match({"cache", "size"}), "caches.l1d.sets");
  EXPECT_EQ(first_match({"dram", "latency"}), "memory.controller.standard");
  EXPECT_EQ(first_match({"l2", "mshr"}), "memory.l2.miss_table");
  EXPECT_EQ(first_match({"how", "many", "SMs"}), "gpu.sm_classes.*.count");
  EXPECT_EQ(first_match({"number", "of", "sms"}), "gpu.sm_classes.*.count");
  EXPECT_EQ(first_match({"shared", "memory", "size"}), "sm.residency.shared_bytes");
}

TEST(ExplainQuery, AllWordsMustMatchIfTheyCan) {
  const auto text = explain({"constant", "ways"});
  EXPECT_THAT(text, HasSubstr("caches.constant.ways"));
  EXPECT_THAT(text, Not(HasSubstr("caches.constant.sets")));
}

TEST(ExplainQuery, AWordOfTheDescriptionIsFoundBehindOneOfTheKey) {
  const SearchResult result = search(topics(), {"immediate"});
  ASSERT_FALSE(result.found.empty());
  EXPECT_EQ(result.found.front().topic->name, "sm.grouping=reconvergence_stack");
  EXPECT_EQ(first_match({"refresh"}), "memory.controller.refresh");
}

TEST(ExplainQuery, ANameIsDescribedAndNotListed) {
  EXPECT_THAT(explain({"sm.order"}), StartsWith("sm.order  (gpu.sm_classes.*.sm.order)\n"));
  EXPECT_THAT(explain({"warp_size"}), StartsWith("sm.warp_size  ("));
  EXPECT_EQ(explain({"warp", "size"}), explain({"warp_size"}));
  // Also an order of gangs.
  EXPECT_THAT(explain({"gto"}),
              AllOf(StartsWith("gto\n  greedy"), HasSubstr("\ngto\n  greedy then oldest: the context")));
  EXPECT_THAT(explain({"sm.order", "sm.warp_size"}), AllOf(HasSubstr("sm.order  ("), HasSubstr("sm.warp_size  (")));
}

TEST(ExplainQuery, AnUnknownNameIsSaidToBeNoneBeforeTheKeysWithItsWords) {
  EXPECT_THAT(explain({"warp_schedulers"}),
              StartsWith("'warp_schedulers' is not a key or mechanism; keys with these words:\nParameters\n"));
  EXPECT_THAT(explain({"warp", "schedulers"}), StartsWith("Parameters\n"));
}

TEST(ExplainQuery, GroupsWithTheSameDescriptionAreToldApartByTheirValues) {
  EXPECT_THAT(
      explain({"sm.latency"}),
      testing::ContainsRegex("  sm.latency.int_add.. +2 keys  latency [0-9]+ cycles, interval [0-9]+ cycles\n"));
}

TEST(ExplainQuery, AMechanismThatIsAWordOfTheFieldIsFollowedByWhatBelongsToIt) {
  EXPECT_THAT(explain({"scoreboard"}),
              AllOf(StartsWith("scoreboard\n"), HasSubstr("\nRelated\nParameters\n  sm.hazards  ")));
}

TEST(ExplainQuery, AListIsShortAndSaysWhatToTypeNext) {
  for (const char* word : {"l1", "dram", "latency", "cache", "size"}) {
    const auto text = explain({word});
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), static_cast<std::ptrdiff_t>(ListLimits{}.matches + 14))
        << text;
    EXPECT_THAT(text, HasSubstr(" more: another word narrows it down, --all lists them\n\nNext: heddle explain "));
    const auto whole = explain_query({word}, catalogue(), nullptr, ListLimits::none());
    EXPECT_GT(whole.size(), text.size());
    EXPECT_THAT(whole, Not(HasSubstr(" more"))) << word;
  }
}

TEST(ExplainQuery, MatchesAreUnderAHeadingForEachKind) {
  const auto text = explain({"mshr"});
  EXPECT_THAT(text, StartsWith("Groups of parameters\n  caches.l1d.miss_table  "));
  EXPECT_THAT(text, HasSubstr("\nParameters\n  caches.l1d.miss_table.entries  "));
  EXPECT_THAT(text, HasSubstr("\nStatistics\n  sm.l1d.stall_miss_table  "));
  EXPECT_LT(text.find("\nParameters\n"), text.find("\nStatistics\n"));
  EXPECT_THAT(text, Not(HasSubstr("socket"))) << "words of the code";
}

TEST(ExplainQuery, EveryRegisteredPartIsFoundWhereItsParametersWouldBe) {
  for (const ParameterEntry& key : catalogue().parameters) {
    const std::string path = short_path(key.path);
    for (const ChoiceEntry& choice : key.choices) {
      if (choice.sentence.empty()) continue;
      const std::string place = path.substr(0, path.rfind('.') + 1) + choice.name;
      const auto text = explain({place});
      EXPECT_THAT(text, HasSubstr("\nChosen by\n")) << place;
      EXPECT_THAT(text, HasSubstr("  " + path + "=")) << place;
      EXPECT_THAT(text, HasSubstr("\nNext: heddle explain ")) << place;
      EXPECT_THAT(text, EndsWith(" for its legal values\n")) << place;
    }
  }
}

TEST(ExplainQuery, AMechanismNamesThePresetsThatUseIt) {
  Catalogue with_presets = catalogue();
  const std::string key = "gpu.sm_classes.0.sm.grouping", vetoes = "gpu.sm_classes.0.sm.vetoes";
  with_presets.presets = {{"plain", {{key, "\"reconvergence_stack\""}, {vetoes, "[]"}}},
                          {"first", {{key, "\"branch_interweaving\""}, {vetoes, "[\"static_limit\"]"}}},
                          {"second", {{key, "\"branch_interweaving\""}, {vetoes, "[]"}}}};
  const auto chosen = [&](const std::string& name) { return explain_query({name}, with_presets, nullptr); };
  EXPECT_THAT(chosen("sm.branch_interweaving"),
              HasSubstr("\nChosen by\n  sm.grouping=branch_interweaving  in presets first, second\n"));
  EXPECT_THAT(chosen("static_limit"), HasSubstr("  sm.vetoes=[\"static_limit\"]  in preset first\n"));
  EXPECT_THAT(chosen("majority"), HasSubstr("  sm.order=majority       in no preset\n"));
}

TEST(ExplainQuery, AGroupSaysWhatToTypeNext) {
  EXPECT_THAT(explain({"sm.fetch"}), EndsWith("\n\nNext: heddle explain sm.fetch.width for its legal values\n"));
  EXPECT_THAT(explain({"caches"}), HasSubstr("\nNext: heddle explain caches.l1d for its keys\n"));
  EXPECT_THAT(explain({"gpu.sm_classes"}), EndsWith("\nNext: heddle explain 'gpu.sm_classes.*' for its keys\n"));
  EXPECT_THAT(explain({"gpu.sm_classes.*"}), HasSubstr("gpu.sm_classes.*.count  "));
  EXPECT_THAT(explain({"sm.two_level_rotating"}), EndsWith("\nNext: heddle explain sm.order for its legal values\n"));
  EXPECT_THAT(explain({"sm.order"}), Not(HasSubstr("Next:"))) << "a key has its legal values";
}

TEST(Columns, AreAsWideAsTheirLongestCell) {
  EXPECT_EQ(in_columns({{"a", "1 way", "first"}, {"longer", "", "second"}}),
            "  a       1 way  first\n"
            "  longer         second\n");
  EXPECT_EQ(in_columns({{"a", "", "first"}, {"longer", "", "second"}}),
            "  a       first\n"
            "  longer  second\n");
}

TEST(Columns, AVeryLongCellHasALineOfItsOwn) {
  const std::string name(60, 'x');
  EXPECT_EQ(in_columns({{"a", "first"}, {name, "second"}}),
            "  a  first\n"
            "  " +
                name +
                "\n"
                "     second\n");
}

TEST(ExplainQuery, WhatSeveralGroupsHaveIsOneLine) {
  const auto text = explain({"mshr"});
  EXPECT_THAT(text, HasSubstr("caches.l1d.miss_table  "));
  EXPECT_THAT(text, HasSubstr("also in caches.constant, caches.texture, caches.instruction, memory.l2\n"));
  EXPECT_THAT(text, Not(HasSubstr("  caches.texture.miss_table  ")));
}

TEST(ExplainQuery, TheValuesOfAMachineAreInTheList) {
  const auto machine = load_machine({"gtx480", {"caches.l1d.ways=12"}});
  EXPECT_THAT(explain_query({"l1", "size"}, catalogue(), &machine->configuration),
              ::testing::ContainsRegex("caches.l1d.ways +12 ways +lines per set"));
}

TEST(ExplainQuery, AMisspeltWordNamesTheNearest) {
  EXPECT_THAT(refusal({"mhsr"}), HasSubstr("did you mean mshr?"));
  EXPECT_THAT(refusal({"wrap_size"}), HasSubstr("warp_size"));
  EXPECT_THAT(refusal({"wrap", "size"}),
              HasSubstr("no key or description has 'wrap'; did you mean `heddle explain warp size`?"));
  EXPECT_THAT(refusal({"zebra"}), Not(HasSubstr("did you mean")));
}

TEST(ExplainQuery, EveryTopicOfATermExists) {
  for (const Term& term : terms()) {
    std::string_view rest = term.topics;
    while (!rest.empty()) {
      const std::string_view name = rest.substr(0, rest.find(' '));
      rest.remove_prefix(std::min(rest.size(), name.size() + 1));
      EXPECT_TRUE(std::any_of(topics().begin(), topics().end(),
                              [&](const Topic& topic) { return name == topic.name || glob_match(name, topic.name); }))
          << term.names << ": " << name;
    }
  }
}

TEST(ExplainSize, TellsWhatHasItWhatTakesItAndHowItIsWritten) {
  const MachineValues machine{"card",
                              {{"gpu.sm_classes.0.sm.residency.shared_bytes", "49152"},
                               {"gpu.sm_classes.0.sm.residency.registers", "12288"},
                               {"gpu.sm_classes.0.caches.l1d.sets", "32"},
                               {"gpu.sm_classes.0.caches.l1d.ways", "4"},
                               {"gpu.sm_classes.0.caches.l1d.line_bytes", "128"},
                               {"memory.map.controllers", "3"},
                               {"memory.map.slices", "2"},
                               {"memory.l2.sets", "8"},
                               {"memory.l2.ways", "8"},
                               {"memory.l2.line_bytes", "128"}}};
  const auto text = explain_size(49152, catalogue(), {machine});
  EXPECT_THAT(text, StartsWith("48 KB = 49152 bytes (1 KB = 1 KiB = 1024 bytes)\n"));
  EXPECT_THAT(text, HasSubstr("  sm.residency.shared_bytes: card\n"));
  EXPECT_THAT(text, HasSubstr("  sm.residency.registers (12288 registers of 4 bytes): card\n"));
  EXPECT_THAT(text, HasSubstr("  memory.l2 (6 slices of 8 sets x 8 ways x 128 bytes): card\n"));
  EXPECT_THAT(text, Not(HasSubstr("caches.l1d (")));
  EXPECT_THAT(text, HasSubstr("an L1 of 48 KB is --set caches.l1d.ways=12"));
  EXPECT_THAT(text, HasSubstr("--set sm.residency.shared_bytes=48KB, in JSON \"shared_bytes\": 49152 or \"48 KB\""));
  // A row must be a power of two.
  EXPECT_THAT(text, Not(HasSubstr("row_bytes")));
  EXPECT_THAT(explain_size(16384, catalogue(), {machine}),
              AllOf(HasSubstr("caches.l1d (32 sets x 4 ways x 128 bytes): card"), HasSubstr("row_bytes")));
}

TEST(ExplainSize, ACacheThatIsAbsentHasNoSize) {
  const MachineValues machine{
      "card",
      {{"memory.has_l2", "false"}, {"memory.l2.sets", "8"}, {"memory.l2.ways", "8"}, {"memory.l2.line_bytes", "128"}}};
  EXPECT_THAT(explain_size(8192, catalogue(), {machine}), Not(HasSubstr("memory.l2 (")));
}

}  // namespace
}  // namespace heddle::cli
