// SPDX-License-Identifier: Apache-2.0
#include "isa/analysis/sync_points.h"

#include "isa/branches.h"

namespace heddle::isa {

std::vector<SyncPoint> find_sync_points(const Kernel& kernel) {
  std::vector<bool> meets(kernel.blocks.size(), false);
  for (const BasicBlock& block : kernel.blocks) {
    if (block.successors.size() < 2 || block.immediate_post_dominator == kernel.blocks.size()) continue;
    if (is_branch(kernel.ops[block.last])) meets[block.immediate_post_dominator] = true;
  }
  std::vector<SyncPoint> points;
  for (std::size_t b = 0; b < kernel.blocks.size(); ++b) {
    if (!meets[b]) continue;
    const SyncPoint point{kernel.blocks[b].first, kernel.blocks[kernel.blocks[b].immediate_dominator].last};
    if (point.divergence_pc < point.pc) points.push_back(point);
  }
  return points;
}

}  // namespace heddle::isa
