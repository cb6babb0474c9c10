// SPDX-License-Identifier: Apache-2.0
// Programs whose warps poll flags, or whose threads compete for locks, complete on every machine; no detector mistakes
// polling for an endless loop.
#include "run_program.h"

namespace heddle::test {
namespace {

struct SpinningCase {
  const char* options;
  const char* warps;
};

class Spinning : public RunProgram, public testing::WithParamInterface<SpinningCase> {};

TEST_P(Spinning, PollersLetRepliesToOthersThrough) {
  const Result result =
      run(std::string("spinning ") + GetParam().warps, std::string(GetParam().options) + " --max-cycles 1000000");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, "PASS\n") << result.err;
}

INSTANTIATE_TEST_SUITE_P(Machines, Spinning,
                         testing::Values(SpinningCase{"-m gtx480", "128"}, SpinningCase{"-m small", "64"},
                                         SpinningCase{"-m quadro-fx5800", "96"},
                                         SpinningCase{"-m gtx480 --set caches.l1d.present=false", "96"}),
                         [](const auto& instance) { return std::to_string(instance.index); });

class SpinLocks : public RunProgram, public testing::WithParamInterface<std::string> {};

TEST_P(SpinLocks, ThreadsOfAWarpHoldThemOneAfterTheOther) {
  const bool wide = GetParam().find("large-warp") != std::string::npos || GetParam() == "-m interweaving-sm" ||
                    GetParam() == "-m compaction-core";
  const std::string limit = GetParam() == "--functional" ? "" : " --max-cycles 20000000";
  const Result result = run(wide ? "spin_locks" : "spin_locks lanes", GetParam() + limit);
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, "PASS\n") << result.err;
}

INSTANTIATE_TEST_SUITE_P(Machines, SpinLocks,
                         testing::Values("--functional", "-m gtx480", "-m quadro-fx5800", "-m barrel-core",
                                         "-m large-warp-core", "-m compaction-core", "-m subdivision-core",
                                         "-m thread-counters-core", "-m predication-core", "-m interweaving-baseline",
                                         "-m interweaving-sm", "-m vws-e", "-m vws-ws4", "-m dwr-ws16"),
                         [](const auto& instance) { return std::to_string(instance.index); });

}  // namespace
}  // namespace heddle::test
