// SPDX-License-Identifier: Apache-2.0
// Between the issue stage and its hazard tracker: a packet of several warps takes the registers of each of them, as a
// packet of its own would.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sm/grouping/ganging/gang_mask.h"
#include "sm/hazards/hazard_tracker.h"

namespace heddle::sm {

class JoinedHazards final : public HazardTracker {
 public:
  /// each: is told of packets of one warp; it must not look at their threads.
  explicit JoinedHazards(HazardTracker& each) : each_(each) {}

  Wait check(const ContextTable& contexts, ContextId context, const isa::MicroOp& op) override {
    return each_.check(contexts, context, op);
  }
  std::uint32_t issued(const ContextTable& contexts, const Packet& packet, bool variable) override;
  void released(const Release& release) override;
  std::size_t pending(WarpId warp) const override { return each_.pending(warp); }
  void admit(const isa::Kernel& kernel) override { each_.admit(kernel); }

 private:
  /// In a token of several warps: beside kMarked their company, else the number of their Joined. Trackers count their
  /// own tokens up from 0.
  static constexpr std::uint32_t kSeveral = std::uint32_t{1} << 31, kMarked = std::uint32_t{1} << 30;
  struct Joined {
    std::uint8_t company = 0;
    std::array<std::uint32_t, kMaxSlices> tokens{};  ///< by member
  };

  HazardTracker& each_;
  Packet member_;               ///< what the tracker is told of
  std::vector<Joined> joined_;  ///< by the number in their token
  std::vector<std::uint32_t> idle_;
};

}  // namespace heddle::sm
