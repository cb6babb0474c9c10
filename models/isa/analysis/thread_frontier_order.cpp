// SPDX-License-Identifier: Apache-2.0
#include "isa/analysis/thread_frontier_order.h"

#include <algorithm>
#include <functional>
#include <queue>

namespace heddle::isa {
namespace {

// Treats the graph as nested regions: each loop, and the whole graph. An inner loop is a single item of its region.
// Item numbers: nodes first, then loops.
class Orderer {
 public:
  Orderer(const FlowGraph& graph, const LoopForest& forest, const std::vector<std::uint32_t>& rank)
      : graph_(graph), forest_(forest), nodes_(graph.size()), rank_(rank) {}

  std::vector<std::uint32_t> run() {
    std::vector<std::uint32_t> out;
    if (nodes_ == 0) return out;
    find_reached();
    rank_items();
    connect();
    sort(out);
    return out;
  }

 private:
  std::uint32_t item_of(std::uint32_t loop) const { return nodes_ + loop; }
  std::uint32_t region_of(std::uint32_t item) const {
    return item < nodes_ ? forest_.innermost[item] : forest_.loops[item - nodes_].parent;
  }
  std::uint32_t depth_of(std::uint32_t region) const {
    return region == FlowGraph::kNone ? 0 : forest_.loops[region].depth;
  }

  void find_reached() {
    reached_.assign(nodes_, false);
    std::vector<std::uint32_t> work{0};
    reached_[0] = true;
    while (!work.empty()) {
      const std::uint32_t node = work.back();
      work.pop_back();
      for (const std::uint32_t to : graph_.successors[node]) {
        if (reached_[to]) continue;
        reached_[to] = true;
        work.push_back(to);
      }
    }
  }

  // A loop ranks as its first node; its header comes first within it.
  void rank_items() {
    rank_.resize(nodes_ + forest_.loops.size(), FlowGraph::kNone);
    for (std::uint32_t node = 0; node < nodes_; ++node) {
      if (!reached_[node]) continue;
      for (std::uint32_t loop = forest_.innermost[node]; loop != FlowGraph::kNone; loop = forest_.loops[loop].parent) {
        if (rank_[item_of(loop)] <= rank_[node]) break;  // enclosing loops too
        rank_[item_of(loop)] = rank_[node];
      }
    }
  }

  // Maps every edge to two items of the innermost region that contains both ends.
  void connect() {
    edges_.resize(rank_.size());
    open_.assign(rank_.size(), 0);
    for (std::uint32_t from = 0; from < nodes_; ++from) {
      if (!reached_[from]) continue;
      for (const std::uint32_t to : graph_.successors[from]) {
        std::uint32_t a = from, b = to;
        while (region_of(a) != region_of(b)) {
          if (depth_of(region_of(a)) >= depth_of(region_of(b))) {
            a = item_of(region_of(a));
          } else {
            b = item_of(region_of(b));
          }
        }
        const std::uint32_t region = region_of(a);
        if (a == b || (region != FlowGraph::kNone && forest_.loops[region].header == b)) continue;
        edges_[a].push_back(b);
        ++open_[b];
      }
    }
  }

  using Queue = std::priority_queue<std::pair<std::uint64_t, std::uint32_t>,
                                    std::vector<std::pair<std::uint64_t, std::uint32_t>>, std::greater<>>;

  void sort(std::vector<std::uint32_t>& out) {
    members_.resize(forest_.loops.size() + 1);
    const auto members = [&](std::uint32_t region) -> auto& {
      return members_[region == FlowGraph::kNone ? forest_.loops.size() : region];
    };
    for (std::uint32_t item = 0; item < rank_.size(); ++item) {
      if (rank_[item] == FlowGraph::kNone || (item < nodes_ && !reached_[item])) continue;
      members(region_of(item)).push_back(item);
    }
    // Regions being sorted, outermost first; an inner one is sorted completely when it becomes the next item.
    std::vector<std::pair<std::uint32_t, Queue>> stack;
    const auto enter = [&](std::uint32_t region) {
      stack.emplace_back(region, Queue());
      for (const std::uint32_t item : members(region)) {
        if (open_[item] == 0) push(stack.back(), item);
      }
    };
    enter(FlowGraph::kNone);
    while (!stack.empty()) {
      auto& queue = stack.back().second;
      if (queue.empty()) {
        const std::uint32_t region = stack.back().first;
        stack.pop_back();
        if (region != FlowGraph::kNone) release(stack.back(), item_of(region));
        continue;
      }
      const std::uint32_t item = queue.top().second;
      queue.pop();
      if (item < nodes_) {
        out.push_back(item);
        release(stack.back(), item);
      } else {
        enter(item - nodes_);
      }
    }
  }

  void push(std::pair<std::uint32_t, Queue>& level, std::uint32_t item) {
    const bool header = level.first != FlowGraph::kNone && forest_.loops[level.first].header == item;
    level.second.emplace(header ? 0 : std::uint64_t{rank_[item]} + 1, item);
  }

  void release(std::pair<std::uint32_t, Queue>& level, std::uint32_t item) {
    for (const std::uint32_t to : edges_[item]) {
      if (--open_[to] == 0) push(level, to);
    }
  }

  const FlowGraph& graph_;
  const LoopForest& forest_;
  std::uint32_t nodes_;
  std::vector<std::uint32_t> rank_;  // by item
  std::vector<bool> reached_;
  std::vector<std::vector<std::uint32_t>> edges_, members_;
  std::vector<std::uint32_t> open_;  // incoming edges whose tail is not placed yet
};

}  // namespace

std::vector<std::uint32_t> thread_frontier_order(const FlowGraph& graph, const LoopForest& forest,
                                                 const std::vector<std::uint32_t>& rank) {
  return Orderer(graph, forest, rank).run();
}

}  // namespace heddle::isa
