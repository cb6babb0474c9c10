// SPDX-License-Identifier: Apache-2.0
#include "isa/analysis/loops.h"

#include <gtest/gtest.h>

#include "graphs.h"

namespace heddle::isa {
namespace {

bool inside(const LoopForest& forest, std::uint32_t node, std::uint32_t loop) {
  for (std::uint32_t at = forest.innermost[node]; at != FlowGraph::kNone; at = forest.loops[at].parent) {
    if (at == loop) return true;
  }
  return false;
}

TEST(Loops, ABlockThatBranchesToItselfIsALoop) {
  const LoopForest forest = find_loops(graph_of(3, {{0, 1}, {1, 1}, {1, 2}}));
  ASSERT_EQ(forest.loops.size(), 1u);
  EXPECT_EQ(forest.loops[0].header, 1u);
  EXPECT_TRUE(forest.loops[0].reducible);
  EXPECT_EQ(forest.innermost, (std::vector<std::uint32_t>{FlowGraph::kNone, 0, FlowGraph::kNone}));
}

TEST(Loops, NestWithTheOuterOneFirst) {
  // 1 { 2 { 3 } 4 } 5
  const LoopForest forest = find_loops(graph_of(6, {{0, 1}, {1, 2}, {2, 3}, {3, 2}, {3, 4}, {4, 1}, {4, 5}}));
  ASSERT_EQ(forest.loops.size(), 2u);
  EXPECT_EQ(forest.loops[0].header, 1u);
  EXPECT_EQ(forest.loops[0].depth, 1u);
  EXPECT_EQ(forest.loops[1].header, 2u);
  EXPECT_EQ(forest.loops[1].parent, 0u);
  EXPECT_EQ(forest.loops[1].depth, 2u);
  EXPECT_EQ(forest.innermost, (std::vector<std::uint32_t>{FlowGraph::kNone, 0, 1, 1, 0, FlowGraph::kNone}));
}

TEST(Loops, TwoBackEdgesToOneHeaderMakeOneLoop) {
  const LoopForest forest = find_loops(graph_of(5, {{0, 1}, {1, 2}, {1, 3}, {2, 1}, {3, 1}, {3, 4}}));
  ASSERT_EQ(forest.loops.size(), 1u);
  EXPECT_EQ(forest.innermost, (std::vector<std::uint32_t>{FlowGraph::kNone, 0, 0, 0, FlowGraph::kNone}));
}

TEST(Loops, ACycleWithTwoEntriesIsIrreducible) {
  const LoopForest forest = find_loops(graph_of(4, {{0, 1}, {0, 2}, {1, 2}, {2, 1}, {2, 3}}));
  ASSERT_EQ(forest.loops.size(), 1u);
  EXPECT_FALSE(forest.loops[0].reducible);
}

TEST(Loops, ANaturalLoopInsideAnIrreducibleOneStaysNatural) {
  const LoopForest forest = find_loops(graph_of(5, {{0, 1}, {0, 2}, {1, 2}, {2, 3}, {3, 3}, {3, 1}, {2, 4}}));
  ASSERT_EQ(forest.loops.size(), 2u);
  EXPECT_FALSE(forest.loops[0].reducible);
  EXPECT_EQ(forest.loops[1].header, 3u);
  EXPECT_TRUE(forest.loops[1].reducible);
  EXPECT_EQ(forest.loops[1].parent, 0u);
}

TEST(Loops, AnEdgeIntoTheMiddleOfTwoLoopsMakesBothIrreducible) {
  // 1 { 2 { 3 } } entered at 3 from 0 as well.
  const LoopForest forest = find_loops(graph_of(5, {{0, 1}, {0, 3}, {1, 2}, {2, 3}, {3, 2}, {3, 1}, {3, 4}}));
  ASSERT_EQ(forest.loops.size(), 2u);
  EXPECT_FALSE(forest.loops[0].reducible);
  EXPECT_FALSE(forest.loops[1].reducible);
}

// Two nodes that reach each other share a loop; a reducible loop is entered at its header only; headers are in their
// loop.
TEST(Loops, CoverEveryCycleOfRandomGraphs) {
  std::mt19937 random(3);
  for (unsigned round = 0; round < 400; ++round) {
    const FlowGraph graph = random_graph(random, 2 + round % 20);
    const LoopForest forest = find_loops(graph);
    const std::vector<bool> reachable = reached(graph.successors, 0);
    std::vector<std::vector<bool>> from;
    for (std::uint32_t node = 0; node < graph.size(); ++node) from.push_back(reached(graph.successors, node));
    for (std::uint32_t a = 0; a < graph.size(); ++a) {
      for (std::uint32_t b = 0; b < graph.size(); ++b) {
        if (a == b || !reachable[a] || !from[a][b] || !from[b][a]) continue;
        bool shared = false;
        for (std::uint32_t loop = 0; loop < forest.loops.size(); ++loop) {
          shared |= inside(forest, a, loop) && inside(forest, b, loop);
        }
        ASSERT_TRUE(shared) << "round " << round << ": " << a << " and " << b;
      }
    }
    for (std::uint32_t loop = 0; loop < forest.loops.size(); ++loop) {
      const std::uint32_t header = forest.loops[loop].header;
      ASSERT_EQ(forest.innermost[header], loop);
      bool entered_elsewhere = false;
      for (std::uint32_t node = 0; node < graph.size(); ++node) {
        if (!reachable[node] || inside(forest, node, loop)) continue;
        for (const std::uint32_t to : graph.successors[node])
          entered_elsewhere |= to != header && inside(forest, to, loop);
      }
      ASSERT_EQ(forest.loops[loop].reducible, !entered_elsewhere) << "round " << round << ", loop of " << header;
    }
  }
}

}  // namespace
}  // namespace heddle::isa
