// SPDX-License-Identifier: Apache-2.0
#include "isa/analysis/loops.h"

#include <algorithm>

namespace heddle::isa {
namespace {

class Finder {
 public:
  explicit Finder(const FlowGraph& graph) : graph_(graph), number_(graph.size(), FlowGraph::kNone) {}

  LoopForest run() {
    LoopForest out;
    out.innermost.assign(graph_.size(), FlowGraph::kNone);
    if (graph_.size() == 0) return out;
    search();
    collapse();
    // Headers in preorder: outer before inner.
    std::vector<std::uint32_t> loop_of_header(nodes_.size(), FlowGraph::kNone);
    for (std::uint32_t w = 0; w < nodes_.size(); ++w) {
      const std::uint32_t parent = header_[w] == FlowGraph::kNone ? FlowGraph::kNone : loop_of_header[header_[w]];
      out.innermost[nodes_[w]] = parent;
      if (!is_header_[w]) continue;
      loop_of_header[w] = static_cast<std::uint32_t>(out.loops.size());
      out.innermost[nodes_[w]] = loop_of_header[w];
      out.loops.push_back(
          {nodes_[w], parent, parent == FlowGraph::kNone ? 1 : out.loops[parent].depth + 1, !irreducible_[w]});
    }
    return out;
  }

 private:
  void search() {
    std::vector<std::pair<std::uint32_t, std::size_t>> stack;
    const auto enter = [&](std::uint32_t node) {
      number_[node] = static_cast<std::uint32_t>(nodes_.size());
      nodes_.push_back(node);
      last_.push_back(0);
      stack.emplace_back(node, 0);
    };
    enter(0);
    while (!stack.empty()) {
      auto& [node, next] = stack.back();
      if (next == graph_.successors[node].size()) {
        last_[number_[node]] = static_cast<std::uint32_t>(nodes_.size() - 1);
        stack.pop_back();
        continue;
      }
      const std::uint32_t to = graph_.successors[node][next++];
      if (number_[to] == FlowGraph::kNone) enter(to);
    }
  }

  bool is_ancestor(std::uint32_t w, std::uint32_t v) const { return w <= v && v <= last_[w]; }

  std::uint32_t find(std::uint32_t v) {
    while (set_[v] != v) {
      set_[v] = set_[set_[v]];
      v = set_[v];
    }
    return v;
  }

  // Collapses each loop into one node, innermost first.
  void collapse() {
    const auto n = static_cast<std::uint32_t>(nodes_.size());
    header_.assign(n, FlowGraph::kNone);
    is_header_.assign(n, false);
    irreducible_.assign(n, false);
    set_.resize(n);
    std::vector<std::vector<std::uint32_t>> other(n), back(n);  // predecessors: from outside the subtree, from inside
    for (std::uint32_t w = 0; w < n; ++w) {
      set_[w] = w;
      for (const std::uint32_t p : graph_.predecessors[nodes_[w]]) {
        if (number_[p] == FlowGraph::kNone) continue;
        (is_ancestor(w, number_[p]) ? back : other)[w].push_back(number_[p]);
      }
    }
    std::vector<std::uint32_t> marked(n, FlowGraph::kNone), body;
    for (std::uint32_t w = n; w-- > 0;) {
      body.clear();
      for (const std::uint32_t v : back[w]) {
        is_header_[w] = true;
        const std::uint32_t x = find(v);
        if (x != w && marked[x] != w) {
          marked[x] = w;
          body.push_back(x);
        }
      }
      for (std::size_t i = 0; i < body.size(); ++i) {
        for (const std::uint32_t y : other[body[i]]) {
          const std::uint32_t x = find(y);
          if (!is_ancestor(w, x)) {
            // The edge enters the loop other than at its header, and likewise every enclosing loop that does not
            // contain its tail.
            irreducible_[w] = true;
            other[w].push_back(x);
          } else if (x != w && marked[x] != w) {
            marked[x] = w;
            body.push_back(x);
          }
        }
      }
      for (const std::uint32_t x : body) {
        header_[x] = w;
        set_[x] = w;
      }
    }
  }

  const FlowGraph& graph_;
  std::vector<std::uint32_t> number_, nodes_, last_, header_, set_;
  std::vector<bool> is_header_, irreducible_;
};

}  // namespace

LoopForest find_loops(const FlowGraph& graph) { return Finder(graph).run(); }

}  // namespace heddle::isa
