// SPDX-License-Identifier: Apache-2.0
#include "isa/lowering/layout.h"

#include <algorithm>

#include "isa/analysis/control_flow.h"
#include "isa/analysis/loops.h"
#include "isa/analysis/thread_frontier_order.h"
#include "isa/classify.h"

namespace heddle::isa {
namespace {

class Layout {
 public:
  Layout(Ir& ir, std::uint32_t jump_text, CodeOrder order)
      : ir_(ir),
        jump_text_(jump_text),
        code_order_(order),
        flow_(ir.ops, ir.target_lists),
        forest_(find_loops(flow_.graph)) {}

  void run() {
    blocks_ = flow_.graph.size();
    rank_.resize(blocks_);
    for (std::uint32_t b = 0; b < blocks_; ++b) rank_[b] = 2 * b;
    latch_.assign(blocks_, FlowGraph::kNone);
    if (code_order_ == CodeOrder::thread_frontier) join_back_edges();
    order_ = thread_frontier_order(flow_.graph, forest_, rank_);
    if (code_order_ == CodeOrder::text) std::sort(order_.begin(), order_.end());
    emit();
  }

 private:
  bool in_loop(std::uint32_t node, std::uint32_t loop) const {
    std::uint32_t at = forest_.innermost[node];
    while (at != FlowGraph::kNone && forest_.loops[at].depth > forest_.loops[loop].depth) at = forest_.loops[at].parent;
    return at == loop;
  }

  void join_back_edges() {
    const std::vector<std::uint32_t> post_dominators = immediate_post_dominators(flow_.graph, flow_.exits);
    std::vector<std::uint32_t> loop_of_header(blocks_, FlowGraph::kNone);
    for (std::uint32_t loop = 0; loop < forest_.loops.size(); ++loop) loop_of_header[forest_.loops[loop].header] = loop;
    std::vector<bool> wanted(forest_.loops.size(), false);
    for (std::uint32_t node = 0; node < blocks_; ++node) {
      const std::uint32_t meet = post_dominators[node];
      if (flow_.graph.successors[node].size() < 2 || meet >= blocks_ || loop_of_header[meet] == FlowGraph::kNone)
        continue;
      const std::uint32_t loop = loop_of_header[meet];
      if (forest_.loops[loop].reducible && in_loop(node, loop)) wanted[loop] = true;
    }
    for (std::uint32_t loop = 0; loop < forest_.loops.size(); ++loop) {
      if (wanted[loop]) join(loop);
    }
  }

  // Routes all back edges of the loop through one added latch node.
  void join(std::uint32_t loop) {
    const std::uint32_t header = forest_.loops[loop].header;
    FlowGraph& graph = flow_.graph;
    std::vector<std::uint32_t> tails, outside;
    for (const std::uint32_t p : graph.predecessors[header]) (in_loop(p, loop) ? tails : outside).push_back(p);
    if (tails.size() < 2) return;
    const std::uint32_t latch = graph.add_node();
    forest_.innermost.push_back(loop);
    latch_[header] = latch;
    latch_.push_back(FlowGraph::kNone);
    headers_.push_back(header);
    std::uint32_t rank = 0;
    for (const std::uint32_t tail : tails) {
      rank = std::max(rank, rank_[tail]);
      std::replace(graph.successors[tail].begin(), graph.successors[tail].end(), header, latch);
      graph.predecessors[latch].push_back(tail);
    }
    rank_.push_back(rank + 1);
    graph.predecessors[header] = outside;
    graph.add_edge(latch, header);
  }

  // The destination node of an edge from `from` to the block of that op.
  std::uint32_t node_at(std::uint32_t from, std::uint32_t op) const {
    const std::uint32_t block = flow_.block_of[op];
    if (latch_[block] == FlowGraph::kNone) return block;
    const std::uint32_t loop = forest_.innermost[latch_[block]];
    return in_loop(from, loop) ? latch_[block] : block;
  }

