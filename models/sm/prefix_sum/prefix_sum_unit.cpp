// SPDX-License-Identifier: Apache-2.0
#include "sm/prefix_sum/prefix_sum_unit.h"

#include "core/config/mechanism.h"
#include "sm/blocks/block_site.h"

namespace heddle::sm {

class PrefixSumModel final : public PrefixSumUnit {
 public:
  PrefixSumModel(unsigned lanes, const BlockSite&) : network_(lanes) {}
  isa::PrefixSums sum(std::uint64_t predicates) override { return network_.sum(predicates); }

 private:
  isa::PrefixSum network_;
};

HEDDLE_REGISTER(PrefixSumUnit, PrefixSumModel, "model", "the model's own logic", "docs/rtl.md");

}  // namespace heddle::sm
