// SPDX-License-Identifier: Apache-2.0
#include "sm/grouping/resizing/partner_barriers.h"

#include <utility>
#include <vector>

#include "isa/classify.h"
#include "isa/lowering/ir.h"

namespace heddle::sm {

using isa::MicroOp, isa::Opcode;

void PartnerBarriers::run(isa::Ir& ir, std::uint32_t text) const {
  const std::vector<MicroOp> ops = std::exchange(ir.ops, {});
  ir.ops.reserve(ops.size() + ops.size() / 4);
  std::vector<std::uint32_t> place;  // by former index: where a branch to the op leads
  place.reserve(ops.size());
  for (const MicroOp& op : ops) {
    const auto here = static_cast<std::uint32_t>(ir.ops.size());
    if (!is_large_warp_intensive(op, lats_)) {
      place.push_back(here);
    } else if (here != 0 && ir.ops.back().opcode == Opcode::bar_partner) {
      place.push_back(here - 1);
    } else {
      place.push_back(here);
      MicroOp barrier = derived(op, Opcode::bar_partner);
      barrier.text = text;
      classify(barrier);
      ir.ops.push_back(barrier);
    }
    ir.ops.push_back(op);
  }
  ir.foldable.assign(ir.ops.size(), false);
  for (MicroOp& op : ir.ops) {
    if (op.opcode == Opcode::bra) op.target = place[op.target];
  }
  for (auto& list : ir.target_lists) {
    for (std::uint32_t& target : list) target = place[target];
  }
}

}  // namespace heddle::sm
