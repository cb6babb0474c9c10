// SPDX-License-Identifier: Apache-2.0
#include "memory/dram/dram_timing.h"

#include <algorithm>

namespace heddle::memory {

const char* name_of(DramCommand command) {
  static constexpr const char* kNames[kDramCommands] = {"ACT", "PRE", "RD", "WR", "PREab", "REFab", "REFpb"};
  return kNames[static_cast<unsigned>(command)];
}

TimingRules::TimingRules(const std::vector<DramConstraint>& constraints, DramLevel level) {
  for (const DramConstraint& constraint : constraints) {
    if (constraint.level != level || constraint.latency == 0) continue;
    for (DramCommand after : constraint.following) {
      const auto history = static_cast<unsigned>(windows_.size());
      if (constraint.window > 1) windows_.push_back(constraint.window);
      for (DramCommand before : constraint.preceding) {
        auto& rules = (constraint.sibling ? sibling_ : own_)[static_cast<unsigned>(before)];
        rules.push_back({after, constraint.latency, constraint.window, history});
      }
    }
  }
}

TimingNode::TimingNode(const TimingRules& rules) : rules_(&rules) {
  for (unsigned window : rules.windows()) {
    histories_.emplace_back();
    histories_.back().times.resize(window);
  }
}

void TimingNode::apply(const std::vector<TimingRules::Rule>& rules, Cycle now) {
  for (const auto& rule : rules) {
    Cycle& earliest = earliest_[static_cast<unsigned>(rule.following)];
    if (rule.window == 1) {
      earliest = std::max(earliest, now + rule.latency);
      continue;
    }
    History& history = histories_[rule.history];
    history.times[history.next] = now;
    history.next = (history.next + 1) % rule.window;
    if (history.held < rule.window) ++history.held;
    // The oldest of the last `window` issues is the one overwritten next.
    if (history.held == rule.window) earliest = std::max(earliest, history.times[history.next] + rule.latency);
  }
}

void TimingNode::issued(DramCommand command, Cycle now) { apply(rules_->own(command), now); }
void TimingNode::issued_beside(DramCommand command, Cycle now) { apply(rules_->sibling(command), now); }

}  // namespace heddle::memory
