// SPDX-License-Identifier: Apache-2.0
// The order in which blocks are laid out.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/analysis/flow_graph.h"
#include "isa/analysis/loops.h"

namespace heddle::isa {

/// The nodes reached from the entry, such that every edge but those back to the header of a loop around it leads to a
/// later node and the nodes of a loop stand together. Where that leaves a choice, the node of the lowest `rank`
/// (distinct, by node: the place in the text) comes first. In a reducible graph whose loops have one back edge each,
/// every branch thus precedes its immediate post-dominator. Source: spec/branch-and-warp-interweaving.md, 2.0.
std::vector<std::uint32_t> thread_frontier_order(const FlowGraph& graph, const LoopForest& forest,
                                                 const std::vector<std::uint32_t>& rank);

}  // namespace heddle::isa
