// SPDX-License-Identifier: Apache-2.0
#include "sm/grouping/ganging/pc_coalescer.h"

#include "sm/blocks/block_site.h"

namespace heddle::sm {

PcGroups coalesce_pcs(const CoalescePcs& request) {
  PcGroups groups;
  unsigned found = 0;
  for (unsigned rest = request.members; rest != 0;) {
    const auto leader = static_cast<unsigned>(std::countr_zero(rest));
    unsigned group = 0;
    for_each_slice(static_cast<SliceMask>(rest),
                   [&](unsigned s) { group |= unsigned{request.pcs[s] == request.pcs[leader]} << s; });
    rest &= ~group;
    if (std::has_single_bit(group)) {
      groups.singles = static_cast<SliceMask>(groups.singles | group);
    } else {
      groups.gangs[found++] = static_cast<SliceMask>(group);
    }
  }
  return groups;
}

namespace {

class PcCoalescerModel final : public PcCoalescer {
 public:
  PcCoalescerModel(const PcCoalescerShape&, const BlockSite&) {}
  PcGroups partition(const CoalescePcs& request) override { return coalesce_pcs(request); }
};

HEDDLE_REGISTER(PcCoalescer, PcCoalescerModel, "model", "the model's own logic", "docs/rtl.md");

}  // namespace

}  // namespace heddle::sm
