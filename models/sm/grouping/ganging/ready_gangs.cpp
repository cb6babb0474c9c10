// SPDX-License-Identifier: Apache-2.0
#include "sm/grouping/ganging/ready_gangs.h"

#include <bit>
#include <utility>

#include "sm/grouping/ganging/access_kind.h"

namespace heddle::sm {

void ReadyGangs::update(IssueKit& kit, const ContextSet& ready, std::uint64_t changed, GangCandidates& candidates) {
  const ContextTable& contexts = kit.contexts();
  const std::uint64_t sets = changed | unit_.sets_that_differ(ready, seen_);
  seen_ = ready;
  for_each_set(sets, [&](unsigned set) {
    // The ways of a set are neighbours in one word.
    const unsigned first_entry = set * kGangWays, word = first_entry / 64;
    const std::uint64_t ways = ((std::uint64_t{1} << kGangWays) - 1) << first_entry % 64;
    for (unsigned rest = std::exchange(units_[set], 0); rest != 0; rest &= rest - 1) {
      GangSet& gangs = by_unit_[static_cast<std::size_t>(std::countr_zero(rest))];
      gangs.set_word(word, gangs.word(word) & ~ways);
    }
    const SliceMask here = unit_.slices_in(ready, set);
    SliceMask complete = 0;
    const GangSetState& of = unit_.table()[set];
    for (unsigned way = 0; here != 0 && way < kGangWays; ++way) {
      const SliceMask gang = of.gangs[way];
      if (gang == 0 || (gang & ~here) != 0) continue;
      const unsigned entry = first_entry + way;
      const Context& first = contexts[unit_.context_of(set, static_cast<unsigned>(std::countr_zero(unsigned{gang})))];
      const auto unit = static_cast<std::size_t>(kit.unit_of(*first.next));
      by_unit_[unit].set(entry);
      units_[set] = static_cast<std::uint8_t>(units_[set] | 1u << unit);
      candidates.kinds[entry] = access_kind(*first.next);
      candidates.pcs[entry] = first.pc;
      complete = static_cast<SliceMask>(complete | gang);
    }
    unit_.assign(members_, set, complete);
  });
}

}  // namespace heddle::sm
