// SPDX-License-Identifier: Apache-2.0
// The control-flow graph used by the analyses. Node 0 is the entry.
#pragma once

#include <cstdint>
#include <vector>

namespace heddle::isa {

struct FlowGraph {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  explicit FlowGraph(std::size_t nodes = 0) : successors(nodes), predecessors(nodes) {}

  std::vector<std::vector<std::uint32_t>> successors, predecessors;

  std::uint32_t size() const { return static_cast<std::uint32_t>(successors.size()); }
  std::uint32_t add_node() {
    successors.emplace_back();
    predecessors.emplace_back();
    return size() - 1;
  }
  void add_edge(std::uint32_t from, std::uint32_t to) {
    successors[from].push_back(to);
    predecessors[to].push_back(from);
  }
};

}  // namespace heddle::isa
