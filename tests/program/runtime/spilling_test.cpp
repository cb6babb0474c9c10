// SPDX-License-Identifier: Apache-2.0
// Register limits: met by spilling to local memory or, with spilling off, reported.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "run_program.h"

namespace heddle::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

class Spilling : public RunProgram {
 protected:
  struct Told {
    int registers = 0, bytes = 0, blocks = 0;
  };
  static Told told(const Result& result, const std::string& kernel) {
    Told out;
    const std::size_t at = result.out.find("\n" + kernel + ": ");
    const std::size_t from = result.out.starts_with(kernel + ": ") ? kernel.size() : at + 1 + kernel.size();
    EXPECT_EQ(std::sscanf(result.out.c_str() + from, ": %d registers, %d bytes, %d blocks", &out.registers, &out.bytes,
                          &out.blocks),
              3)
        << result.out;
    return out;
  }
  json results() const { return json::parse(read("out/run.json")); }
};

TEST_F(Spilling, CanBeSwitchedOff) {
  const Result result = run("register_limits", "-m small -o out --no-spilling");
  EXPECT_EQ(result.status, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("PASS"));
  EXPECT_THAT(result.err, HasSubstr("its launch bounds ask for 6 blocks of 256 threads"));
  const Told bounded = told(result, "bounded");
  EXPECT_EQ(bounded.registers, told(result, "unbounded").registers);
  EXPECT_GT(bounded.registers, 40);
  EXPECT_EQ(bounded.bytes, 0);
  EXPECT_LT(bounded.blocks, 6);
  EXPECT_EQ(results()["kernels"][1]["spilled_bytes"], 0);
}

TEST_F(Spilling, MakesRoomForTheBlocksThatLaunchBoundsAskFor) {
  const Result result = run("register_limits", "-m small -o out");
  EXPECT_EQ(result.status, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("PASS"));
  EXPECT_THAT(result.err, HasSubstr("of its values are spilled to local memory"));
  EXPECT_THAT(result.err, Not(HasSubstr("its launch bounds ask")));
  // 48 warps of 20 registers fill 32,768; a warp gets them by 64.
  const Told bounded = told(result, "bounded"), unbounded = told(result, "unbounded");
  EXPECT_LE(bounded.registers, 20);
  EXPECT_GT(bounded.bytes, 80);
  EXPECT_EQ(bounded.blocks, 6);
  EXPECT_GT(unbounded.registers, 40) << "a kernel without bounds has no limit but the machine's";
  EXPECT_LT(unbounded.blocks, 6);
  const json run = results();
  const json &free = run["kernels"][0], &spilled = run["kernels"][1];
  EXPECT_EQ(spilled["registers"], bounded.registers);
  EXPECT_EQ(spilled["local_bytes"], bounded.bytes);
  EXPECT_EQ(spilled["spilled_bytes"], bounded.bytes);
  EXPECT_EQ(free["spilled_bytes"], 0);
  EXPECT_EQ(run["configuration"]["spill_registers"], true);
  // 12 blocks on 2 SMs: all resident at once if they use fewer registers per thread.
  const auto resident = [](const json& kernel) {
    return kernel["statistics"]["classes"]["sm"]["issue.most_contexts"].get<int>() / 8;  // warps of a block
  };
  EXPECT_EQ(resident(spilled), 6);
  EXPECT_EQ(resident(free), unbounded.blocks);
  EXPECT_GT(spilled["statistics"]["classes"]["sm"]["memory.accesses"],
            free["statistics"]["classes"]["sm"]["memory.accesses"]);
}

TEST_F(Spilling, IsAKeyOfTheConfigurationAndGivesTheSameInFunctionalMode) {
  const Result spilled = run("register_limits", "--functional -m small");
  EXPECT_EQ(spilled.status, 0) << spilled.out << spilled.err;
  EXPECT_THAT(spilled.out, HasSubstr("PASS"));
  EXPECT_LE(told(spilled, "bounded").registers, 20);
  const Result whole = run("register_limits", "--functional -m small --set spill_registers=false");
  EXPECT_EQ(whole.status, 0) << whole.out << whole.err;
  EXPECT_GT(told(whole, "bounded").registers, 40);
}

TEST_F(Spilling, ABlockThatNeedsMoreRegistersThanAnSmHasRuns) {
  for (const char* mode : {"", "--functional "}) {
    const Result result = run("register_limits large", std::string(mode) + "-m small -o out");
    EXPECT_EQ(result.status, 0) << result.out << result.err;
    EXPECT_THAT(result.out, HasSubstr("PASS"));
    EXPECT_EQ(told(result, "large").blocks, 1) << "what the occupancy query says is what an SM takes";
    EXPECT_THAT(result.err, HasSubstr("a block of 1024 threads leaves 32 registers per thread; kernel '"));
    EXPECT_LE(results()["kernels"][0]["registers"], 32);
    EXPECT_GT(results()["kernels"][0]["spilled_bytes"], 0);
  }
}

TEST_F(Spilling, WithoutItSuchABlockIsRefusedWithASentence) {
  const Result result = run("register_limits large", "-m small --no-spilling");
  EXPECT_NE(result.status, 0);
  EXPECT_EQ(told(result, "large").blocks, 0);
  EXPECT_THAT(result.err, HasSubstr("1024 threads per block; its launch bounds and"));
}

TEST_F(Spilling, SharedMemoryThatNoBlockGetsIsNamedNotRegisters) {
  for (const char* mode : {"", "--functional "}) {
    const Result result =
        run("register_limits shared", std::string(mode) + "-m small --set sm.residency.shared_bytes=16384");
    EXPECT_EQ(result.status, 0) << result.out << result.err;
    EXPECT_THAT(result.err, HasSubstr("40000 bytes of static shared memory, the machine gives a block at most 16384"));
  }
}

}  // namespace
}  // namespace heddle::test
