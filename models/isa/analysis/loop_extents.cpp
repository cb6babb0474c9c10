// SPDX-License-Identifier: Apache-2.0
#include "isa/analysis/loop_extents.h"

#include <algorithm>
#include <numeric>

#include "isa/analysis/flow_graph.h"
#include "isa/analysis/loops.h"

namespace heddle::isa {
namespace {

unsigned count_irreducible(const Kernel& kernel) {
  if (!kernel.irreducible) return 0;
  FlowGraph graph(kernel.blocks.size());
  for (std::uint32_t b = 0; b < kernel.blocks.size(); ++b) {
    for (const std::uint32_t to : kernel.blocks[b].successors) graph.add_edge(b, to);
  }
  const LoopForest forest = find_loops(graph);
  return static_cast<unsigned>(
      std::count_if(forest.loops.begin(), forest.loops.end(), [](const FlowLoop& loop) { return !loop.reducible; }));
}

}  // namespace

LoopExtents::LoopExtents(const Kernel& kernel)
    : begins_(kernel.ops.size()), innermost_(kernel.ops.size()), irreducible_(count_irreducible(kernel)) {
  const std::size_t count = kernel.loops.size();
  std::vector<LoopExtent> found(count);
  for (std::size_t i = 0; i < count; ++i) {
    // Blocks are in code order.
    found[i].begin = kernel.blocks[kernel.loops[i].blocks.front()].first;
    found[i].end = kernel.blocks[kernel.loops[i].blocks.back()].last;
    found[i].depth = kernel.loops[i].depth;
  }
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return found[a].begin != found[b].begin ? found[a].begin < found[b].begin : found[a].depth < found[b].depth;
  });
  std::vector<std::uint32_t> number(count);  // by loop of the kernel: index + 1
  for (const std::size_t i : order) {
    std::uint32_t& mark = begins_[found[i].begin];
    if (mark == 0) {
      loops_.push_back(found[i]);
      mark = static_cast<std::uint32_t>(loops_.size());
    }
    number[i] = mark;
  }
  // Outer loops come before those inside them.
  for (std::size_t i = 0; i < count; ++i) {
    LoopExtent& loop = loops_[number[i] - 1];
    const std::uint32_t parent = kernel.loops[i].parent == 0 ? 0 : number[kernel.loops[i].parent - 1];
    if (parent == number[i]) continue;
    loop.parent = parent == 0 ? nullptr : &loops_[parent - 1];
    loop.outermost = parent == 0 ? &loop : loop.parent->outermost;
    loop.depth = parent == 0 ? 1 : loop.parent->depth + 1;
  }
  for (const BasicBlock& block : kernel.blocks) {
    if (block.loop == 0) continue;
    std::fill(innermost_.begin() + block.first, innermost_.begin() + block.last + 1, number[block.loop - 1]);
  }
}

const LoopExtent* LoopExtents::next_after(std::uint32_t pc) const {
  const auto found =
      std::find_if(loops_.begin(), loops_.end(), [pc](const LoopExtent& loop) { return loop.begin > pc; });
  return found == loops_.end() ? nullptr : &*found;
}

}  // namespace heddle::isa
