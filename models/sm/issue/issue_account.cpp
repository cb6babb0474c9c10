// SPDX-License-Identifier: Apache-2.0
#include "sm/issue/issue_account.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/state.h"
#include "sm/watch/sm_listener.h"

namespace heddle::sm {

namespace {

// Buckets of issue.slot_lanes that precede the buckets by thread count.
constexpr std::size_t kIdle = 0, kScoreboard = 1, kNoThread = 2, kFirstLanes = 3;
constexpr unsigned kLanesOfBucket = 4;

}  // namespace

IssueAccount::IssueAccount(const StatisticsGroup& group, const SmParameters& parameters, const ContextTable& contexts,
                           const SlotPolicies& policies)
    : account_(group, parameters.schedulers),
      contexts_(contexts),
      policies_(policies),
      slots_(parameters.schedulers),
      slot_lanes_(group, "slot_lanes",
                  "issue slots by active threads: W0_idle had nothing to issue, W0_scoreboard waited for results, "
                  "W0_no_thread issued an instruction that no thread executes, W1-4 etc. issued one with that many "
                  "active threads; 32 is counted separately from 29-31",
                  unit::kSlots, lane_buckets(parameters)),
      issued_(issuing_cause("issued", "an instruction issued")),
      arrival_(cause("arrival", "threads arrived at a collective and wait for others of their warp")),
      unit_(cause(name_of(ContextState::unit_busy),
                  "an instruction was ready, but its unit, lanes or collectors were busy")),
      held_(cause(name_of(ContextState::held), "an instruction was ready, but a policy held it back")),
      hazard_(cause(name_of(ContextState::hazard), "the next instructions waited for arithmetic results")),
      pipeline_(cause(name_of(ContextState::pipeline), "warps waited for their instruction to leave the pipeline")),
      branch_(cause(name_of(ContextState::branch), "warps waited for a branch to resolve")),
      asleep_(cause(name_of(ContextState::asleep), "warps executed nanosleep")),
      fetch_(cause(name_of(ContextState::fetch), "warps waited for instructions")),
      memory_(cause(name_of(ContextState::memory), "the next instructions waited for data from memory")),
      rendezvous_(cause(name_of(ContextState::rendezvous), "threads waited for others of their warp")),
      barrier_(cause(name_of(ContextState::barrier), "warps waited at a block barrier")),
      parked_(cause(name_of(ContextState::parked), "threads waited for others of their warp or group to rejoin")),
      empty_(cause("no_warp", "there was no warp")) {
  for (Charge& slot : slots_) slot.cause = empty_;
}

CauseId IssueAccount::issuing_cause(const std::string& name, const std::string& sentence) {
  const CauseId id = account_.cause(name, sentence, true);
  issues_.resize(std::max<std::size_t>(issues_.size(), static_cast<std::size_t>(id) + 1));
  issues_[static_cast<std::size_t>(id)] = true;
  return id;
}

Buckets IssueAccount::lane_buckets(const SmParameters& p) {
  std::vector<std::string> labels{"W0_idle", "W0_scoreboard", "W0_no_thread"};
  const unsigned most = std::max(isa::kWordThreads, p.warp_size);
  for (unsigned first = 1; first <= most; first += kLanesOfBucket) {
    const unsigned last = first + kLanesOfBucket - 1;
    if (last % isa::kWordThreads != 0) {
      labels.push_back(fmt::format("W{}-{}", first, last));
    } else {
      // Full words get a bucket of their own.
      labels.push_back(fmt::format("W{}-{}", first, last - 1));
      labels.push_back(fmt::format("W{}", last));
    }
  }
  return Buckets::named(std::move(labels));
}

CauseId IssueAccount::blame(const ContextSet& members) const {
  const ContextSet mine = contexts_.valid & members;
  if (mine.none()) return empty_;
  if (mine.intersects(contexts_.ready)) {
    if ((mine & contexts_.ready).intersects(contexts_.held)) return held_;
    return unit_;
  }
  // Charge the context that is closest to issuing.
  const ContextSet free = mine - contexts_.barrier - contexts_.rendezvous - contexts_.parked;
  const ContextSet awake = free - contexts_.asleep;
  if (awake.intersects(contexts_.hazard)) return hazard_;
  if (awake.intersects(contexts_.pipeline - contexts_.away)) return pipeline_;
  if (awake.intersects(contexts_.branch)) return branch_;
  if ((awake - contexts_.buffered).any()) return fetch_;
  if (awake.intersects(contexts_.long_latency)) return memory_;
  if (free.intersects(contexts_.asleep)) return asleep_;
  if (mine.intersects(contexts_.rendezvous)) return rendezvous_;
  if (mine.intersects(contexts_.parked)) return parked_;
  if (mine.intersects(contexts_.barrier)) return barrier_;
  return pipeline_;
}

void IssueAccount::close(Cycle now) {
  account_.begin_cycle();
  for (Charge& slot : slots_) {
    account_.charge(slot.cause);
    slot_lanes_.add(lane_bucket(slot));
    slot.active = 0;
  }
  accounted_ = now + 1;
  worked_ = now;
}

void IssueAccount::settle(Cycle until) {
  if (until <= accounted_) return;
  skipped_.clear();
  // State does not change during skipped cycles, so the current state gives their cause.
  for (IssueSlot s(0); s < slots_.size(); ++s) {
    skipped_.push_back(blame(policies_.shape(s).members));
    slot_lanes_.add(lane_bucket({skipped_.back(), 0}), until - accounted_);
  }
  account_.idle(until - accounted_, skipped_);
  accounted_ = until;
}

CauseId IssueAccount::shown(IssueSlot slot, Cycle now) const {
  // For a skipped cycle, the cause is what the stage waits for.
  return worked_ == now ? slots_[slot].cause : blame(policies_.shape(slot).members);
}

std::size_t IssueAccount::lane_bucket(const Charge& charge) const {
  const auto cause = static_cast<std::size_t>(charge.cause);
  if (cause < issues_.size() && issues_[cause]) {
    return charge.active == 0 ? kNoThread
                              : kFirstLanes + (charge.active - 1) / kLanesOfBucket + charge.active / isa::kWordThreads;
  }
  return charge.cause == hazard_ || charge.cause == memory_ ? kScoreboard : kIdle;
}

}  // namespace heddle::sm
