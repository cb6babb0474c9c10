// SPDX-License-Identifier: Apache-2.0
// Static synchronisation of the warps that may form a large warp: a barrier before each instruction that gains from it.
// Source: docs/sources/dynamic-warp-resizing.md, 2.4 and 3.1.
#pragma once

#include "isa/lowering/code_pass.h"
#include "sm/grouping/resizing/large_warp_intensive.h"

namespace heddle::sm {

/// Inserts `bar.synch_partner` before every instruction that is large-warp-intensive according to the mask, unless one
/// precedes it already. The barrier has no guard, whatever that of the instruction: a warp whose threads are all
/// guarded off must not leave its partners waiting. Branches to the instruction lead to its barrier.
class PartnerBarriers final : public isa::CodePass {
 public:
  explicit PartnerBarriers(LatMask lats) : lats_(lats) {}
  const char* text() const override { return "bar.synch_partner 0 (inserted)"; }
  void run(isa::Ir& ir, std::uint32_t text) const override;

 private:
  const LatMask lats_;
};

}  // namespace heddle::sm
