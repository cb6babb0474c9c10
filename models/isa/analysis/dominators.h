// SPDX-License-Identifier: Apache-2.0
// Immediate dominators and post-dominators, in O(E log N).
#pragma once

#include <cstdint>
#include <vector>

#include "isa/analysis/flow_graph.h"

namespace heddle::isa {

/// By node: the immediate dominator; the root itself for the root; FlowGraph::kNone for nodes it does not reach.
std::vector<std::uint32_t> immediate_dominators(const FlowGraph& graph, std::uint32_t root = 0);

/// Answers "does a dominate b" in constant time for a tree that immediate_dominators() made.
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

/// Ways out of a graph for post-dominance.
struct Exits {
  std::vector<std::uint32_t> always;     ///< nodes after which every thread has left
  std::vector<std::uint32_t> sometimes;  ///< nodes where some threads leave and the others go on: they count as a way
                                         ///< out only for nodes that have no other
};

/// By node: the immediate post-dominator; graph.size() stands for the exit. A region without a way out (an endless
/// loop) is taken to leave from its last node; a way into such a region does not count for nodes that also get out.
std::vector<std::uint32_t> immediate_post_dominators(const FlowGraph& graph, const Exits& exits);

}  // namespace heddle::isa
