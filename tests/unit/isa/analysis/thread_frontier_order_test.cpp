// SPDX-License-Identifier: Apache-2.0
#include "isa/analysis/thread_frontier_order.h"

#include <gtest/gtest.h>

#include <numeric>

#include "graphs.h"

namespace heddle::isa {
namespace {

std::vector<std::uint32_t> order_of(const FlowGraph& graph) {
  std::vector<std::uint32_t> rank(graph.size());
  std::iota(rank.begin(), rank.end(), 0u);
  return thread_frontier_order(graph, find_loops(graph), rank);
}

TEST(ThreadFrontierOrder, KeepsTextOrderWhereThatIsFine) {
  EXPECT_EQ(order_of(graph_of(4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}})), (std::vector<std::uint32_t>{0, 1, 2, 3}));
}

TEST(ThreadFrontierOrder, MovesAMeetingPointBehindBothWays) {
  // The text has the meeting point 1 before the second way 3.
  EXPECT_EQ(order_of(graph_of(4, {{0, 2}, {0, 3}, {2, 1}, {3, 1}})), (std::vector<std::uint32_t>{0, 2, 3, 1}));
}

TEST(ThreadFrontierOrder, KeepsALoopTogether) {
  // The loop 1 { 3 } with its exit 2 in the middle of the text.
  EXPECT_EQ(order_of(graph_of(4, {{0, 1}, {1, 2}, {1, 3}, {3, 1}})), (std::vector<std::uint32_t>{0, 1, 3, 2}));
}

TEST(ThreadFrontierOrder, LeavesOutWhatIsNeverReached) {
  EXPECT_EQ(order_of(graph_of(3, {{0, 2}, {1, 2}})), (std::vector<std::uint32_t>{0, 2}));
}

TEST(ThreadFrontierOrder, PutsAShortCutBeforeTheBlocksItSkips) {
  // if (a && b) 3 else 4, unstructured: 0 -> 1 or 4, 1 -> 3 or 4, both -> 5.
  const FlowGraph graph = graph_of(6, {{0, 1}, {0, 4}, {1, 3}, {1, 4}, {3, 5}, {4, 5}});
  EXPECT_EQ(order_of(graph), (std::vector<std::uint32_t>{0, 1, 3, 4, 5}));
}

TEST(ThreadFrontierOrder, SortsAnIrreducibleRegionFromItsFirstEntry) {
  const FlowGraph graph = graph_of(4, {{0, 1}, {0, 2}, {1, 2}, {2, 1}, {2, 3}});
  EXPECT_EQ(order_of(graph), (std::vector<std::uint32_t>{0, 1, 2, 3}));
}

TEST(ThreadFrontierOrder, OnRandomGraphsGoesForwardButToHeadersAndKeepsLoopsTogether) {
  std::mt19937 random(5);
  for (unsigned round = 0; round < 500; ++round) {
    const FlowGraph graph = random_graph(random, 2 + round % 30);
    const LoopForest forest = find_loops(graph);
    const std::vector<std::uint32_t> order = order_of(graph);
    const std::vector<bool> reachable = reached(graph.successors, 0);
    ASSERT_EQ(order.size(), static_cast<std::size_t>(std::count(reachable.begin(), reachable.end(), true)));
    ASSERT_EQ(order[0], 0u);
    std::vector<std::uint32_t> place(graph.size(), FlowGraph::kNone);
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      ASSERT_EQ(place[order[i]], FlowGraph::kNone) << "twice";
      place[order[i]] = i;
    }
    const auto in_loop = [&](std::uint32_t node, std::uint32_t loop) {
      std::uint32_t at = forest.innermost[node];
      while (at != FlowGraph::kNone && at != loop) at = forest.loops[at].parent;
      return at == loop;
    };
    for (const std::uint32_t from : order) {
      for (const std::uint32_t to : graph.successors[from]) {
        if (place[to] > place[from]) continue;
        bool back = false;
        for (std::uint32_t loop = 0; loop < forest.loops.size(); ++loop) {
          back |= forest.loops[loop].header == to && in_loop(from, loop);
        }
        ASSERT_TRUE(back) << "round " << round << ": " << from << " -> " << to;
      }
    }
    for (std::uint32_t loop = 0; loop < forest.loops.size(); ++loop) {
      std::uint32_t first = FlowGraph::kNone, last = 0, count = 0;
      for (const std::uint32_t node : order) {
        if (!in_loop(node, loop)) continue;
        first = std::min(first, place[node]);
        last = std::max(last, place[node]);
        ++count;
      }
      ASSERT_EQ(last - first + 1, count) << "round " << round;
      ASSERT_EQ(place[forest.loops[loop].header], first) << "round " << round;
    }
  }
}

}  // namespace
}  // namespace heddle::isa
