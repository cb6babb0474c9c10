// SPDX-License-Identifier: Apache-2.0
// CUDA barriers and fences also order memory for the compiler, at every optimisation level: results of the program, and
// positions of loads in its PTX.
#include <cctype>
#include <sstream>
#include <vector>

#include "../runtime/run_program.h"

namespace heddle::test {
namespace {

class MemoryOrder : public RunProgram {
 protected:
  /// `heddle cc` with a compiler wrapper that replaces -O3 for device code by `level`.
  Result compile(const std::string& level, const std::string& options) const {
    std::ofstream script(folder_ / "compiler");
    script << "#!/bin/sh\nfor word; do\n  shift\n  [ \"$word\" = -O3 ] && word=" << level
           << "\n  set -- \"$@\" \"$word\"\ndone\nexec " HEDDLE_TEST_CLANG " \"$@\"\n";
    script.close();
    return shell("chmod +x compiler && HEDDLE_CLANG=$PWD/compiler " HEDDLE_COMMAND " cc " + options +
                 " " HEDDLE_SOURCES "/memory_order.cu");
  }
  void expect_right_results(const std::string& level) const {
    const Result built = compile(level, "-o program");
    ASSERT_EQ(built.status, 0) << built.err;
    for (const char* machine : {"--functional", "--machine gtx480"}) {
      const Result result = shell(HEDDLE_COMMAND " run " + std::string(machine) + " ./program");
      EXPECT_EQ(result.status, 0) << level << machine << result.err;
      EXPECT_EQ(result.out, "all right\n") << level << machine;
    }
  }
};

struct Kernel {
  std::string name;
  std::vector<std::string> lines;
};

std::vector<Kernel> kernels_of(const std::string& ptx) {
  std::vector<Kernel> kernels;
  std::istringstream text(ptx);
  for (std::string line; std::getline(text, line);) {
    const std::size_t entry = line.find(".entry ");
    if (entry != std::string::npos) kernels.push_back({line.substr(entry + 7), {}});
    if (!kernels.empty()) kernels.back().lines.push_back(line);
  }
  return kernels;
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

bool meets(const std::string& line) {
  return has(line, "bar.sync") || has(line, "bar.warp.sync") || has(line, "bar.red.") || has(line, "barrier.sync") ||
         has(line, "membar.") || has(line, "atom.");
}

void expect_loads_behind(const std::string& ptx, const std::string& level) {
  int looked_at = 0;
  for (const Kernel& kernel : kernels_of(ptx)) {
    const bool in_shared = has(kernel.name, "_scalar") || has(kernel.name, "_array") || has(kernel.name, "_flag") ||
                           has(kernel.name, "_atomic");
    if (!in_shared && !has(kernel.name, "_global")) continue;
    ++looked_at;
    int behind = -1;  // loads after the last synchronisation
    for (const std::string& line : kernel.lines) {
      if (meets(line)) behind = 0;
      if (behind >= 0 && has(line, in_shared ? "ld.shared" : "ld.global")) ++behind;
    }
    EXPECT_EQ(behind, 1) << level << ": " << kernel.name;
  }
  EXPECT_EQ(looked_at, 25 * 3 + 6 + 20);
}

TEST_F(MemoryOrder, WhatAnotherThreadWroteIsReadBehindABarrierWithoutOptimisation) { expect_right_results("-O0"); }
TEST_F(MemoryOrder, WhatAnotherThreadWroteIsReadBehindABarrierAtTheFirstLevel) { expect_right_results("-O1"); }
TEST_F(MemoryOrder, WhatAnotherThreadWroteIsReadBehindABarrierAtTheThirdLevel) { expect_right_results("-O3"); }

TEST_F(MemoryOrder, ThePtxLoadsOnceBehindTheLastBarrier) {
  for (const char* level : {"-O1", "-O3"}) {
    const Result built = compile(level, "-ptx -o program.ptx");
    ASSERT_EQ(built.status, 0) << built.err;
    expect_loads_behind(read("program.ptx"), level);
  }
}

}  // namespace
}  // namespace heddle::test
