// SPDX-License-Identifier: Apache-2.0
// No hazard tracking, which is correct if a context has at most one instruction in flight, as in the barrel and
// one_in_flight shapes. Source: docs/sources/large-warps-and-database-search.md, 2.1, rule 2.
#include "sm/hazards/hazard_tracker.h"

namespace heddle::sm {

class OneInFlight final : public HazardTracker {
 public:
  explicit OneInFlight(const HazardShape&) {}
  static HazardTraits traits() { return {.offers = {Feature::hazards_by_thread}}; }
  void admit(const isa::Kernel&) override {}
  Wait check(const ContextTable&, ContextId, const isa::MicroOp&) override { return Wait::none; }
  std::uint32_t issued(const ContextTable&, const Packet&, bool) override { return 0; }
  void released(const Release&) override {}
  std::size_t pending(WarpId) const override { return 0; }
};

HEDDLE_REGISTER(HazardTracker, OneInFlight, "one_in_flight",
                "no tracking: a context has at most one instruction in flight",
                "docs/sources/large-warps-and-database-search.md 2.1");

}  // namespace heddle::sm
