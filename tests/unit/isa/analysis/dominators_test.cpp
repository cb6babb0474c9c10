// SPDX-License-Identifier: Apache-2.0
#include "isa/analysis/dominators.h"

#include <gtest/gtest.h>

#include "graphs.h"

namespace heddle::isa {
namespace {

// if (0) 1 else 2; 3
FlowGraph diamond() { return graph_of(4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}}); }

TEST(Dominators, OfADiamondIsItsTop) {
  EXPECT_EQ(immediate_dominators(diamond()), (std::vector<std::uint32_t>{0, 0, 0, 0}));
}

TEST(Dominators, PostDominatorOfADiamondIsItsBottom) {
  EXPECT_EQ(immediate_post_dominators(diamond(), {{3}, {}}), (std::vector<std::uint32_t>{3, 3, 3, 4}));
}

TEST(Dominators, UnreachableNodesHaveNone) {
  EXPECT_EQ(immediate_dominators(graph_of(3, {{0, 2}, {1, 2}})), (std::vector<std::uint32_t>{0, FlowGraph::kNone, 0}));
}

TEST(Dominators, IrreducibleLoopIsDominatedFromOutside) {
  // 1 and 2 jump to each other and are both entered from 0.
  const FlowGraph graph = graph_of(4, {{0, 1}, {0, 2}, {1, 2}, {2, 1}, {2, 3}});
  EXPECT_EQ(immediate_dominators(graph), (std::vector<std::uint32_t>{0, 0, 0, 2}));
  EXPECT_EQ(immediate_post_dominators(graph, {{3}, {}}), (std::vector<std::uint32_t>{2, 2, 3, 4}));
}

TEST(Dominators, ThreadsThatExitUnderAGuardDoNotMoveTheMeetingPoint) {
  // 1 may exit and otherwise goes on to 3.
  EXPECT_EQ(immediate_post_dominators(diamond(), {{3}, {1}})[0], 3u);
  // If it were an exit for all threads, the paths would meet only at the end.
  EXPECT_EQ(immediate_post_dominators(graph_of(4, {{0, 1}, {0, 2}, {2, 3}}), {{1, 3}, {}})[0], 4u);
}

TEST(Dominators, AGuardedExitIsTheWayOutOfALoopThatHasNoOther) {
  const FlowGraph graph = graph_of(3, {{0, 1}, {1, 2}, {2, 1}});
  EXPECT_EQ(immediate_post_dominators(graph, {{}, {1}}), (std::vector<std::uint32_t>{1, 3, 1}));
}

TEST(Dominators, AnEndlessLoopLeavesFromItsLastNode) {
  const FlowGraph graph = graph_of(3, {{0, 1}, {1, 2}, {2, 1}});
  EXPECT_EQ(immediate_post_dominators(graph, {}), (std::vector<std::uint32_t>{1, 2, 3}));
}

TEST(Dominators, TreeAnswersForNodesAndThemselves) {
  const DominatorTree tree(immediate_dominators(graph_of(5, {{0, 1}, {1, 2}, {1, 3}, {4, 3}})));
  EXPECT_TRUE(tree.dominates(1, 3));
  EXPECT_TRUE(tree.dominates(2, 2));
  EXPECT_FALSE(tree.dominates(2, 3));
  EXPECT_FALSE(tree.dominates(4, 3));
  EXPECT_FALSE(tree.dominates(4, 4));
}

// a dominates b when b cannot be reached without a; the immediate one is dominated by all others.
TEST(Dominators, AgreeWithTheirDefinitionOnRandomGraphs) {
  std::mt19937 random(7);
  for (unsigned round = 0; round < 400; ++round) {
    const FlowGraph graph = random_graph(random, 2 + round % 24);
    const std::vector<std::uint32_t> immediate = immediate_dominators(graph);
    const DominatorTree tree(immediate);
    const std::vector<bool> reachable = reached(graph.successors, 0);
    for (std::uint32_t a = 0; a < graph.size(); ++a) {
      const std::vector<bool> around = reached(graph.successors, 0, a);
      for (std::uint32_t b = 0; b < graph.size(); ++b) {
        const bool expected = reachable[a] && reachable[b] && (a == b || !around[b]);
        ASSERT_EQ(tree.dominates(a, b), expected) << "round " << round << ": " << a << " over " << b;
      }
    }
  }
}

TEST(Dominators, PostDominatorsAgreeWithTheirDefinitionOnRandomGraphs) {
  std::mt19937 random(11);
  for (unsigned round = 0; round < 400; ++round) {
    FlowGraph graph = random_graph(random, 2 + round % 24);
    Exits exits;
    for (std::uint32_t node = 0; node < graph.size(); ++node) {
      if (graph.successors[node].empty()) exits.always.push_back(node);
    }
    const std::vector<std::uint32_t> immediate = immediate_post_dominators(graph, exits);
    const std::uint32_t exit = graph.add_node();
    for (const std::uint32_t node : exits.always) graph.add_edge(node, exit);
    const std::vector<bool> leaves = reached(graph.predecessors, exit);
    for (std::uint32_t node = 0; node + 1 < graph.size(); ++node) {
      ASSERT_NE(immediate[node], FlowGraph::kNone);
      if (!leaves[node]) continue;  // endless: any exit is valid
      // Every path to the exit passes the post-dominator, and no closer node has that property.
      if (immediate[node] != exit) {
        ASSERT_FALSE(reached(graph.successors, node, immediate[node])[exit]) << "round " << round << ", node " << node;
      }
      for (std::uint32_t other = 0; other < exit; ++other) {
        if (other == node || !leaves[other] || reached(graph.successors, node, other)[exit]) continue;
        ASSERT_TRUE(other == immediate[node] || !reached(graph.successors, immediate[node], other)[exit])
            << "round " << round << ": " << other << " is nearer to " << node << " than " << immediate[node];
      }
    }
  }
}

TEST(Dominators, DeepGraphsNeedNoDeepStack) {
  constexpr std::uint32_t kNodes = 200'000;
  FlowGraph graph(kNodes);
  for (std::uint32_t node = 0; node + 1 < kNodes; ++node) graph.add_edge(node, node + 1);
  const std::vector<std::uint32_t> immediate = immediate_dominators(graph);
  EXPECT_EQ(immediate[kNodes - 1], kNodes - 2);
  EXPECT_TRUE(DominatorTree(immediate).dominates(1, kNodes - 1));
}

}  // namespace
}  // namespace heddle::isa
