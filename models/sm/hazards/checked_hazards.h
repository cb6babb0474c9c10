// SPDX-License-Identifier: Apache-2.0
// A checker between the issue stage and its hazard tracker. It keeps its own list of packets in flight and checks every
// answer of the tracker against it. Enabled if environment variable HEDDLE_CHECK_TRACKERS is 1, as in the tests; the
// first fault ends the run with Error(kInternal).
//
//   - every use is released exactly once, by the packet that took it;
//   - register and predicate numbers are below the kernel's counts in the numbering in use;
//   - if the tracker waits by register, an instruction waits exactly while another in flight of its warp (and, if the
//     tracker distinguishes threads, of its threads) will write one of its registers, or while no entry is free; if it
//     is conservative, at least then;
//   - if threads are left out of packets, they belong to packets in flight;
//   - nothing of a warp is pending when the warp starts or after its block has ended.
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

  /// Whether HEDDLE_CHECK_TRACKERS enables the checker in this process.
  static bool wanted();

  /// A block receives a machine warp, which must have nothing pending.
  void launched(BlockSlot block, WarpId warp);
  /// The block has ended; its warps must have nothing pending.
  void finished(BlockSlot block);
  /// One warp of the block has ended before the others.
  void finished(BlockSlot block, WarpId warp);

  Wait check(const ContextTable& contexts, ContextId context, const isa::MicroOp& op) override;
  WordWaits check_run(const ContextTable& contexts, ContextId first, std::uint64_t run,
                      const isa::MicroOp& op) override;
  std::uint32_t issued(const ContextTable& contexts, const Packet& packet, bool variable) override;
  void released(const Release& release) override;
  Cycle release_at(const Packet& packet, Cycle done) const override { return checked_->release_at(packet, done); }
  bool commit(Packet& packet) override { return checked_->commit(packet); }
  void advance(Cycle now, std::vector<PacketHandle>& released) override { checked_->advance(now, released); }
  Cycle next_event() const override { return checked_->next_event(); }
  void gathered(const Packet& packet) override { checked_->gathered(packet); }
  void regrouped(const Regrouping& regrouping) override { checked_->regrouped(regrouping); }
  std::size_t pending(WarpId warp) const override { return checked_->pending(warp); }
  void admit(const isa::Kernel& kernel) override { checked_->admit(kernel); }
  unsigned entries() const override { return checked_->entries(); }
  void build(SmSite& site) override { checked_->build(site); }
  void declare_state(ModuleState& state) override { checked_->declare_state(state); }
  void declare_statistics(const StatisticsGroup& group) override { checked_->declare_statistics(group); }
  const ThreadSet* busy_threads(WarpId warp) const override;

 private:
  struct InFlight {
    std::uint32_t token;  ///< token of the checker
    std::uint32_t inner;  ///< token of the tracker
    const isa::MicroOp* op;
    ContextId context;
    ThreadSet threads;
    bool variable;
  };
  Wait expected(const ContextTable& contexts, ContextId context, const isa::MicroOp& op) const;
  /// Throws Error(kInternal) unless `wait` is right.
  void judge(const ContextTable& contexts, ContextId context, const isa::MicroOp& op, Wait wait) const;
  std::uint32_t take(const InFlight& use, WarpId warp);
  /// Ends the use that is released. Returns the tracker's token of it.
  std::uint32_t end(const Release& release);
  void numbered(const ContextTable& contexts, ContextId context, const isa::MicroOp& op) const;
  void at_rest(WarpId warp) const;

  std::unique_ptr<HazardTracker> checked_;
  const HazardTraits traits_;
  bool named_;
  std::uint32_t last_token_ = 0;
  std::vector<std::vector<InFlight>> in_flight_;  ///< by machine warp, in order of issue
  std::map<BlockSlot, std::set<WarpId>> of_;      ///< warps by block slot
};

}  // namespace heddle::sm
