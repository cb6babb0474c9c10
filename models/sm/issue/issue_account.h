// SPDX-License-Identifier: Apache-2.0
// Charges every issue slot of every cycle, including cycles skipped by the clock gate, to a cause, and counts the
// threads issued.
#pragma once

#include <cstdint>
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

  // -- causes common to all machines; schemes add their own
  CauseId issued() const { return issued_; }
  CauseId arrival() const { return arrival_; }
  CauseId held() const { return held_; }
  CauseId fetch() const { return fetch_; }
  CauseId no_warp() const { return empty_; }
  CauseId cause(const std::string& name, const std::string& sentence) {
    return into_bucket(account_.cause(name, sentence), kIdle);
  }
  /// The cause to charge for contexts that the grouping holds, instead of `parked`.
  void charge_parked_to(CauseId cause);
  /// Registers a cause whose cycles count as issuing a packet.
  CauseId issuing_cause(const std::string& name, const std::string& sentence);

  /// The cause to charge when a slot with these contexts issues nothing.
  CauseId blame(const ContextSet& members) const;
  std::uint32_t all_slots() const { return static_cast<std::uint32_t>((std::uint64_t{1} << slots_.size()) - 1); }
  /// Charges each of these slots, one bit each, to what its contexts wait for: as charge() and blame(), for all at
  /// once.
  void charge_idle(std::uint32_t slots);

  /// Charges this cycle's slot to the cause. active: threads of the issued packet.
  void charge(IssueSlot slot, CauseId cause) { slots_[slot].cause = cause; }
  void issued_threads(IssueSlot slot, std::uint32_t active) { slots_[slot].active = active; }
  /// Ends cycle `now`, in which every slot has been charged.
  void close(Cycle now);
  /// Charges the cycles before `until` that the clock gate skipped. Call before each cycle and before statistics are
  /// read.
  void settle(Cycle until) {
    if (until > accounted_) charge_skipped(until);
  }
  /// The slot's cause in cycle `now`, which the gate may have skipped.
  CauseId shown(IssueSlot slot, Cycle now) const;
  const SlotAccount& account() const { return account_; }

 private:
  // Buckets of issue.slot_lanes that precede the buckets by number of threads; kByThreads: one of the latter.
  static constexpr std::uint8_t kIdle = 0, kScoreboard = 1, kNoThread = 2, kFirstLanes = 3, kByThreads = 0xff;
  struct Charge {
    CauseId cause{};
    std::uint32_t active = 0;
    bool operator==(const Charge&) const = default;
  };
  /// settle() where there are such cycles.
  void charge_skipped(Cycle until);
  /// Calls visit(some, cause) with what blame() says for some of these slots, one bit each, until it has for all.
  template <typename Visit>
  void blame_each(std::uint32_t slots, Visit&& visit) const;
  /// Classes used by divergence plots in the literature: idle, held by a scoreboard, W1-4, W5-8, ... W29-31, W32.
  static Buckets lane_buckets(const SmParameters& parameters);
  /// Bucket in issue.slot_lanes.
  std::size_t lane_bucket(const Charge& charge) const;
  /// Sets the bucket of a cause; returns the cause.
  CauseId into_bucket(CauseId cause, std::uint8_t bucket);
  std::size_t bucket_of(CauseId cause) const { return buckets_[static_cast<std::size_t>(cause)]; }

  SlotAccount account_;
  const ContextTable& contexts_;
  const SlotPolicies& policies_;
  std::vector<Charge> slots_;
  std::vector<std::uint8_t> buckets_;  ///< by cause: its bucket of slot_lanes_, or kByThreads
  std::vector<CauseId> skipped_;
  Cycle accounted_ = 1;    ///< cycles before this one are charged
  Cycle worked_ = kNever;  ///< last closed cycle
  Histogram slot_lanes_;
  CauseId issued_, arrival_, unit_, held_, hazard_, pipeline_, branch_, asleep_, fetch_, memory_, rendezvous_, barrier_,
      parked_, empty_;
  std::vector<CauseId> blamed_;  ///< causes of idle slots, first the one that precedes the others
  const bool dealt_;             ///< slot s has the contexts s, s + slots, ...; at least four slots, which divide 64
};

}  // namespace heddle::sm
