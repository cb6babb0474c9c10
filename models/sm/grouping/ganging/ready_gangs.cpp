// SPDX-License-Identifier: Apache-2.0
#include "sm/grouping/ganging/ready_gangs.h"

#include <bit>
#include <cstring>
#include <utility>

#include "sm/grouping/ganging/access_kind.h"

namespace heddle::sm {

inline void ReadyGangs::forget(unsigned set) {
  // The ways of a set are neighbours in one word.
  const unsigned first_entry = set * kGangWays, word = first_entry / 64;
  const std::uint64_t ways = ((std::uint64_t{1} << kGangWays) - 1) << first_entry % 64;
  for (unsigned rest = std::exchange(units_[set], 0); rest != 0; rest &= rest - 1) {
    const auto unit = static_cast<std::size_t>(std::countr_zero(rest));
    GangSet& gangs = by_unit_[unit];
    gangs.set_word(word, gangs.word(word) & ~ways);
    if (--sets_[unit] == 0) waited_for_ &= ~(1u << unit);
  }
}

inline SliceMask ReadyGangs::find(IssueKit& kit, unsigned set, SliceMask here, GangCandidates& candidates) {
  const GangSetState& of = unit_.table()[set];
  const ContextTable& contexts = kit.contexts();
  const ContextId first = unit_.context_of(set, 0);
  unsigned complete = 0, units = 0;
  for (unsigned rest = of.ways_within(here); rest != 0; rest &= rest - 1) {
    const auto way = static_cast<unsigned>(std::countr_zero(rest));
    const unsigned gang = of.gangs[way], entry = set * kGangWays + way;
    const Context& leader = contexts[ContextId(first + static_cast<unsigned>(std::countr_zero(gang)))];
    const isa::MicroOp& next = *leader.next;
    const auto unit = static_cast<std::size_t>(kit.unit_of(next));
    by_unit_[unit].set(entry);
    units |= 1u << unit;
    candidates.kinds[entry] = next.unit == isa::Unit::memory ? access_kind(next) : std::uint8_t{0};
    candidates.pcs[entry] = leader.pc;
    complete |= gang;
  }
  units_[set] = static_cast<std::uint8_t>(units);
  waited_for_ |= units;
  for (; units != 0; units &= units - 1) ++sets_[static_cast<std::size_t>(std::countr_zero(units))];
  return static_cast<SliceMask>(complete);
}

void ReadyGangs::update(IssueKit& kit, const ContextSet& ready, std::uint64_t changed, GangCandidates& candidates) {
  const std::uint64_t sets = changed | unit_.sets_that_differ(ready, seen_);
  seen_ = ready;
  for_each_set(sets, [&](unsigned set) {
    forget(set);
    const SliceMask here = unit_.slices_in(ready, set);
    slices_[set] = here == 0 ? SliceMask{0} : find(kit, set, here, candidates);
  });
}

SliceMask ReadyGangs::slices(unsigned units) const {
  units &= waited_for_;
  if (units == waited_for_) return all_slices();
  unsigned slices = 0;
  for (; units != 0; units &= units - 1) {
    by_unit_[static_cast<std::size_t>(std::countr_zero(units))].for_each([&](std::size_t entry) {
      slices |= unit_.table()[static_cast<unsigned>(entry / kGangWays)].gangs[entry % kGangWays];
    });
  }
  return static_cast<SliceMask>(slices);
}

SliceMask ReadyGangs::all_slices() const {
  std::uint64_t all = 0;
  for (std::size_t set = 0; set < slices_.size(); set += sizeof all) {
    std::uint64_t some = 0;
    std::memcpy(&some, &slices_[set], sizeof some);
    all |= some;
  }
  for (unsigned half = 32; half >= 8; half /= 2) all |= all >> half;
  return static_cast<SliceMask>(all);
}

}  // namespace heddle::sm
