// SPDX-License-Identifier: Apache-2.0
// The study's file: what it means, and the message for each thing that can be wrong in it.
#include "sweep/study.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace heddle::sweep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Study parse(const std::string& text) { return parse_study(text, "/studies/s.json"); }

TEST(Study, ReadsAllThatAFileMayHold) {
  const Study study = parse(R"({
    "name": "orders", "description": "text",
    "programs": [{"name": "b", "command": ["../bfs", "--size", ""], "machines": ["wide"], "inputs": ["g/a.bin"],
                  "options": ["--functional"], "requests": {"minutes": 3}},
                 {"command": ["vecadd"]}],
    "machines": ["small", {"name": "wide", "machine": "m/x.json", "set": {"sm.simd_width": 16}}],
    "parameters": {"sm.order": ["gto", "lrr"], "sm.vetoes": [[], ["ccws"]]},
    "points": [{"program": "b", "sm.warp_size": 16}],
    "exclude": [{"machine": "wide", "sm.order": ["lrr"]}],
    "options": ["--max-cycles", "5000"], "collect": ["cycles"], "requests": {"memory_gib": 1.5}, "retries": 2,
    "report": {"runs": 10, "where": {"sm.order": "gto"}}})");
  EXPECT_EQ(study.name, "orders");
  ASSERT_EQ(study.programs.size(), 2u);
  EXPECT_THAT(study.programs[0].command, ElementsAre("/bfs", "--size", ""));  // relative to the study
  EXPECT_EQ(study.programs[0].inputs[0], "/studies/g/a.bin");
  EXPECT_THAT(study.programs[0].options, ElementsAre("--max-cycles", "5000", "--functional"));
  EXPECT_EQ(study.programs[0].requests.memory_gib, 1.5);
  EXPECT_EQ(study.programs[0].requests.minutes, 3);
  EXPECT_EQ(study.programs[1].name, "vecadd");  // looked for in PATH
  EXPECT_THAT(study.programs[1].command, ElementsAre("vecadd"));
  EXPECT_EQ(study.machines[1].machine, "/studies/m/x.json");
  EXPECT_EQ(study.machines[1].settings[0].value.json, "16");
  EXPECT_EQ(study.parameters[0].values[1].json, "\"lrr\"");
  EXPECT_EQ(study.parameters[0].values[1].shown, "lrr");
  EXPECT_EQ(study.parameters[1].values[1].json, "[\"ccws\"]");
  EXPECT_THAT(study.columns(), ElementsAre("sm.order", "sm.vetoes", "sm.warp_size"));
  EXPECT_EQ(study.retries, 2u);
  EXPECT_EQ(study.report.runs, 10u);
}

TEST(Study, TakesItsNameFromTheFileAndHasDefaults) {
  const Study study = parse(R"({"programs": [{"command": ["a"]}], "machines": ["small"]})");
  EXPECT_EQ(study.name, "s");
  EXPECT_EQ(study.collect[0], "cycles");
  EXPECT_EQ(study.programs[0].requests.minutes, 0);
  EXPECT_THAT(study.parameters, IsEmpty());
}

