// SPDX-License-Identifier: Apache-2.0
#include "sm/grouping/ganging/ready_gangs.h"

#include "sm/grouping/ganging/access_kind.h"

namespace heddle::sm {

void ReadyGangs::update(IssueKit& kit, const ContextSet& ready, std::uint64_t changed, GangCandidates& candidates) {
  const ContextTable& contexts = kit.contexts();
  const std::uint64_t sets = changed | unit_.sets_in((ready - seen_) | (seen_ - ready));
  seen_ = ready;
  for_each_set(sets, [&](unsigned set) {
    const SliceMask here = unit_.slices_in(ready, set);
    SliceMask complete = 0;
    for (unsigned way = 0; way < kGangWays; ++way) {
      const unsigned entry = set * kGangWays + way;
      const SliceMask gang = unit_.table()[set].gangs[way];
      by_unit_[unit_of_[entry]].reset(entry);
      if (gang == 0 || (gang & ~here) != 0) continue;
      const Context& first = contexts[unit_.context_of(set, static_cast<unsigned>(std::countr_zero(unsigned{gang})))];
      unit_of_[entry] = static_cast<std::uint8_t>(kit.unit_of(*first.next));
      by_unit_[unit_of_[entry]].set(entry);
      candidates.kinds[entry] = access_kind(*first.next);
      candidates.pcs[entry] = first.pc;
      complete = static_cast<SliceMask>(complete | gang);
    }
    unit_.assign(members_, set, complete);
  });
}

}  // namespace heddle::sm
