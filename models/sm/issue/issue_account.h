// SPDX-License-Identifier: Apache-2.0
// What every issue slot of every cycle is charged to, the cycles that the clock gate skipped included, and how many
// threads it issued.
#pragma once

#include <string>
#include <vector>

#include "core/statistics/slot_account.h"
#include "sm/context_table.h"
#include "sm/issue/slot_policies.h"
#include "sm/sm_parameters.h"

namespace heddle::sm {

class IssueAccount {
 public:
  IssueAccount(const StatisticsGroup& group, const SmParameters& parameters, const ContextTable& contexts,
               const SlotPolicies& policies);

  // -- causes that every machine has; schemes add theirs
  CauseId issued() const { return issued_; }
  CauseId arrival() const { return arrival_; }
  CauseId held() const { return held_; }
  CauseId fetch() const { return fetch_; }
  CauseId cause(const std::string& name, const std::string& sentence) { return account_.cause(name, sentence); }
  /// A cause in whose cycles a slot issues a packet.
  CauseId issuing_cause(const std::string& name, const std::string& sentence);

  /// What a slot with these contexts is charged to when it issues nothing.
  CauseId blame(const ContextSet& members) const;

  /// This cycle's slot goes to the cause. active: threads of the packet that it issued.
  void charge(std::size_t slot, CauseId cause) { slots_[slot].cause = cause; }
  void issued_threads(std::size_t slot, std::uint32_t active) { slots_[slot].active = active; }
  /// Every slot of cycle `now` is charged.
  void close(Cycle now);
  /// Charges the cycles the clock gate skipped before `until`; before statistics are read, and before each cycle.
  void settle(Cycle until);
  /// Of a slot in cycle `now`, which the gate may have skipped.
  CauseId shown(std::size_t slot, Cycle now) const;
  const SlotAccount& account() const { return account_; }

 private:
  struct Charge {
    CauseId cause{};
    std::uint32_t active = 0;
  };
  /// The classes of the divergence plots of the literature: idle, held by a scoreboard, W1-4, W5-8, ... W29-31, W32.
  static Buckets lane_buckets(const SmParameters& parameters);
  /// Bucket of issue.slot_lanes.
  std::size_t lane_bucket(const Charge& charge) const;

  SlotAccount account_;
  const ContextTable& contexts_;
  const SlotPolicies& policies_;
  std::vector<Charge> slots_;
  std::vector<bool> issues_;  ///< by cause: a packet goes
  std::vector<CauseId> skipped_;
  Cycle accounted_ = 1;    ///< cycles before this one are charged; none is worked on before it
  Cycle worked_ = kNever;  ///< last cycle that was closed
  Histogram slot_lanes_;
  CauseId issued_, arrival_, unit_, held_, hazard_, pipeline_, branch_, asleep_, fetch_, memory_, rendezvous_, barrier_,
      parked_, empty_;
};

}  // namespace heddle::sm
