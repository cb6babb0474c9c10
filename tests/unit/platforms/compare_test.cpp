// SPDX-License-Identifier: Apache-2.0
// Comparison of runs from texts of run.json: cycle account, configuration, kernels, refusals.
#include "compare/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "compare/cycle_account.h"

namespace heddle::compare {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

const std::map<std::string, std::string> kAliases = {{"sm", "gpu.sm_classes.*.sm"}};

/// A run of one launch at 1 GHz. slots: members of the account, as JSON.
std::string run_text(unsigned cycles, const std::string& slots, const std::string& configuration,
                     const std::string& kernel = "_Z4workPi", bool timed = true) {
  const std::string launch = timed ? "\"timed\": true, \"cycles\": " + std::to_string(cycles) +
                                         ", \"statistics\": {\"machine\": {}, \"classes\": {\"sm\": {" + slots + "}}}"
                                   : "\"timed\": false";
  return R"({"schema_version": 1, "complete": true,
    "identity": {"heddle": "1", "machine": "m", "program": "app", "arguments": ["-n", "3"], "program_sha256": "aa",
                 "ptx": [{"name": "app.ptx", "sha256": "bb"}]},
    "run": {"cycles": )" +
         std::to_string(timed ? cycles : 0) + R"(, "simulated_seconds": 1e-6, "wall_seconds": 1},
    "configuration": {"name": "m", "description": "text", "gpu": {"clocks": {"core": {"value": 1000000, "published": "1 GHz"}}, "sm_classes": [{"name": "sm", "sm": {)" +
         configuration + R"(}}]}},
    "declarations": {"machine": {"ipc": {"unit": "instructions/cycle", "sentence": "rate"}}, "classes": {"sm": {
      "issue.slots.cycles": {"sentence": "cycles"}, "issue.slots.issued": {"sentence": "issue slots that issued: it issued"},
      "issue.slots.packet": {"sentence": "issue slots that issued: a further packet"},
      "issue.slots.memory": {"sentence": "issue slots: memory"}, "issue.slots.held": {"sentence": "issue slots: held"}}}},
    "statistics": {"machine": {"ipc": 0.5}, "classes": {"sm": {)" +
         slots + R"(}}},
    "kernels": [{"name": ")" +
         kernel + R"(", "grid": [1, 1, 1], "block": [32, 1, 1], "thread_instructions": 64, "warp_instructions": 2, )" +
         launch + "}]}";
}

RunFacts facts(const std::string& text, const std::string& file) { return run_facts(parse_json(text, file), file); }

const char* const kNarrow = R"("issue.slots.cycles": 10, "issue.slots.issued": 3, "issue.slots.memory": 7)";
// Twice the slots in fewer cycles.
const char* const kWide = R"("issue.slots.cycles": 14, "issue.slots.issued": 3, "issue.slots.memory": 11)";

TEST(Share, AddsUpToTheCyclesAlsoWhereSlotsDoNotDivide) {
  for (const std::uint64_t cycles : {0u, 1u, 7u, 100u, 1000003u}) {
    const auto shares = share(cycles, {3, 5, 0, 11, 7});
    EXPECT_EQ(std::accumulate(shares.begin(), shares.end(), std::uint64_t{0}), cycles);
    EXPECT_EQ(shares[2], 0u);
  }
}

TEST(Share, IsProportionalAndGivesTheRestToTheLargestRemainders) {
  EXPECT_THAT(share(10, {2, 3, 5}), ElementsAre(2u, 3u, 5u));
  EXPECT_THAT(share(10, {20, 30, 50}), ElementsAre(2u, 3u, 5u));
  EXPECT_THAT(share(10, {1, 1, 1}), ElementsAre(4u, 3u, 3u));
}

TEST(Share, HoldsWhereSlotsTimesCyclesLeaveSixtyFourBits) {
  const std::uint64_t cycles = std::uint64_t{1} << 40;
  EXPECT_THAT(share(cycles, {cycles * 30, cycles * 10}), ElementsAre(cycles / 4 * 3, cycles / 4));
}

TEST(NanosecondsOf, RoundsAndHoldsWhereTheProductLeavesSixtyFourBits) {
  EXPECT_EQ(nanoseconds_of(7, 700000), 10u);
  EXPECT_EQ(nanoseconds_of(1, 700000), 1u);  // 1.43
  EXPECT_EQ(nanoseconds_of(std::uint64_t{1} << 50, 500000), std::uint64_t{1} << 51);
}

TEST(Share, IsZeroWithoutAnAccount) { EXPECT_THAT(share(5, {0, 0}), ElementsAre(0u, 0u)); }

TEST(Comparison, CausesOfMachinesOfUnlikeWidthAddUpToTheDifferenceInCycles) {
  const auto comparison =
      compare_runs({facts(run_text(10, kNarrow, R"("order": "gto")"), "a/run.json"),
                    facts(run_text(7, kWide, R"("order": {"value": "lrr", "source": "x"})"), "b/run.json")},
                   kAliases);
  ASSERT_TRUE(comparison.account);
  const Account& account = *comparison.account;
  ASSERT_EQ(account.causes.size(), 2u);  // nothing was charged to `held`
  EXPECT_EQ(account.causes[0].name, "issued");
  EXPECT_EQ(account.causes[0].sentence, "it issued");
  EXPECT_THAT(account.causes[0].cycles.by_run,
              ElementsAre(3u, 2u));  // 3 of 14 slots of 7 cycles is 1.5; the larger rest
  EXPECT_THAT(account.causes[1].cycles.by_run, ElementsAre(7u, 5u));
  std::int64_t sum = 0;
  for (const CauseRow& cause : account.causes) sum += cause.cycles.difference(1);
  EXPECT_EQ(sum, -3);
  ASSERT_EQ(comparison.kernels.size(), 1u);
  EXPECT_THAT(comparison.kernels[0].account.cycles.by_run, ElementsAre(10u, 7u));
}

/// The same run at another clock.
std::string at_clock(std::string text, const std::string& kilohertz) {
  return text.replace(text.find("1000000"), 7, kilohertz);
}

TEST(Comparison, BeginsWithAVerdictOnEveryRun) {
  const std::string text = comparison_text(
      compare_runs({facts(run_text(10, kNarrow, ""), "a/run.json"),
                    facts(run_text(20, R"("issue.slots.issued": 4, "issue.slots.memory": 16)", ""), "c/run.json"),
                    facts(run_text(10, kNarrow, ""), "d/run.json")},
                   {}));
  EXPECT_THAT(text, StartsWith("c takes 100.0 % more cycles than a (20 instead of 10): 0.500 times as fast. "
                               "Mostly 'memory', +9 of +10 cycles: memory.\n"
                               "d takes as many cycles as a: 10.\n"));
  EXPECT_THAT(text, HasSubstr("\nAgainst a\n"
                              "  run  cycles  times as fast  most changed  cycles\n"
                              "  a        10          1.000             -       -\n"
                              "  c        20          0.500        memory      +9\n"
                              "  d        10          1.000             -       -\n"));
}

TEST(Comparison, MachinesOfUnlikeWidthAreComparedByTheTimeOfAllTheirSlots) {
  const auto comparison =
      compare_runs({facts(run_text(10, kNarrow, ""), "a/run.json"), facts(run_text(7, kWide, ""), "b/run.json")}, {});
  ASSERT_TRUE(comparison.account);
  EXPECT_EQ(comparison.unit, AccountUnit::slot_nanoseconds);
  EXPECT_THAT(comparison.account->slot_nanoseconds.by_run, ElementsAre(10u, 14u));
  EXPECT_THAT(comparison.account->causes[0].slot_nanoseconds.by_run, ElementsAre(3u, 3u)) << "the same instructions";
  EXPECT_THAT(comparison.account->causes[1].slot_nanoseconds.by_run, ElementsAre(7u, 11u));
  // 1.429 = 2 / 1.4
  const std::string text = comparison_text(comparison);
  EXPECT_THAT(text, StartsWith("b takes 30.0 % less time than a (0.007 us instead of 0.01): 1.429 times as fast. "
                               "With 2 times the issue slots (2 instead of 1) it spends 1.4 times the slot-time "
                               "(slots x time), mostly 'memory', +4 of +4 slot-ns: memory.\n"));
  EXPECT_THAT(text, HasSubstr("Where the time of the issue slots went"));
  EXPECT_THAT(text, HasSubstr("the sum is issue slots x time"));
  const std::string json = comparison_json(comparison);
  EXPECT_THAT(json, HasSubstr(R"("unit": "slot_nanoseconds")"));
  EXPECT_THAT(json, HasSubstr(R"("slot_nanoseconds_difference": [0, 4])"));
  EXPECT_THAT(json, HasSubstr(R"("slots_ratio": 2)"));
}

TEST(Comparison, ClocksThatDifferTurnCyclesIntoTimeThatStillAddsUp) {
  // 7 cycles of 3 slot-cycles issued and 4 of memory, at 700 MHz: 10 ns, of which 4.3 and 5.7.
  const std::string slow = at_clock(run_text(7, R"("issue.slots.issued": 3, "issue.slots.memory": 4)", ""), "700000");
  const auto comparison = compare_runs({facts(run_text(10, kNarrow, ""), "a/run.json"), facts(slow, "b/run.json")}, {});
  EXPECT_EQ(comparison.unit, AccountUnit::slot_nanoseconds);
  EXPECT_THAT(comparison.account->slot_nanoseconds.by_run, ElementsAre(10u, 10u));
  EXPECT_THAT(comparison.account->causes[0].slot_nanoseconds.by_run, ElementsAre(3u, 4u));
  EXPECT_THAT(comparison.account->causes[1].slot_nanoseconds.by_run, ElementsAre(7u, 6u));
  EXPECT_THAT(comparison_text(comparison), StartsWith("b takes as long as a: 0.01 us.\n")) << "in fewer cycles";
}

TEST(Comparison, WithoutAClockNothingBetterIsKnownThanCycles) {
  const auto unknown = [](const std::string& text) { return at_clock(text, "0"); };
  const auto comparison = compare_runs(
      {facts(unknown(run_text(10, kNarrow, "")), "a/run.json"), facts(unknown(run_text(7, kWide, "")), "b/run.json")},
      {});
  EXPECT_EQ(comparison.unit, AccountUnit::cycles);
  EXPECT_THAT(comparison_text(comparison), StartsWith("b takes 30.0 % fewer cycles than a"));
}

TEST(Comparison, AVerdictWarnsOfRunsThatAreNotComparable) {
  std::string stopped = run_text(10, kNarrow, "");
  stopped.replace(stopped.find("\"complete\": true"), 16, "\"complete\": false");
  stopped.replace(stopped.find("\"3\""), 3, "\"4\"");
  const std::string text =
      comparison_text(compare_runs({facts(run_text(10, kNarrow, ""), "a/run.json"), facts(stopped, "b/run.json")}, {}));
  EXPECT_THAT(text, StartsWith("b takes as many cycles as a: 10. Beware: b is incomplete. Beware: they did not run the "
                               "same program with the same arguments.\n"));
}

TEST(Comparison, AVerdictWarnsWhenOtherLaunchesWereTimed) {
  const auto two_launches = [](bool both) {  // the first launch once more, timed or not
    std::string text = run_text(10, kNarrow, "");
    const std::size_t begin = text.find("{\"name\": \"_Z4workPi\"");
    std::string second = text.substr(begin, text.size() - begin - 2);
    if (!both) second.replace(second.find("\"timed\": true"), 13, "\"timed\": false");
    return text.insert(text.size() - 2, ", " + second);
  };
  const auto compared = [&](bool both) {
    return comparison_text(
        compare_runs({facts(two_launches(true), "a/run.json"), facts(two_launches(both), "b/run.json")}, {}));
  };
  EXPECT_THAT(compared(false), HasSubstr(" Beware: they did not time the same launches.\n"));
  EXPECT_THAT(compared(true), Not(HasSubstr("Beware")));
}

TEST(Comparison, TheVerdictNamesACauseThatWorkedInItsDirection) {
  // Memory grew by more than issuing shrank, but the run is faster.
  const std::string text = comparison_text(compare_runs(
      {facts(run_text(100, R"("issue.slots.issued": 60, "issue.slots.memory": 10, "issue.slots.held": 30)", ""),
             "a/run.json"),
       facts(run_text(90, R"("issue.slots.issued": 45, "issue.slots.memory": 27, "issue.slots.held": 18)", ""),
             "b/run.json")},
      {}));
  EXPECT_THAT(text, HasSubstr("Most of all 'issued', -15 cycles: it issued; but 'memory', +17: memory; other causes, "
                              "-12; -10 in all.\n"))
      << "and the one that took most of it back, and what is left";
}

TEST(Comparison, TheVerdictSaysWhatIsLeftWhereTheCauseExceedsTheDifference) {
  const auto verdict = [](const std::string& after, unsigned cycles) {
    return comparison_text(compare_runs(
        {facts(run_text(100, R"("issue.slots.issued": 20, "issue.slots.memory": 50, "issue.slots.held": 30)", ""),
               "a/run.json"),
         facts(run_text(cycles, after, ""), "b/run.json")},
        {}));
  };
  EXPECT_THAT(verdict(R"("issue.slots.issued": 22, "issue.slots.memory": 38, "issue.slots.held": 30)", 90),
              HasSubstr("Mostly 'memory', -12 cycles: memory; other causes, +2; -10 in all.\n"));
  EXPECT_THAT(verdict(R"("issue.slots.issued": 20, "issue.slots.memory": 40, "issue.slots.held": 30)", 90),
              HasSubstr("Mostly 'memory', -10 of -10 cycles: memory.\n"));
}

TEST(Comparison, ASingleRunIsCalledByItsFolderOrElseItsMachine) {
  const auto label = [](const std::string& file) {
    return compare_runs({facts(run_text(10, kNarrow, ""), file)}, {}).labels.front();
  };
  EXPECT_EQ(label("a/run.json"), "a");
  EXPECT_EQ(label("out/a"), "a");
  EXPECT_EQ(label("run.json"), "m");
}

TEST(Comparison, NamesWhatDiffersInConfigurationByShortPathAndLeavesOutWhatIsEqual) {
  const auto comparison = compare_runs(
      {facts(run_text(10, kNarrow, R"("order": "gto", "warp_size": 32, "vetoes": [])"), "a/run.json"),
       facts(run_text(10, kNarrow, R"("order": {"value": "lrr"}, "warp_size": {"value": 32}, "vetoes": ["ccws"])"),
             "b/run.json")},
      kAliases);
  ASSERT_EQ(comparison.configuration.size(), 2u);
  EXPECT_EQ(comparison.configuration[0].what, "sm.order");
  EXPECT_THAT(comparison.configuration[0].values, ElementsAre("\"gto\"", "\"lrr\""));
  EXPECT_EQ(comparison.configuration[1].what, "sm.vetoes");
  EXPECT_THAT(comparison.configuration[1].values, ElementsAre("[]", "[\"ccws\"]"));
  EXPECT_THAT(comparison.identity, IsEmpty());
  EXPECT_THAT(comparison.labels, ElementsAre("a", "b"));  // the machines have the same name
}

TEST(Comparison, SaysWhenProgramOrArgumentsDiffer) {
  std::string other = run_text(10, kNarrow, "");
  other.replace(other.find("\"aa\""), 4, "\"cc\"");
  other.replace(other.find("\"3\""), 3, "\"4\"");
  const auto comparison =
      compare_runs({facts(run_text(10, kNarrow, ""), "a/run.json"), facts(other, "b/run.json")}, {});
  ASSERT_EQ(comparison.identity.size(), 2u);
  EXPECT_EQ(comparison.identity[0].what, "arguments");
  EXPECT_THAT(comparison.identity[0].values, ElementsAre("-n 3", "-n 4"));
  EXPECT_EQ(comparison.identity[1].what, "SHA-256 of the program");
}

TEST(Comparison, LongValuesAreShownAroundThePlaceWhereTheyDiffer) {
  const std::string same(100, 'y');
  const auto run = [&](const std::string& end, const std::string& file) {
    std::string text = run_text(10, kNarrow, "");
    text.replace(text.find("\"3\""), 3, "\"" + same + end + "\"");
    return facts(text, file);
  };
  const std::string text = comparison_text(compare_runs({run("left", "a/run.json"), run("right", "b/run.json")}, {}));
  EXPECT_THAT(text, HasSubstr("...yyyyyyyyleft"));
  EXPECT_THAT(text, HasSubstr("...yyyyyyyyright"));
  const std::string early =
      comparison_text(compare_runs({run("", "a/run.json"), facts(run_text(10, kNarrow, ""), "b/run.json")}, {}));
  EXPECT_THAT(early, HasSubstr("-n yyy"));
  EXPECT_THAT(early, HasSubstr("-n 3"));
}

TEST(Comparison, WithoutTimedLaunchesSaysSoAndStillComparesTheRest) {
  const auto comparison = compare_runs({facts(run_text(10, kNarrow, R"("order": "gto")"), "a/run.json"),
                                        facts(run_text(0, "", R"("order": "lrr")", "_Z4workPi", false), "b/run.json")},
                                       kAliases);
  EXPECT_FALSE(comparison.account);
  EXPECT_THAT(comparison.no_account, HasSubstr("b/run.json has no timed launch"));
  EXPECT_EQ(comparison.configuration.size(), 1u);
  EXPECT_THAT(comparison_text(comparison), StartsWith("No verdict: b/run.json has no timed launch"));
  EXPECT_THAT(comparison_text(comparison), HasSubstr("No account of cycles: b/run.json has no timed launch"));
  EXPECT_THAT(comparison_json(comparison), HasSubstr("\"no_account\": \"b/run.json has no timed launch"));
}

TEST(Comparison, OfASingleRunSaysWhatLimitsIt) {
  std::string run = run_text(10, kNarrow, "");
  run.replace(run.find("\"classes\": {\"sm\": {\"issue.slots.cycles\": 10"), 19,
              "\"classes\": {\"sm\": {\"l1d.read_hits\": 30, \"l1d.read_misses\": 8, \"l1d.read_merges\": 2, ");
  const std::string text = comparison_text(compare_runs({facts(run, "a/run.json")}, {}));
  EXPECT_THAT(text,
              StartsWith("a takes 10 cycles. What limits it is mostly 'memory', 70.0 % of its issue slots: memory. An "
                         "instruction issued in 30.0 %.\n"));
  EXPECT_THAT(text, HasSubstr("\nWhat ran\n  a: app -n 3 on m, a/run.json\n"));
  EXPECT_THAT(text, HasSubstr("\nWhat the issue slots did\n"
                              "  cause              of the slots\n"
                              "  memory: memory           70.0 %\n"
                              "  issued: it issued        30.0 %\n"))
      << "the largest first, without what was never charged";
  EXPECT_THAT(text, HasSubstr("\nCaches\n"
                              "  cache   lines read  present\n"
                              "  sm l1d          40   75.0 %\n"));
  EXPECT_THAT(text, HasSubstr("\n  ipc                  0.5   instructions/cycle\n"));
  EXPECT_THAT(text, HasSubstr("  work           1      10  100.0 %  memory        70.0 %\n"));
}

TEST(Comparison, OfASingleRunThatIssuesMostlySaysSo) {
  const std::string busy = R"("issue.slots.issued": 3, "issue.slots.packet": 3, "issue.slots.memory": 4)";
  std::string run = run_text(10, busy, "");
  run.replace(run.find("\"complete\": true"), 16, "\"complete\": false");
  EXPECT_THAT(comparison_text(compare_runs({facts(run, "a/run.json")}, {})),
              StartsWith("a takes 10 cycles. What limits it is mostly issue itself, 60.0 % of its issue slots. "
                         "Beware: a is incomplete.\n"));
}

TEST(Comparison, OfASingleRunWithoutTimingSaysSo) {
  const std::string text =
      comparison_text(compare_runs({facts(run_text(0, "", "", "_Z4workPi", false), "b/run.json")}, {}));
  EXPECT_THAT(text, StartsWith("No verdict: b/run.json has no timed launch: there are no cycles.\n"));
  EXPECT_THAT(text, Not(HasSubstr("What the issue slots did")));
}

TEST(Comparison, AnotherCommitOfHeddleIsADifferenceButTheSameWork) {
  const auto at_commit = [](const std::string& commit) {
    std::string text = run_text(10, kNarrow, "");
    return text.insert(text.find("\"machine\""), "\"commit\": \"" + commit + "\", ");
  };
  const std::string other =
      comparison_text(compare_runs({facts(at_commit("abc"), "a/run.json"), facts(at_commit("def"), "b/run.json")}, {}));
  EXPECT_THAT(other, HasSubstr("commit of Heddle  abc  def\n"));
  EXPECT_THAT(other, Not(HasSubstr("Beware")));
  const auto same = [&](const std::string& commit) {
    return comparison_text(
        compare_runs({facts(at_commit(commit), "a/run.json"), facts(at_commit(commit), "b/run.json")}, {}));
  };
  EXPECT_THAT(same("abc"), HasSubstr("Program, arguments, PTX, version and commit of Heddle are the same.\n"));
  EXPECT_THAT(same("abc-modified"),
              HasSubstr("are the same, but Heddle was built from changed sources, so its model may differ.\n"));
  EXPECT_THAT(
      comparison_text(compare_runs(
          {facts(run_text(10, kNarrow, ""), "a/run.json"), facts(run_text(10, kNarrow, ""), "b/run.json")}, {})),
      HasSubstr("Program, arguments, PTX and version of Heddle are the same; its commit is not known.\n"));
}

TEST(Comparison, KernelsAreComparedOnlyWhenTheLaunchesAreTheSame) {
  const auto comparison = compare_runs(
      {facts(run_text(10, kNarrow, ""), "a/run.json"), facts(run_text(7, kWide, "", "_Z5otherPi"), "b/run.json")}, {});
  EXPECT_TRUE(comparison.account);
  EXPECT_THAT(comparison.kernels, IsEmpty());
  EXPECT_THAT(comparison.no_kernels, HasSubstr("launch 1 is not the same in a/run.json and b/run.json"));
}

TEST(Comparison, ThreeRunsHaveAColumnEachAndTheFirstIsTheBaseline) {
  const auto comparison =
      compare_runs({facts(run_text(10, kNarrow, ""), "a/run.json"), facts(run_text(7, kWide, ""), "b/run.json"),
                    facts(run_text(20, R"("issue.slots.issued": 4, "issue.slots.memory": 36)", ""), "c/run.json")},
                   {});
  EXPECT_EQ(comparison.account->causes[1].cycles.difference(2), 11);
  const std::string text = comparison_text(comparison);
  EXPECT_THAT(text, HasSubstr("a/run.json (baseline)"));
  EXPECT_THAT(text, HasSubstr("c -"));
  EXPECT_THAT(text, HasSubstr("+10"));
  EXPECT_THAT(text, HasSubstr("work"));  // the kernel, demangled
  EXPECT_THAT(text, Not(HasSubstr("_Z4")));
}

}  // namespace
}  // namespace heddle::compare
