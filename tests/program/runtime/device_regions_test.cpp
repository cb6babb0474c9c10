// SPDX-License-Identifier: Apache-2.0
// Regions marked by kernels: what they count, when they are open, and that they do not affect cycles elsewhere.
#include <gmock/gmock.h>

#include <map>
#include <nlohmann/json.hpp>

#include "run_program.h"

namespace heddle::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::Ge;
using testing::HasSubstr;
using testing::Le;
using testing::Not;

constexpr std::uint64_t kLanes = 32;
/// Instructions of a marker within the region it ends: the address of the name, the call.
constexpr std::uint64_t kMarker = 6;

class DeviceRegions : public RunProgram {
 protected:
  /// The regions of a run marked by kernels, or by the host, by name.
  std::map<std::string, json> regions(const std::string& options, bool on_device = true) {
    const Result result = run("device_regions", "-o out " + options);
    EXPECT_EQ(result.status, 0) << result.out << result.err;
    EXPECT_THAT(result.out, HasSubstr("PASS"));
    run_ = json::parse(read("out/run.json"));
    std::map<std::string, json> out;
    for (const json& region : run_["regions"]) {
      if (region["on_device"] != on_device) continue;
      EXPECT_TRUE(out.emplace(region["name"], region).second) << "one a name";
    }
    return out;
  }
  static std::uint64_t of(const json& region, const std::string& owner, const std::string& name) {
    return region["statistics"]["classes"][owner].value(name, std::uint64_t{0});
  }
  /// The counters of a whole launch.
  std::uint64_t of_launch(std::size_t launch, const std::string& name) const {
    return of(run_["kernels"][launch - 1], "sm", name);
  }
  json run_;
};

TEST_F(DeviceRegions, HoldTheInstructionsBetweenTheirMarks) {
  const auto marked = regions("-m small");
  const json &arithmetic = marked.at("arithmetic"), &stores = marked.at("stores");
  // 100 multiply-adds, twice in each of two launches; 50 stores, once in each.
  EXPECT_THAT(of(arithmetic, "sm", "issue.thread_instructions"),
              AllOf(Ge(4 * 100 * kLanes), Le(4 * (100 + kMarker) * kLanes)));
  EXPECT_THAT(of(stores, "sm", "issue.thread_instructions"),
              AllOf(Ge(2 * 50 * kLanes), Le(2 * (50 + kMarker) * kLanes)));
  // Units count an instruction when it arrives, some cycles after issue.
  EXPECT_THAT(of(arithmetic, "sm", "alu.packets"), AllOf(Ge(4 * 90u), Le(4 * (100 + kMarker))));
  EXPECT_THAT(of(arithmetic, "sm", "memory.stores"), Le(2 * 5u));
  EXPECT_THAT(of(stores, "sm", "memory.stores"), AllOf(Ge(2 * 45u), Le(2 * 50u)));
  EXPECT_THAT(of(stores, "sm", "alu.packets"), Le(2 * 10u + 2 * kMarker));
  EXPECT_EQ(arithmetic["first_launch"], 1);
  EXPECT_EQ(arithmetic["last_launch"], 5);
}

TEST_F(DeviceRegions, AreOpenOnTheWholeMachineBetweenTwoCycles) {
  const auto marked = regions("-m small");
  // A dependent multiply-add about every 18 cycles; the other SM is empty meanwhile.
  const std::uint64_t cycles = of(marked.at("arithmetic"), "sm", "issue.slots.cycles");
  EXPECT_EQ(cycles % 2, 0u) << "both SMs count the same cycles";
  EXPECT_GT(cycles / 2, 4 * 100 * 10u);
  EXPECT_GE(of(marked.at("arithmetic"), "sm", "issue.slots.no_warp"), cycles / 2);
  for (const auto& [name, region] : marked) {
    std::uint64_t charged = 0;
    for (const auto& [key, value] : region["statistics"]["classes"]["sm"].items()) {
      if (key.starts_with("issue.slots.") && key != "issue.slots.cycles") charged += value.get<std::uint64_t>();
    }
    const std::uint64_t schedulers = run_["configuration"]["gpu"]["sm_classes"][0]["sm"]["schedulers"]["value"];
    EXPECT_EQ(charged, schedulers * of(region, "sm", "issue.slots.cycles")) << name;
  }
}

