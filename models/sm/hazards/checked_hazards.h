// SPDX-License-Identifier: Apache-2.0
// A checker between the issue stage and its hazard tracker: it keeps a list of its own of what is in flight and holds
// every answer against it. On when environment variable HEDDLE_CHECK_TRACKERS is 1, as in the tests; the first fault
// ends the run with Error(kInternal).
//
//   - every use that is taken is released once, by the packet that took it;
//   - a register or predicate has a number below the kernel's count of the numbering in use;
//   - where registers are awaited, an instruction waits exactly while one of its warp (and, where the tracker tells
//     threads apart, of its threads) will write a register of it, or the tracker's entries are used up;
//   - where threads are left out of packets, they are threads of packets in flight;
//   - nothing of a warp is pending when it begins and when its block has ended.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "sm/hazards/hazard_tracker.h"

namespace heddle::sm {

class CheckedHazards final : public HazardTracker {
 public:
  CheckedHazards(std::unique_ptr<HazardTracker> checked, const HazardTraits& traits, const HazardShape& shape);

  /// HEDDLE_CHECK_TRACKERS of this process.
  static bool wanted();

  /// A block gets a machine warp, of which nothing may be pending.
  void launched(std::uint16_t block, std::uint16_t warp);
  /// Nothing may be pending of the warps that the block got.
  void finished(std::uint16_t block);

  Wait check(const ContextTable& contexts, ContextId context, const isa::MicroOp& op) override;
  std::uint32_t issued(const ContextTable& contexts, const Packet& packet, bool variable) override;
  void released(const Release& release) override;
  Cycle release_at(const Packet& packet, Cycle done) const override { return checked_->release_at(packet, done); }
  std::size_t pending(std::uint16_t warp) const override { return checked_->pending(warp); }
  void admit(const isa::Kernel& kernel) override { checked_->admit(kernel); }
  unsigned entries() const override { return checked_->entries(); }
  void declare_state(ModuleState& state) override { checked_->declare_state(state); }
  void declare_statistics(const StatisticsGroup& group) override { checked_->declare_statistics(group); }
  const ThreadSet* busy_threads(std::uint16_t warp) const override;

 private:
  struct InFlight {
    std::uint32_t token;  ///< the checker's own
    std::uint32_t inner;  ///< the tracker's
    const isa::MicroOp* op;
    ContextId context;
    ThreadSet threads;
    bool variable;
  };
  Wait expected(const ContextTable& contexts, ContextId context, const isa::MicroOp& op) const;
  void numbered(const ContextTable& contexts, ContextId context, const isa::MicroOp& op) const;
  void at_rest(std::uint16_t warp) const;

  std::unique_ptr<HazardTracker> checked_;
  const HazardTraits traits_;
  bool named_;
  std::uint32_t last_token_ = 0;
  std::vector<std::vector<InFlight>> in_flight_;         ///< by machine warp, in order of issue
  std::map<std::uint16_t, std::set<std::uint16_t>> of_;  ///< warps by block slot
};

}  // namespace heddle::sm
