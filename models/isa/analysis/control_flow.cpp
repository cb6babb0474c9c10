// SPDX-License-Identifier: Apache-2.0
#include "isa/analysis/control_flow.h"

#include <algorithm>

namespace heddle::isa {

bool leaves_sequence(Opcode opcode) {
  return opcode == Opcode::bra || opcode == Opcode::brx || opcode == Opcode::exit_ || opcode == Opcode::trap ||
         opcode == Opcode::ret;
}

ControlFlow::ControlFlow(std::span<const MicroOp> ops, const std::vector<std::vector<std::uint32_t>>& target_lists) {
  std::vector<bool> leader(ops.size() + 1, false);
  leader[0] = true;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const bool call = ops[i].opcode == Opcode::call;
    if (!leaves_sequence(ops[i].opcode) && !call) continue;
    leader[i + 1] = true;
    if (ops[i].opcode == Opcode::bra || call) leader[ops[i].target] = true;
    if (ops[i].opcode == Opcode::brx) {
      for (const std::uint32_t target : target_lists[ops[i].target_list]) leader[target] = true;
    }
  }
  block_of.resize(ops.size());
  for (std::uint32_t i = 0; i < ops.size(); ++i) {
    if (leader[i]) blocks.push_back({i, i});
    blocks.back().last = i;
    block_of[i] = static_cast<std::uint32_t>(blocks.size() - 1);
  }
  graph = FlowGraph(blocks.size());
  std::vector<std::uint32_t> targets;
  for (std::uint32_t b = 0; b < blocks.size(); ++b) {
    const MicroOp& op = ops[blocks[b].last];
    targets.clear();
    if (op.opcode == Opcode::bra || op.opcode == Opcode::call) targets.push_back(block_of[op.target]);
    if (op.opcode == Opcode::brx) {
      for (const std::uint32_t target : target_lists[op.target_list]) targets.push_back(block_of[target]);
    }
    if (op.opcode == Opcode::exit_ || op.opcode == Opcode::trap || op.opcode == Opcode::ret) {
      (op.guard.present() ? exits.sometimes : exits.always).push_back(b);
    }
    const bool goes_on = !leaves_sequence(op.opcode) || op.guard.present();
    if (goes_on && b + 1 < blocks.size()) targets.push_back(b + 1);
    std::sort(targets.begin(), targets.end());
    targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
    for (const std::uint32_t target : targets) graph.add_edge(b, target);
  }
}

}  // namespace heddle::isa
