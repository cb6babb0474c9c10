// SPDX-License-Identifier: Apache-2.0
// Whole blocks: all warps start together, and their resources are free when the last has ended.
#include "sm/residency/residency.h"

namespace heddle::sm {

class ByBlock final : public Residency {
 public:
  using Residency::Residency;
  static ResidencyTraits traits() { return {}; }
  unsigned room(const BlockNeed& need) const override { return used_.fits(need) ? need.granules : 0; }
  void come(const BlockKey&, const BlockNeed& need, unsigned) override { used_.take(need); }
  void leave(const BlockKey&, const BlockNeed& need) override { used_.release(need); }
};
HEDDLE_REGISTER(Residency, ByBlock, "by_block", "a block's warps start together and free their resources together",
                "docs/sources/redundancy-and-resources.md 2.6");

}  // namespace heddle::sm
