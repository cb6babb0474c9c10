// SPDX-License-Identifier: Apache-2.0
#include "memory/network/overdue_heads.h"

#include <algorithm>

namespace heddle::memory {

void OverdueHeads::started(const SwitchMatch& match, const PortSet& waiting) {
  constexpr std::uint64_t kLookEvery = 8;
  const std::uint64_t started = ++started_[match.output];
  head_since_[queue(match.input, match.output)] = started;
  if (!heads_.empty()) {
    std::erase_if(heads_, [&](const SwitchMatch& head) { return head == match; });
  }
  if (started % kLookEvery == 0) look(match.output, waiting);
}

void OverdueHeads::look(unsigned output, const PortSet& waiting) {
  waiting.for_each([&](std::size_t number) {
    const auto input = static_cast<unsigned>(number);
    if (started_[output] - head_since_[queue(input, output)] <= inputs_) return;
    const SwitchMatch head{input, output};
    if (std::find(heads_.begin(), heads_.end(), head) == heads_.end()) heads_.push_back(head);
  });
}

}  // namespace heddle::memory
