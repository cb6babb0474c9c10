// SPDX-License-Identifier: Apache-2.0
#include "core/statistics/slot_account.h"

#include <algorithm>

#include "core/error.h"

namespace heddle {

SlotAccount::SlotAccount(const StatisticsGroup& group, unsigned slots)
    : group_(group, "slots"),
      slots_(slots),
      cycles_(group_, "cycles", "cycles whose issue slots are accounted for", unit::kCycles) {
  if (slots == 0) fail(ExitCode::internal, "slot account '{}' has no slots", group_.name());
}

CauseId SlotAccount::cause(const std::string& name, const std::string& sentence, bool issues) {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found != names_.end()) return static_cast<CauseId>(found - names_.begin());
  causes_.emplace_back(group_, name, (issues ? "issue slots that issued: " : "issue slots: ") + sentence, unit::kSlots);
  names_.push_back(name);
  return static_cast<CauseId>(names_.size() - 1);
}

std::int64_t SlotAccount::imbalance() const {
  std::uint64_t charged = 0;
  for (const auto& counter : causes_) charged += counter.value();
  return static_cast<std::int64_t>(charged - cycles_.value() * slots_);
}

void SlotAccount::check() const {
  if (const std::int64_t off = imbalance(); off != 0) {
    fail(ExitCode::internal, "issue slots of '{}.{}': {} {} slots were charged in {} cycles of {}",
         group_.owner().name(), group_.name(), off > 0 ? off : -off, off > 0 ? "too many" : "too few", cycles_.value(),
         slots_);
  }
}

}  // namespace heddle
