// SPDX-License-Identifier: Apache-2.0
#include "memory/dram/dram_refresh.h"

#include <algorithm>

#include "core/unit.h"

namespace heddle::memory {

void RefreshDebt::Parameters::describe(ParameterVisitor& v) {
  v("postpone", postpone, "all-bank refreshes that may be postponed while requests wait", unit::kCommands, range(0, 8),
    "JEDEC JESD212");
  v("pull_in", pull_in, "all-bank refreshes that may be pulled in while no request waits", unit::kCommands, range(0, 8),
    "JEDEC JESD212");
  v("idle_cycles", idle_cycles, "time without requests before an optional refresh is issued", unit::kCycles,
    range(0, 1000000));
}

RefreshDebt::Urgency RefreshDebt::urgency(Cycle idle_since, Cycle now, Cycle& ask_again) const {
  const Cycle elapsed = (now + offset_) / interval_;
  const auto owed = static_cast<std::int64_t>(elapsed) - done_;
  if (owed > static_cast<std::int64_t>(p_.postpone) * share_) return Urgency::now;
  ask_again = std::min(ask_again, (elapsed + 1) * interval_ - offset_);
  const bool wanted = owed > -static_cast<std::int64_t>(p_.pull_in) * share_;
  if (!wanted || idle_since == kNever) return Urgency::none;
  if (now >= idle_since + p_.idle_cycles) return Urgency::if_idle;
  ask_again = std::min(ask_again, idle_since + p_.idle_cycles);
  return Urgency::none;
}

}  // namespace heddle::memory
