// SPDX-License-Identifier: Apache-2.0
// Fetch groups: consecutive contexts that two-level policies treat as a unit.
#pragma once

#include <vector>

#include "sm/scheduling/order_policy.h"

namespace heddle::sm {

/// Contexts 0 .. size-1 are group 0, and so on. Source: docs/sources/large-warps-and-database-search.md, 2.6.
class FetchGroups {
 public:
  /// contexts: number in the SM; size: contexts per group, 1 or more.
  FetchGroups(unsigned contexts, unsigned size) : size_(size) {
    for (unsigned first = 0; first < contexts; first += size) {
      ContextSet members;
      for (unsigned c = first; c < first + size && c < contexts; ++c) members.set(c);
      groups_.push_back(members);
    }
  }
  unsigned count() const { return static_cast<unsigned>(groups_.size()); }
  unsigned of(ContextId context) const { return context / size_; }
  const ContextSet& operator[](unsigned group) const { return groups_[group]; }

 private:
  unsigned size_;
  std::vector<ContextSet> groups_;
};

}  // namespace heddle::sm
