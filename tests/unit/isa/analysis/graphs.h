// SPDX-License-Identifier: Apache-2.0
// Graphs for tests of the analyses: by hand, and at random.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <utility>
#include <vector>

#include "isa/analysis/flow_graph.h"

namespace heddle::isa {

inline FlowGraph graph_of(std::uint32_t nodes, std::initializer_list<std::pair<std::uint32_t, std::uint32_t>> edges) {
  FlowGraph graph(nodes);
  for (const auto& [from, to] : edges) graph.add_edge(from, to);
  return graph;
}

/// Any graph: unreachable nodes, self loops, irreducible regions. One or two successors a node, sometimes none.
inline FlowGraph random_graph(std::mt19937& random, std::uint32_t nodes) {
  FlowGraph graph(nodes);
  const auto below = [&](std::uint32_t limit) { return static_cast<std::uint32_t>(random() % limit); };
  for (std::uint32_t node = 0; node < nodes; ++node) {
    const unsigned count = below(8) == 0 ? 0 : 1 + below(2);
    for (unsigned i = 0; i < count; ++i) {
      const std::uint32_t to = below(3) == 0 ? below(nodes) : std::min(nodes - 1, node + 1 + below(3));
      bool known = false;
      for (const std::uint32_t s : graph.successors[node]) known |= s == to;
      if (!known) graph.add_edge(node, to);
    }
  }
  return graph;
}

/// Nodes that can be reached from `from` without passing through `without`.
inline std::vector<bool> reached(const std::vector<std::vector<std::uint32_t>>& successors, std::uint32_t from,
                                 std::uint32_t without = FlowGraph::kNone) {
  std::vector<bool> out(successors.size(), false);
  if (from == without) return out;
  std::vector<std::uint32_t> work{from};
  out[from] = true;
  while (!work.empty()) {
    const std::uint32_t node = work.back();
    work.pop_back();
    for (const std::uint32_t to : successors[node]) {
      if (out[to] || to == without) continue;
      out[to] = true;
      work.push_back(to);
    }
  }
  return out;
}

}  // namespace heddle::isa
