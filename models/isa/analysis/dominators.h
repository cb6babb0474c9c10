// SPDX-License-Identifier: Apache-2.0
// Immediate dominators and post-dominators, in O(E log N).
#pragma once

#include <cstdint>
#include <vector>

#include "isa/analysis/flow_graph.h"

namespace heddle::isa {

/// The immediate dominator per node; the root for itself; FlowGraph::kNone for unreachable nodes.
std::vector<std::uint32_t> immediate_dominators(const FlowGraph& graph, std::uint32_t root = 0);

/// Constant-time dominance queries on the result of immediate_dominators().
class DominatorTree {
 public:
  explicit DominatorTree(std::vector<std::uint32_t> immediate);
  std::uint32_t immediate(std::uint32_t node) const { return immediate_[node]; }
  /// A node dominates itself. False when either is unreachable.
  bool dominates(std::uint32_t a, std::uint32_t b) const {
    return first_[a] != 0 && first_[b] != 0 && first_[a] <= first_[b] && last_[b] <= last_[a];
  }

 private:
  std::vector<std::uint32_t> immediate_, first_, last_;
};

/// Exits of a graph for post-dominance.
struct Exits {
  std::vector<std::uint32_t> always;     ///< nodes at which every thread leaves
  std::vector<std::uint32_t> sometimes;  ///< nodes where some threads leave and others continue: they count as an exit
                                         ///< only for nodes that have no other
};

/// The immediate post-dominator per node; graph.size() denotes the exit. A region without an exit (an infinite loop) is
/// treated as leaving from its last node; edges into such a region are ignored for nodes that can also reach an exit.
std::vector<std::uint32_t> immediate_post_dominators(const FlowGraph& graph, const Exits& exits);

}  // namespace heddle::isa
