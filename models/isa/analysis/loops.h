// SPDX-License-Identifier: Apache-2.0
// Loops with their nesting, natural and irreducible ones.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/analysis/flow_graph.h"

namespace heddle::isa {

struct FlowLoop {
  std::uint32_t header = 0;
  std::uint32_t parent = FlowGraph::kNone;  ///< index of the enclosing loop
  std::uint32_t depth = 1;
  bool reducible = true;  ///< entered at its header only
};

struct LoopForest {
  std::vector<FlowLoop> loops;           ///< outer loops come before those inside them
  std::vector<std::uint32_t> innermost;  ///< by node: index of the innermost loop around it, or kNone
};

/// Every cycle of the graph lies in a loop of the forest. Source: P. Havlak, "Nesting of Reducible and Irreducible
/// Loops", ACM TOPLAS 19(4), 1997.
LoopForest find_loops(const FlowGraph& graph);

}  // namespace heddle::isa
