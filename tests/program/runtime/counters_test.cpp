// SPDX-License-Identifier: Apache-2.0
// A program that makes every counter of the memory system and of the baseline machine count, and the relations that
// must then hold between counters.
#include <gmock/gmock.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "run_program.h"

namespace heddle::test {
namespace {

using nlohmann::json;

class Counters : public RunProgram {
 protected:
  void SetUp() override {
    RunProgram::SetUp();
    if (!results_.is_null()) return;
    results_ = results_on("");
  }
  /// Counters of the program on the small machine with some parameters changed.
  json results_on(const std::string& settings) {
    const Result result = run("every_counter", "-m small -o out --skip-kernels 1" + settings);
    EXPECT_EQ(result.status, 0) << result.err;
    return result.status == 0 ? json::parse(read("out/run.json")) : json::parse(R"({"statistics": null})");
  }
  static std::uint64_t sum(const std::string& kind, const std::string& name) {
    return results_.at("statistics").at("classes").at(kind).at(name).get<std::uint64_t>();
  }
  static inline json results_;  ///< of one run, for all cases
};

/// All caches of an SM share one model, so a counter need not count in each of them.
std::string model_of(const std::string& kind, const std::string& name) {
  const std::size_t dot = name.find('.');
  static const std::set<std::string> caches = {"l1d", "constant", "texture", "instruction", "cache"};
  return caches.count(name.substr(0, dot)) != 0 ? "any cache" + name.substr(dot) : kind + ": " + name;
}

std::string controller(const std::string& settings) {
  std::string result;
  std::istringstream words(settings);
  for (std::string word; words >> word;) result += " --set memory.controller." + word;
  return result;
}

bool counts(const json& value) {
  if (!value.is_object()) return value.get<double>() != 0;
  for (const auto& [bucket, count] : value.items()) {
    if (count.get<double>() != 0) return true;
  }
  return false;
}

TEST_F(Counters, EachCountsInAProgramThatDoesEverything) {
  // Counters that these machines cannot reach, and why. The tests named make them count.
  const std::map<std::string, std::string> impossible = {
      {"sm: issue.slots.held", "no policy of the baseline holds a context back"},
      {"sm: issue.slots.pipeline", "instructions of a context overlap in the buffered shape"},
      {"sm: issue.slots.branch", "a branch is known in the cycle after its issue"},
      {"sm: issue.slots.parked", "no grouping of the baseline makes warps anew"},
      {"sm: issue.slots.rendezvous", "a warp whose path waits goes on with its other path"},
      {"sm: fp64.packets", "the SFU executes double precision"},
      {"sm: fp64.lane_operations", "likewise"},
      {"sm: fp64.busy_cycles", "likewise"},
      {"any cache.stall_writes", "only requests of foreign initiators carry bytes"},
  };
  // Features that the baseline lacks, on other machines: banked caches, refresh by rank and by bank, a write queue,
  // other schedulers.
  const json queued = results_on(" --set memory.l2.banks=4" +
                                 controller("refresh=all_bank scheduler=fr_fcfs_cap age_cap=100 write_queue_entries=32 "
                                            "write_drain_high=24 write_drain_low=8"));
  const json held =
      results_on(controller("refresh=per_bank scheduler=fr_fcfs_hold fr_fcfs_hold.hold_by_latency=false "
                            "fr_fcfs_hold.hold_renewals=1"));
  std::map<std::string, bool> seen;
  for (const json& results : {results_, queued, held}) {
    ASSERT_FALSE(results["statistics"].is_null());
    for (const auto& [kind, declarations] : results["declarations"]["classes"].items()) {
      for (const auto& [name, declaration] : declarations.items()) {
        const json& value = results["statistics"]["classes"][kind][name];
        seen[model_of(kind, name)] |= counts(value);
      }
    }
  }
  EXPECT_GT(seen.size(), 100u);
  for (const auto& [name, counted] : seen) {
    if (impossible.count(name) != 0) {
      EXPECT_FALSE(counted) << name << " counts, although " << impossible.at(name);
    } else {
      EXPECT_TRUE(counted) << name;
    }
  }
  for (const auto& [name, why] : impossible) EXPECT_EQ(seen.count(name), 1u) << name << " is not declared";
}

TEST_F(Counters, ExplainSaysOfEachWhatTheRunSays) {
  std::string words;
  std::vector<std::string> sentences;
  for (const auto& [kind, declarations] : results_["declarations"]["classes"].items()) {
    for (const auto& [name, declaration] : declarations.items()) {
      words += " " + kind + "." + name;
      sentences.push_back(declaration["sentence"]);
    }
  }
  const Result result = shell(std::string(HEDDLE_COMMAND) + " explain --machine small" + words);
  EXPECT_EQ(result.status, 0) << result.err;
  for (const std::string& sentence : sentences) EXPECT_NE(result.out.find(sentence), std::string::npos) << sentence;
}

TEST_F(Counters, EveryRequestHasItsReply) {
  EXPECT_EQ(sum("sm", "memory.replies"), sum("sm", "memory.transactions"));
  for (const char* cache : {"l1d", "constant", "texture", "instruction"}) {
    const std::string name = cache;
    EXPECT_EQ(sum("sm", name + ".replies"), sum("sm", name + ".requests")) << name;
    EXPECT_EQ(sum("sm", name + ".replies_below"), sum("sm", name + ".requests_below")) << name;
  }
  EXPECT_EQ(sum("l2", "cache.replies"), sum("l2", "cache.requests"));
  EXPECT_EQ(sum("l2", "cache.replies_below"), sum("l2", "cache.requests_below"));
  EXPECT_EQ(sum("mc", "controller.replies"), sum("mc", "controller.requests"));
}

TEST_F(Counters, WhatALevelSendsTheNextReceives) {
  std::uint64_t from_sms = 0;
  for (const char* cache : {"l1d", "constant", "texture", "instruction"})
    from_sms += sum("sm", std::string(cache) + ".requests_below");
  EXPECT_EQ(sum("sm", "memory.transactions"),
            sum("sm", "l1d.requests") + sum("sm", "constant.requests") + sum("sm", "texture.requests"));
  EXPECT_EQ(sum("l2", "cache.requests"), from_sms);
  EXPECT_EQ(sum("mc", "controller.requests"), sum("l2", "cache.requests_below"));
  EXPECT_EQ(sum("crossbar", "network.request.packets"), from_sms);
  EXPECT_EQ(sum("crossbar", "network.reply.packets"), from_sms);
}

TEST_F(Counters, WhatIssuesIsExecutedAndWrittenBack) {
  const std::uint64_t executed = sum("sm", "alu.packets") + sum("sm", "sfu.packets") + sum("sm", "fp64.packets");
  const std::uint64_t memory = sum("sm", "memory.accesses") + sum("sm", "shared_memory.accesses");
  EXPECT_EQ(sum("sm", "writeback.packets"), executed + memory);
  EXPECT_EQ(sum("sm", "issue.blocks_finished"), sum("sm", "issue.blocks_launched"));
  EXPECT_EQ(sum("gpu", "dispatcher.blocks"), sum("sm", "issue.blocks_launched"));
  EXPECT_EQ(sum("sm", "memory.loads") + sum("sm", "memory.stores") + sum("sm", "memory.atomics"),
            sum("sm", "memory.accesses"));
  for (const char* cache : {"l1d", "constant", "texture", "instruction"})
    EXPECT_GT(sum("sm", std::string(cache) + ".fills"), 0u);
}

}  // namespace
}  // namespace heddle::test
