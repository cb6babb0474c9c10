// SPDX-License-Identifier: Apache-2.0
// Thread-frontier layout order of basic blocks.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/analysis/flow_graph.h"
#include "isa/analysis/loops.h"

namespace heddle::isa {

/// Orders the reachable nodes so that every edge except a back edge to an enclosing loop's header leads to a later
/// node, and the nodes of a loop are contiguous. Ties go to the node with the lowest `rank` (distinct per node: its
/// position in the text). In a reducible graph whose loops have one back edge each, every branch thus precedes its
/// immediate post-dominator. Source: docs/sources/branch-and-warp-interweaving.md, 2.0.
std::vector<std::uint32_t> thread_frontier_order(const FlowGraph& graph, const LoopForest& forest,
                                                 const std::vector<std::uint32_t>& rank);

}  // namespace heddle::isa
