// SPDX-License-Identifier: Apache-2.0
#include "sm/grouping/resizing/partner_rules.h"

#include <bit>

namespace heddle::sm {

ReleaseCause PartnerRules::cause_of(PartnerMask locked, unsigned group, const PartnerSituation& situation) const {
  const auto free = static_cast<PartnerMask>(~locked);
  if ((situation.waiting & free) != 0) return ReleaseCause::waiting;
  const std::uint32_t pc = pcs_[group][static_cast<std::size_t>(std::countr_zero(unsigned{locked}))];
  bool same = true;
  for_each_partner(locked, [&](unsigned partner) { same = same && pcs_[group][partner] == pc; });
  if (!same) return ReleaseCause::different_pc;
  return (situation.exited & free) != 0 ? ReleaseCause::exit : ReleaseCause::same_pc;
}

}  // namespace heddle::sm