TEST(Study, EachMistakeIsOneMessageWithLinePathAndWhatIsLegal) {
  const std::string good = R"("programs": [{"name": "bfs", "command": ["a"]}], "machines": ["small", "gtx480"])";
  struct Case {
    std::string text, message;
  };
  const Case cases[] = {
      {"[]", "s.json:1: expected an object {...}, not a list"},
      {"{", "s.json:1"},
      {"{}", "'machines' is missing"},
      {R"({"machines": ["small"]})", "'programs' is missing"},
      {"{" + good + ",\n \"paramters\": {}}", "s.json:2: paramters: unknown key; did you mean 'parameters'?"},
      {R"({"machines": [], "programs": []})", "machines: the list is empty"},
      {R"({"machines": "small", "programs": []})", "machines: expected a list [...], not \"small\""},
      {R"({"machines": [{"name": "x"}], "programs": []})", "machines[0]: 'machine' is missing"},
      {R"({"machines": [{"machine": "x", "sets": {}}], "programs": []})",
       "machines[0].sets: unknown key; did you mean 'set'?"},
      {R"({"machines": ["small", "small"], "programs": []})", "machines[1]: a second 'small'"},
      {R"({"machines": ["small"], "programs": [{"name": "x"}]})", "programs[0]: 'command' is missing"},
      {R"({"machines": ["small"], "programs": [{"command": []}]})", "programs[0].command: the list is empty"},
      {R"({"machines": ["small"], "programs": [{"command": ["a", 3]}]})",
       "programs[0].command[1]: expected text, not 3"},
      {R"({"machines": ["small"], "programs": [{"command": [""]}]})", "the program is empty"},
      {R"({"machines": ["small"], "programs": [{"command": ["a"]}, {"command": ["b/a"]}]})",
       "programs[1]: a second 'a'"},
      {R"({"machines": ["small"], "programs": [{"command": ["a"], "machines": ["smal"]}]})",
       "programs[0].machines[0]: the study has no machine 'smal'; did you mean 'small'?"},
      {"{" + good + R"(, "parameters": {"sm.order": "gto"}})", "parameters.sm.order: expected a list [...]"},
      {"{" + good + R"(, "parameters": {"sm.order": []}})", "parameters.sm.order: the list is empty"},
      {"{" + good + R"(, "parameters": {"sm.order": ["gto", "gto"]}})", "parameters.sm.order: \"gto\" appears twice"},
      {"{" + good + R"(, "points": [{"program": "bsf"}]})",
       "points[0].program: no run of the study has program 'bsf'; did you mean 'bfs'?; it has: bfs"},
      {"{" + good + R"(, "points": [{"sm": {"order": "gto"}}]})",
       "points[0].sm: expected a value; write the path with dots, as in \"sm.order\""},
      {"{" + good + R"(, "exclude": [{"machin": "small"}]})",
       "exclude[0].machin: unknown key; did you mean 'machine'?"},
      {"{" + good + R"(, "exclude": [{}]})", "exclude[0]: an empty pattern would exclude every run"},
      {"{" + good + R"(, "parameters": {"sm.order": ["gto"]}, "exclude": [{"sm.order": "lrr"}]})",
       "exclude[0].sm.order: no run of the study has sm.order 'lrr'"},
      {"{" + good + R"(, "options": ["--machine=x"]})", "options[0]: --machine is not allowed in options"},
      {"{" + good + R"(, "options": ["--set"]})", "options[0]: --set is not allowed in options"},
      {"{" + good + R"(, "options": ["--"]})", "'--' ends the options"},
      {"{" + good + R"(, "requests": {"minutes": 0}})", "requests.minutes: expected a number above 0, not 0"},
      {"{" + good + R"(, "requests": {"memory": 1}})", "requests.memory: unknown key; known: memory_gib, minutes"},
      {"{" + good + R"(, "retries": -1})", "retries: expected a whole number, 0 .. 100, not -1"},
      {"{" + good + R"(, "retries": 2.5})", "retries: expected a whole number, 0 .. 100, not 2.5"},
      {"{" + good + R"(, "collect": []})", "collect: the list is empty"},
      {"{" + good + R"(, "report": {"runs": 0}})", "report.runs: expected a whole number, 1 .. 1000, not 0"},
      {"{" + good + R"(, "report": {"where": {"colour": 1}}})", "report.where.colour: unknown key"},
      {"{" + good + R"(, "name": "a/b"})", "name: a name has no '/'"},
      {"{" + good + R"(, "name": ""})", "name: the text is empty"},
  };
  for (const Case& one : cases) {
    try {
      parse(one.text);
      ADD_FAILURE() << "accepted: " << one.text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::configuration) << one.text;
      EXPECT_THAT(std::string(error.what()), HasSubstr("s.json:")) << one.text;
      EXPECT_THAT(std::string(error.what()), HasSubstr(one.message)) << one.text;
    }
  }
}

TEST(Study, AFileThatCannotBeReadIsAnErrorOfItsOwn) {
  for (const char* const file : {"/nowhere/s.json", "/tmp"}) {
    try {
      read_study(file);
      ADD_FAILURE() << file;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::io);
    }
  }
}

}  // namespace
}  // namespace heddle::sweep
