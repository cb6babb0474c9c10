// SPDX-License-Identifier: Apache-2.0
// Semi-NCA: L. Georgiadis, "Linear-Time Algorithms for Dominators and Related Problems", 2005, section 2.2.
#include "isa/analysis/dominators.h"

#include <algorithm>

namespace heddle::isa {
namespace {

// Depth-first numbering from a root. Iterative, because the depth of the graph depends on the input.
struct Preorder {
  std::vector<std::uint32_t> nodes;   // by number
  std::vector<std::uint32_t> number;  // by node; FlowGraph::kNone: not reached
  std::vector<std::uint32_t> parent;  // by number, a number

  Preorder(const std::vector<std::vector<std::uint32_t>>& successors, std::uint32_t root)
      : number(successors.size(), FlowGraph::kNone) {
    std::vector<std::pair<std::uint32_t, std::size_t>> stack;
    const auto enter = [&](std::uint32_t node, std::uint32_t from) {
      number[node] = static_cast<std::uint32_t>(nodes.size());
      nodes.push_back(node);
      parent.push_back(from);
      stack.emplace_back(node, 0);
    };
    enter(root, 0);
    while (!stack.empty()) {
      auto& [node, next] = stack.back();
      if (next == successors[node].size()) {
        stack.pop_back();
        continue;
      }
      const std::uint32_t to = successors[node][next++];
      if (number[to] == FlowGraph::kNone) enter(to, number[node]);
    }
  }
};

std::vector<std::uint32_t> dominators(const std::vector<std::vector<std::uint32_t>>& successors,
                                      const std::vector<std::vector<std::uint32_t>>& predecessors, std::uint32_t root) {
  const Preorder order(successors, root);
  const auto n = static_cast<std::uint32_t>(order.nodes.size());
  // All arrays by preorder number.
  std::vector<std::uint32_t> semi(n), label(n), ancestor(order.parent), idom(order.parent), path;
  for (std::uint32_t i = 0; i < n; ++i) semi[i] = label[i] = i;

  // The node with the least semidominator between v and the part of the tree not linked yet (numbers < limit).
  const auto evaluate = [&](std::uint32_t v, std::uint32_t limit) {
    if (v < limit) return v;
    path.clear();
    for (std::uint32_t u = v; ancestor[u] >= limit; u = ancestor[u]) path.push_back(u);
    // Path compression, from the top down.
    for (std::size_t i = path.size(); i-- > 0;) {
      const std::uint32_t u = path[i], a = ancestor[u];
      if (semi[label[a]] < semi[label[u]]) label[u] = label[a];
      ancestor[u] = ancestor[a];
    }
    return label[v];
  };

  for (std::uint32_t w = n; w-- > 1;) {
    semi[w] = order.parent[w];
    for (const std::uint32_t p : predecessors[order.nodes[w]]) {
      const std::uint32_t v = order.number[p];
      if (v == FlowGraph::kNone) continue;
      // Nodes above w evaluate to themselves; those below are already linked.
      const std::uint32_t u = evaluate(v, w + 1);
      semi[w] = std::min(semi[w], u <= w ? u : semi[u]);
    }
    label[w] = w;
  }
  for (std::uint32_t w = 1; w < n; ++w) {
    std::uint32_t d = order.parent[w];
    while (d > semi[w]) d = idom[d];
    idom[w] = d;
  }
  std::vector<std::uint32_t> out(successors.size(), FlowGraph::kNone);
  for (std::uint32_t w = 0; w < n; ++w) out[order.nodes[w]] = order.nodes[idom[w]];
  return out;
}

}  // namespace

std::vector<std::uint32_t> immediate_dominators(const FlowGraph& graph, std::uint32_t root) {
  if (graph.size() == 0) return {};
  return dominators(graph.successors, graph.predecessors, root);
}

DominatorTree::DominatorTree(std::vector<std::uint32_t> immediate)
    : immediate_(std::move(immediate)), first_(immediate_.size(), 0), last_(immediate_.size(), 0) {
  std::vector<std::vector<std::uint32_t>> children(immediate_.size());
  std::vector<std::pair<std::uint32_t, std::size_t>> stack;
  for (std::uint32_t node = 0; node < immediate_.size(); ++node) {
    if (immediate_[node] == FlowGraph::kNone) continue;
    if (immediate_[node] == node) {
      stack.emplace_back(node, 0);
    } else {
      children[immediate_[node]].push_back(node);
    }
  }
  std::uint32_t time = 0;
  if (!stack.empty()) first_[stack.back().first] = ++time;
  while (!stack.empty()) {
    auto& [node, next] = stack.back();
    if (next == children[node].size()) {
      last_[node] = ++time;
      stack.pop_back();
      continue;
    }
    const std::uint32_t child = children[node][next++];
    first_[child] = ++time;
    stack.emplace_back(child, 0);
  }
}

std::vector<std::uint32_t> immediate_post_dominators(const FlowGraph& graph, const Exits& exits) {
  const std::uint32_t n = graph.size();
  // Each exit serves the nodes that reach it but no earlier exit.
  std::vector<std::uint32_t> turn(n, 0), doors, work;
  std::uint32_t now = 1;
  const auto leave_from = [&](std::uint32_t door) {
    doors.push_back(door);
    if (turn[door] == 0) work.push_back(door);
    turn[door] = now;
    while (!work.empty()) {
      const std::uint32_t node = work.back();
      work.pop_back();
      for (const std::uint32_t from : graph.predecessors[node]) {
        if (turn[from] != 0) continue;
        turn[from] = now;
        work.push_back(from);
      }
    }
  };
  for (const std::uint32_t node : exits.always) leave_from(node);
  for (auto node = exits.sometimes.rbegin(); node != exits.sometimes.rend(); ++node) {
    ++now;
    if (turn[*node] == 0) leave_from(*node);
  }
  for (std::uint32_t node = n; node-- > 0;) {
    ++now;
    if (turn[node] == 0) leave_from(node);
  }
  // The reverse graph from the exit, without edges to nodes that only have a later exit.
  FlowGraph backwards(n + 1);
  for (const std::uint32_t door : doors) backwards.add_edge(n, door);
  for (std::uint32_t from = 0; from < n; ++from) {
    for (const std::uint32_t to : graph.successors[from]) {
      if (turn[to] <= turn[from]) backwards.add_edge(to, from);
    }
  }
  std::vector<std::uint32_t> out = immediate_dominators(backwards, n);
  out.pop_back();
  return out;
}

}  // namespace heddle::isa
