// SPDX-License-Identifier: Apache-2.0
// The worked examples of the reconvergence stack and of dynamic warp formation, on hand-driven groupings. Source:
// docs/sources/large-warps-and-database-search.md, 3.4 and 3.5.
#include <gtest/gtest.h>

#include <algorithm>

#include "large_warp_targets.h"
#include "tests/unit/sm/grouping_bench.h"

namespace heddle::studies {
namespace {

using namespace sm;

/// A branches to B and C, which meet at D; one instruction per block, four threads, three of them at B.
struct Diamond {
  double useful = 0, offered = 0;  ///< slots of lanes
  double deepest = 0;              ///< paths that waited

  Diamond() {
    constexpr std::uint32_t kC = 1, kD = 2, kB = 10;  // C follows A; B and C end in a branch to D, or fall through
    const SmParameters core = sm_of("barrel-core", {"sm.warp_size=4", "sm.simd_width=4"});
    GroupingBench bench(core.grouping, grouping_shape(core), core.warp_size);
    bench.unit().declare_state(state_);
    execute(bench, 0);
    bench.branch(ContextId(0), kB, ThreadSet::of_word(0b1011), kD);
    execute(bench, kB);
    bench.branch(ContextId(0), kD, ThreadSet::everything(), kNone);
    execute(bench, kC);
    bench.unit().advanced(ContextId(0));
    execute(bench, kD);
    bench.unit().advanced(ContextId(0));
    EXPECT_EQ(bench.table[0].pc, kD + 1);
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;
  void execute(GroupingBench& bench, std::uint32_t block) {
    EXPECT_EQ(bench.table[0].pc, block);
    const ThreadSet& threads = bench.table[0].threads;
    useful += static_cast<double>(threads.count());
    offered += static_cast<double>(bench.unit().lanes(ContextId(0), {}, threads).lanes.count());
    for (const Structure* structure : services_.structures.all()) {
      if (structure->name() != "grouping.stack") continue;
      double depth = 0;
      for (std::size_t entry = 0; entry < structure->entries(); ++entry) depth += structure->is_occupied(entry) ? 1 : 0;
      deepest = std::max(deepest, depth);
    }
  }
  Services services_;
  ModuleState state_{services_, "grouping", "core"};
};

/// Warps of four lanes that return one after the other to the same program counter. Lane 0 is written first.
struct Formation {
  GroupingBench bench{sm_of("formation-core").grouping, grouping_shape(sm_of("formation-core")), 96};

  void retire(unsigned warp, const std::string& lanes) {
    ThreadSet own;
    for (unsigned lane = 0; lane < lanes.size(); ++lane) {
      if (lanes[lane] == '1') own.set(warp * isa::kWordThreads + lane);
    }
    bench.stand(ContextId(warp), 5, own);
    bench.retire(ContextId(warp));
  }
  double threads(unsigned warp) const { return static_cast<double>(bench.table[warp].threads.count()); }
};

}  // namespace

void add_path_targets(Evaluations& targets) {
  targets["lw.fig2.2.useful-lanes"] = [] {
    const Diamond diamond;
    EXPECT_EQ(diamond.offered, 16);
    return diamond.useful;
  };
  targets["lw.fig2.2.efficiency"] = [] {
    const Diamond diamond;
    return 100 * diamond.useful / diamond.offered;
  };
  targets["lw.fig2.2.stack-depth"] = [] { return Diamond().deepest; };

  const auto two = [](unsigned warp) {
    return [=] {
      Formation pool;
      pool.retire(0, "1100");
      pool.retire(1, "1010");
      return pool.threads(warp);
    };
  };
  targets["lw.sec3.2.1.dwf-merge-filled"] = two(0);
  targets["lw.sec3.2.1.dwf-merge-left"] = two(1);
  targets["lw.sec3.2.1.dwf-hole-remains"] = [] {
    Formation pool;
    pool.retire(0, "1100");
    pool.retire(1, "1010");
    pool.retire(2, "0001");
    EXPECT_EQ(pool.threads(1), 2) << "1001";
    return 4 - pool.threads(0);
  };
}

}  // namespace heddle::studies
