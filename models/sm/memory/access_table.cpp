// SPDX-License-Identifier: Apache-2.0
#include "sm/memory/access_table.h"

namespace heddle::sm {

std::uint32_t AccessTable::take() {
  if (idle_.empty()) {
    idle_.push_back(static_cast<std::uint32_t>(groups_.size()));
    groups_.push_back(std::make_unique<AccessGroup>());
  }
  const std::uint32_t index = idle_.back();
  idle_.pop_back();
  AccessGroup& group = *groups_[index];
  group.packets.clear();
  group.transactions.clear();
  group.number = ++taken_;
  group.sent = 0;
  return index;
}

}  // namespace heddle::sm
