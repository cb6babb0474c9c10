// SPDX-License-Identifier: Apache-2.0
#include "sm/issue/issue_account.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "isa/state.h"
#include "sm/watch/sm_listener.h"

namespace heddle::sm {

namespace {

constexpr unsigned kLanesOfBucket = 4;

/// Contexts by what they wait for, in the order in which that is blamed: the one that is closest to issuing first.
enum Blamed : unsigned {
  kHeld,
  kUnit,
  kHazard,
  kPipeline,
  kBranch,
  kFetch,
  kMemory,
  kAsleep,
  kRendezvous,
  kParked,
  kBarrier,
  kInPipeline,  ///< for no other reason
  kBlamed
};

/// Those of word w that wait for no others.
std::uint64_t free_in(const ContextTable& all, std::size_t w) {
  return all.valid.word(w) & ~(all.barrier.word(w) | all.rendezvous.word(w) | all.parked.word(w));
}
/// The same without those asleep.
std::uint64_t awake_in(const ContextTable& all, std::size_t w) { return free_in(all, w) & ~all.asleep.word(w); }

/// The contexts of word w that are of a kind, or of one before it. awake: awake_in().
template <unsigned kind>
std::uint64_t blamed_in(const ContextTable& all, std::size_t w, std::uint64_t awake) {
  const std::uint64_t mine = all.valid.word(w);
  if constexpr (kind == kHeld) return mine & all.ready.word(w) & all.held.word(w);
  if constexpr (kind == kUnit) return mine & all.ready.word(w);
  if constexpr (kind == kRendezvous) return mine & all.rendezvous.word(w);
  if constexpr (kind == kParked) return mine & all.parked.word(w);
  if constexpr (kind == kBarrier) return mine & all.barrier.word(w);
  if constexpr (kind == kInPipeline) return mine;
  if constexpr (kind == kAsleep) return free_in(all, w) & all.asleep.word(w);
  if constexpr (kind == kHazard) return awake & all.hazard.word(w);
  if constexpr (kind == kPipeline) return awake & all.pipeline.word(w) & ~all.away.word(w);
  if constexpr (kind == kBranch) return awake & all.branch.word(w);
  if constexpr (kind == kFetch) return awake & ~all.buffered.word(w);
  return awake & all.long_latency.word(w);
}

/// Calls visit for each kind, as a std::integral_constant, until it returns true. False: it never did.
template <typename Visit, std::size_t... kind>
bool for_kinds(Visit&& visit, std::index_sequence<kind...>) {
  return (visit(std::integral_constant<std::size_t, kind>{}) || ...);
}
template <typename Visit>
bool for_kinds(Visit&& visit) {
  return for_kinds(visit, std::make_index_sequence<kBlamed>{});
}

/// Words of the set up to the last one with members, at least 1.
std::size_t words_of(const ContextSet& set) {
  std::size_t words = ContextSet::words();
  while (words > 1 && set.word(words - 1) == 0) --words;
  return words;
}

/// Whether slot s has the contexts s, s + slots, ... of the SM, and looking at all slots at once pays.
bool are_dealt(const SlotPolicies& policies, unsigned slots) {
  // Few slots are looked at sooner one by one.
  if (!std::has_single_bit(slots) || slots < 4) return false;
  ContextSet all;
  for (IssueSlot s(0); s < slots; ++s) {
    const ContextSet& members = policies.shape(s).members;
    bool own = true;
    members.for_each([&](std::size_t c) { own = own && c % slots == s; });
    if (!own) return false;
    all |= members;
  }
  return all == ContextSet::first_n(all.count());
}

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
      empty_(cause("no_warp", "there was no warp")),
      dealt_(are_dealt(policies, parameters.schedulers)) {
  for (Charge& slot : slots_) slot.cause = empty_;
  for (const CauseId cause : {hazard_, memory_}) into_bucket(cause, kScoreboard);
  blamed_ = {held_,   unit_,   hazard_,     pipeline_, branch_,  fetch_,
             memory_, asleep_, rendezvous_, parked_,   barrier_, pipeline_};
}

void IssueAccount::charge_parked_to(CauseId cause) {
  parked_ = cause;
  blamed_[kParked] = cause;
}

CauseId IssueAccount::issuing_cause(const std::string& name, const std::string& sentence) {
  return into_bucket(account_.cause(name, sentence, true), kByThreads);
}

CauseId IssueAccount::into_bucket(CauseId cause, std::uint8_t bucket) {
  const auto number = static_cast<std::size_t>(cause);
  if (number >= buckets_.size()) buckets_.resize(number + 1);
  buckets_[number] = bucket;
  return cause;
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
  if (!contexts_.valid.intersects(members)) return empty_;
  CauseId cause = empty_;
  // words: a number, or a constant that the compiler knows.
  const auto look = [&](auto words) {
    for_kinds([&](auto kind) {
      std::uint64_t found = 0;
      for (std::size_t w = 0; w < words; ++w)
        found |= blamed_in<kind>(contexts_, w, awake_in(contexts_, w)) & members.word(w);
      if (found == 0) return false;
      cause = blamed_[kind];
      return true;
    });
  };
  if (ContextSet::wide()) {
    look(words_of(members));
  } else {
    look(std::integral_constant<std::size_t, 1>());
  }
  return cause;
}

template <typename Visit>
void IssueAccount::blame_each(std::uint32_t slots, Visit&& visit) const {
  if (!dealt_) {
    for (; slots != 0; slots &= slots - 1) {
      const IssueSlot slot(static_cast<unsigned>(std::countr_zero(slots)));
      visit(slots & -slots, blame(policies_.shape(slot).members));
    }
    return;
  }
  const std::size_t all = slots_.size();
  // words: a constant, so that the compiler takes several at once.
  const auto look = [&](auto words) {
    std::array<std::uint64_t, words> awake;
    for (std::size_t w = 0; w < words; ++w) awake[w] = awake_in(contexts_, w);
    for_kinds([&](auto kind) {
      std::uint64_t found = 0;
      for (std::size_t w = 0; w < words; ++w) found |= blamed_in<kind>(contexts_, w, awake[w]);
      if (found == 0) return false;
      // Bit s is of slot s then.
      for (std::size_t half = 32; half >= all; half /= 2) found |= found >> half;
      if (const std::uint32_t some = slots & static_cast<std::uint32_t>(found); some != 0) visit(some, blamed_[kind]);
      slots &= ~static_cast<std::uint32_t>(found);
      return slots == 0;
    });
  };
  if (!ContextSet::wide()) {
    look(std::integral_constant<std::size_t, 1>());
  } else if (ContextSet::words() < ContextSet::kWords) {
    look(std::integral_constant<std::size_t, ContextSet::kWords / 2>());
  } else {
    look(std::integral_constant<std::size_t, ContextSet::kWords>());
  }
  if (slots != 0) visit(slots, empty_);
}

void IssueAccount::charge_idle(std::uint32_t slots) {
  if (slots == 0) return;
  blame_each(slots, [this](std::uint32_t some, CauseId cause) {
    for (; some != 0; some &= some - 1) slots_[static_cast<std::size_t>(std::countr_zero(some))].cause = cause;
  });
}

void IssueAccount::close(Cycle now) {
  account_.begin_cycle();
  // Neighbouring slots are often charged alike, all of them when nothing issues.
  for (std::size_t s = 0, all = slots_.size(); s < all;) {
    const Charge charge = slots_[s];
    const std::size_t first = s;
    do slots_[s].active = 0;
    while (++s < all && slots_[s] == charge);
    account_.charge(charge.cause, static_cast<unsigned>(s - first));
    slot_lanes_.add(lane_bucket(charge), s - first);
  }
  accounted_ = now + 1;
  worked_ = now;
}

void IssueAccount::charge_skipped(Cycle until) {
  skipped_.clear();
  // State does not change during skipped cycles, so the current state gives their cause.
  blame_each(all_slots(), [&](std::uint32_t some, CauseId cause) {
    // Which slot has which cause does not matter.
    const auto count = static_cast<unsigned>(std::popcount(some));
    skipped_.insert(skipped_.end(), count, cause);
    slot_lanes_.add(bucket_of(cause), count * (until - accounted_));
  });
  account_.idle(until - accounted_, skipped_);
  accounted_ = until;
}

CauseId IssueAccount::shown(IssueSlot slot, Cycle now) const {
  // For a skipped cycle, the cause is what the stage waits for.
  return worked_ == now ? slots_[slot].cause : blame(policies_.shape(slot).members);
}

std::size_t IssueAccount::lane_bucket(const Charge& charge) const {
  const std::size_t bucket = bucket_of(charge.cause);
  if (bucket != kByThreads) return bucket;
  return charge.active == 0 ? kNoThread
                            : kFirstLanes + (charge.active - 1) / kLanesOfBucket + charge.active / isa::kWordThreads;
}

}  // namespace heddle::sm