  void emit() {
    start_.assign(flow_.graph.size(), 0);
    out_.reserve(ir_.ops.size() + order_.size() / 8);
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const std::uint32_t node = order_[i];
      const std::uint32_t next = i + 1 < order_.size() ? order_[i + 1] : FlowGraph::kNone;
      start_[node] = static_cast<std::uint32_t>(out_.size());
      if (node >= blocks_) {
        const MicroOp& like =
            ir_.ops[flow_
                        .blocks[flow_.graph.predecessors[node][0] < blocks_ ? flow_.graph.predecessors[node][0]
                                                                            : headers_[node - blocks_]]
                        .last];
        jump(like, headers_[node - blocks_], next);
      } else {
        block(node, next);
      }
    }
    // Targets are still node numbers here.
    for (MicroOp& op : out_) {
      if (op.opcode == Opcode::bra) op.target = start_[op.target];
    }
    ir_.ops = std::move(out_);
    ir_.foldable.assign(ir_.ops.size(), false);
    ir_.target_lists = std::move(lists_);
    for (auto& list : ir_.target_lists) {
      for (std::uint32_t& target : list) target = start_[target];
    }
  }

  void block(std::uint32_t node, std::uint32_t next) {
    const auto [first, last] = flow_.blocks[node];
    out_.insert(out_.end(), ir_.ops.begin() + first, ir_.ops.begin() + last);
    MicroOp op = ir_.ops[last];
    const bool guarded = op.guard.present();
    // The last op of the list never falls through, so a block that does has a successor.
    const bool goes_on = !leaves_sequence(op.opcode) || guarded;
    const std::uint32_t follower = goes_on ? node_at(node, last + 1) : FlowGraph::kNone;
    if (op.opcode == Opcode::bra) {
      const std::uint32_t target = node_at(node, op.target);
      if (!guarded || target == follower) return jump(op, target, next);
      op.target = target;
      if (target == next && follower != next) {
        op.guard.negate = !op.guard.negate;
        op.target = follower;
        out_.push_back(op);
        return;
      }
      out_.push_back(op);
      return jump(op, follower, next);
    }
    if (op.opcode == Opcode::brx) {
      lists_.emplace_back();
      for (const std::uint32_t target : ir_.target_lists[op.target_list])
        lists_.back().push_back(node_at(node, target));
      op.target_list = static_cast<std::uint32_t>(lists_.size() - 1);
    }
    out_.push_back(op);
    if (goes_on) jump(op, follower, next);
  }

  // Adds a jump with the source location of `like`, unless the target comes next.
  void jump(const MicroOp& like, std::uint32_t target, std::uint32_t next) {
    if (target == next) return;
    MicroOp op;
    op.opcode = Opcode::bra;
    op.uniform = true;
    op.target = target;
    op.ptx_line = like.ptx_line;
    op.source_line = like.source_line;
    op.source_file = like.source_file;
    op.inlined = like.inlined;
    op.text = like.opcode == Opcode::bra && !like.guard.present() ? like.text : jump_text_;
    classify(op);
    out_.push_back(op);
  }

  Ir& ir_;
  std::uint32_t jump_text_;
  CodeOrder code_order_;
  ControlFlow flow_;
  LoopForest forest_;
  std::uint32_t blocks_ = 0;
  std::vector<std::uint32_t> rank_;     // by node: position in the text, blocks at even positions
  std::vector<std::uint32_t> latch_;    // by header: the added node, or FlowGraph::kNone
  std::vector<std::uint32_t> headers_;  // by added node
  std::vector<std::uint32_t> order_, start_;
  std::vector<MicroOp> out_;
  std::vector<std::vector<std::uint32_t>> lists_;
};

}  // namespace

void lay_out(Ir& ir, std::uint32_t jump_text, CodeOrder order) { Layout(ir, jump_text, order).run(); }

}  // namespace heddle::isa