TEST_F(DeviceRegions, NestAndCloseWhenTheLastThreadLeavesOrTheKernelEnds) {
  const auto marked = regions("-m small");
  const json &outer = marked.at("outer"), &inner = marked.at("inner"), &open = marked.at("left open");
  // Two warps, half of whose threads are in the inner region.
  EXPECT_THAT(of(inner, "sm", "issue.thread_instructions"), Ge(2 * 100 * kLanes / 2));
  EXPECT_LT(of(inner, "sm", "issue.thread_instructions"), of(outer, "sm", "issue.thread_instructions"));
  // Of the inner region both are open; of the kernel's end the outer one, which no thread leaves, as well.
  EXPECT_THAT(of(open, "sm", "memory.stores"), AllOf(Ge(90u), Le(102u)));
  EXPECT_GE(of(outer, "sm", "memory.stores"), of(open, "sm", "memory.stores"));
  for (const json* region : {&outer, &inner, &open}) {
    EXPECT_EQ((*region)["first_launch"], 2);
    EXPECT_EQ((*region)["last_launch"], 2);
  }
  EXPECT_EQ(regions("-m small", false).at("outer")["statistics"]["classes"]["sm"]["issue.thread_instructions"],
            of_launch(2, "issue.thread_instructions"))
      << "the host's region of that name is another one";
}

TEST_F(DeviceRegions, AreOpenWhileAnyThreadIsInThem) {
  const auto marked = regions("-m small");
  const json& waves = marked.at("waves");
  // 40 blocks of 8 warps; a fifth each with 1, 4, 7, 10 and 13 rounds.
  const std::uint64_t inside = std::uint64_t{40} * 256 * 7 * 100;
  EXPECT_GE(of(waves, "sm", "issue.thread_instructions"), inside);
  EXPECT_LE(of(waves, "sm", "issue.thread_instructions"), of_launch(4, "issue.thread_instructions"));
  EXPECT_EQ(waves["first_launch"], 4);
  EXPECT_EQ(waves["last_launch"], 4);
}

TEST_F(DeviceRegions, CountInstructionsInFunctionalMode) {
  const auto marked = regions("--functional");
  const json &arithmetic = marked.at("arithmetic"), &stores = marked.at("stores");
  const auto threads = [](const json& region) { return of(region, "host", "functional.thread_instructions"); };
  EXPECT_THAT(threads(arithmetic), AllOf(Ge(4 * 100 * kLanes), Le(4 * (100 + kMarker) * kLanes)));
  EXPECT_THAT(threads(stores), AllOf(Ge(2 * 50 * kLanes), Le(2 * (50 + kMarker) * kLanes)));
  EXPECT_GE(threads(marked.at("inner")), 2 * 100 * kLanes / 2);
  // Events divided among regions are counted once in the whole run.
  std::uint64_t total = 0;
  for (const json& kernel : run_["kernels"]) total += kernel["thread_instructions"].get<std::uint64_t>();
  EXPECT_EQ(run_["statistics"]["classes"]["host"]["functional.thread_instructions"], total);
}

TEST_F(DeviceRegions, AreTheSameOnEveryRun) {
  const auto first = regions("-m small"), second = regions("-m small");
  EXPECT_EQ(first, second);
}

TEST_F(DeviceRegions, ThatAreLeftWithoutBeingEnteredAreSaid) {
  for (const std::string options : {"--functional", "-m small"}) {
    const Result result = run("device_regions odd", options);
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_THAT(result.err, HasSubstr("more threads leave region 'never entered' in a kernel than entered it"));
    EXPECT_THAT(run("device_regions", options).err, Not(HasSubstr("more threads leave")));
  }
}

}  // namespace
}  // namespace heddle::test
