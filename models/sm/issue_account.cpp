// SPDX-License-Identifier: Apache-2.0
// What every issue slot of every cycle is charged to, and the account of who waits for what.
#include <fmt/format.h>

#include <algorithm>

#include "sm/issue_stage.h"

namespace heddle::sm {

namespace {

// Buckets of issue.slot_lanes before those by number of threads.
constexpr std::size_t kIdle = 0, kScoreboard = 1, kNoThread = 2, kFirstLanes = 3;
constexpr unsigned kLanesOfBucket = 4;

}  // namespace

Buckets IssueStage::slot_lane_buckets(const SmParameters& p) {
  std::vector<std::string> labels{"W0_idle", "W0_scoreboard", "W0_no_thread"};
  const unsigned most = std::max(isa::kWordThreads, p.warp_size);
  for (unsigned first = 1; first <= most; first += kLanesOfBucket) {
    const unsigned last = first + kLanesOfBucket - 1;
    if (last % isa::kWordThreads != 0) {
      labels.push_back(fmt::format("W{}-{}", first, last));
    } else {
      // All threads of a word are told from all but a few.
      labels.push_back(fmt::format("W{}-{}", first, last - 1));
      labels.push_back(fmt::format("W{}", last));
    }
  }
  return Buckets::named(std::move(labels));
}

CauseId IssueStage::blame(const Slot& slot) const {
  const ContextSet mine = contexts_.valid & slot.members;
  if (mine.none()) return cause_empty_;
  if (mine.intersects(contexts_.ready)) {
    if ((mine & contexts_.ready).intersects(contexts_.held)) return cause_held_;
    return cause_unit_;
  }
  // The context nearest to issuing gives the cause.
  const ContextSet free = mine - contexts_.barrier - contexts_.rendezvous - contexts_.parked;
  const ContextSet awake = free - contexts_.asleep;
  if (awake.intersects(contexts_.hazard)) return cause_hazard_;
  if (awake.intersects(contexts_.pipeline - away_)) return cause_pipeline_;
  if (awake.intersects(contexts_.branch)) return cause_branch_;
  if ((awake - contexts_.buffered).any()) return cause_fetch_;
  if (awake.intersects(contexts_.long_latency)) return cause_memory_;
  if (free.intersects(contexts_.asleep)) return cause_asleep_;
  if (mine.intersects(contexts_.rendezvous)) return cause_rendezvous_;
  if (mine.intersects(contexts_.parked)) return cause_parked_;
  if (mine.intersects(contexts_.barrier)) return cause_barrier_;
  return cause_pipeline_;
}

void IssueStage::account() {
  slots_account_.begin_cycle();
  for (Slot& slot : slots_) {
    slots_account_.charge(slot.cause);
    slot_lanes_.add(lane_bucket(slot.cause, slot.active));
    slot.active = 0;
  }
  accounted_ = now() + 1;
  worked_ = now();
}

void IssueStage::settle_account(Cycle until) {
  if (until <= accounted_) return;
  std::vector<CauseId>& causes = skipped_causes_;
  causes.clear();
  // Nothing was done in a skipped cycle, and nothing has changed since the one before.
  for (const Slot& slot : slots_) {
    causes.push_back(blame(slot));
    slot_lanes_.add(lane_bucket(causes.back(), 0), until - accounted_);
  }
  slots_account_.idle(until - accounted_, causes);
  accounted_ = until;
}

void IssueStage::settle_residency(Cycle until) {
  if (until <= resident_from_) return;
  resident_thread_cycles_ += (until - resident_from_) * blocks_.residency().threads();
  resident_from_ = until;
}

std::size_t IssueStage::lane_bucket(CauseId cause, std::uint32_t active) const {
  if (cause == cause_issued_ || cause == cause_packet_) {
    return active == 0 ? kNoThread : kFirstLanes + (active - 1) / kLanesOfBucket + active / isa::kWordThreads;
  }
  return cause == cause_hazard_ || cause == cause_memory_ ? kScoreboard : kIdle;
}

}  // namespace heddle::sm
