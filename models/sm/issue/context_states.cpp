// SPDX-License-Identifier: Apache-2.0
#include "sm/issue/context_states.h"

#include <utility>

#include "core/error.h"
#include "sm/context_words.h"

namespace heddle::sm {

namespace {

/// Calls visit(w, members) for each word of the set that has members.
template <typename Visit>
void for_each_word(const ContextSet& set, Visit&& visit) {
  for (std::size_t w = 0, words = ContextSet::words(); w < words; ++w) {
    if (const std::uint64_t members = set.word(w); members != 0) visit(w, members);
  }
}

}  // namespace

ContextStates::ContextStates(SmContext& sm, HazardTracker& hazards, Regroupings* regroupings, InstructionSupply& supply,
                             IssueUnits& units, SlotPolicies& policies, const InstructionEffects& effects)
    : sm_(sm),
      contexts_(sm.contexts),
      hazards_(hazards),
      regroupings_(regroupings),
      supply_(supply),
      units_(units),
      policies_(policies),
      effects_(effects) {}

void ContextStates::settle() {
  while (contexts_.changed.any()) {
    if (regroupings_ != nullptr) regroupings_->changed(contexts_.changed);
    for_each_word(contexts_.changed, [this](std::size_t w, std::uint64_t some) {
      contexts_.changed.put_word(w, 0);
      add(contexts_.touched, w, some);
      refresh(w, some);
    });
  }
}

void ContextStates::fail_past_end(ContextId c) const {
  fail(ExitCode::internal, "{}: context {} ran past the end of kernel {}", sm_.path("issue"), c,
       contexts_[c].kernel->name);
}

inline const isa::MicroOp* ContextStates::next_of(ContextId c) const {
  const Context& context = contexts_[c];
  const isa::Kernel& kernel = *context.kernel;
  // Compared as addresses, which takes no division.
  const isa::MicroOp* const next = kernel.ops.data() + context.pc;
  if (next >= kernel.ops.data() + kernel.ops.size()) fail_past_end(c);
  return next;
}

inline std::uint64_t ContextStates::follow_run(std::size_t w, ContextId leader, std::uint64_t run) {
  const isa::MicroOp* const next = next_of(leader);
  const std::uint64_t available = supply_.follow(leader, run);
  if (available == 0) return 0;
  for_each_of(w, available, [&](ContextId c) { contexts_[c].next = next; });
  units_.next_is(w, available, *next);
  return available;
}

[[gnu::always_inline]] inline void ContextStates::refresh(std::size_t w, std::uint64_t some) {
  if (sm_.watch != nullptr) for_each_in(w, some, [this](ContextId c, std::uint64_t) { sm_.watch->touched(c); });
  if (const std::uint64_t gone = some & ~contexts_.valid.word(w); gone != 0) {
    for_each_in(w, gone, [this](ContextId c, std::uint64_t) { retire(c); });
    some &= ~gone;
    if (some == 0) return;
  }
  if (const std::uint64_t new_ones = some & ~known_.word(w); new_ones != 0)
    for_each_in(w, new_ones, [this](ContextId c, std::uint64_t) { introduce(c); });
  units_.next_unknown(w, some);
  const std::uint64_t buffered = follow_runs(w, some);
  find_stalled(w, some);
  replace(contexts_.buffered, w, some, buffered);
  set_waits(w, some, buffered);
}

[[gnu::always_inline]] inline std::uint64_t ContextStates::follow_runs(std::size_t w, std::uint64_t some) {
  std::uint64_t buffered = 0;
  supply_.for_each_run(w, some, [&](ContextId leader, std::uint64_t run) { buffered |= follow_run(w, leader, run); });
  return buffered;
}

inline void ContextStates::find_stalled(std::size_t w, std::uint64_t some) {
  std::uint64_t barrier = 0, rendezvous = 0;
  if (contexts_.at_barrier.any()) {
    for_each_in(w, some, [&](ContextId c, std::uint64_t bit) {
      const Context& context = contexts_[c];
      if (contexts_.at_barrier.any(context.warp) && context.threads.intersects(contexts_.at_barrier[context.warp]))
        barrier |= bit;
    });
  }
  if (contexts_.at_meeting.any()) {
    for_each_in(w, some, [&](ContextId c, std::uint64_t bit) {
      const Context& context = contexts_[c];
      if (contexts_.at_meeting.any(context.warp) && contexts_.at_meeting_alone(context.warp, context.threads))
        rendezvous |= bit;
    });
  }
  replace(contexts_.barrier, w, some, barrier);
  replace(contexts_.rendezvous, w, some, rendezvous);
}

void ContextStates::introduce(ContextId c) {
  known_.set(c);
  policies_.launched(contexts_, c);
}

void ContextStates::retire(ContextId c) {
  units_.next_unknown(c / 64, std::uint64_t{1} << (c % 64));
  contexts_.buffered.reset(c);
  contexts_.hazard.reset(c);
  contexts_.long_latency.reset(c);
  contexts_.branch.reset(c);
  contexts_.ready.reset(c);
  supply_.retired(c);
  if (!known_.test(c)) return;
  known_.reset(c);
  policies_.finished(contexts_, c);
}

void ContextStates::check_hazards(std::size_t w, std::uint64_t some) {
  some &= contexts_.valid.word(w) & contexts_.buffered.word(w);
  if (some != 0) set_waits(w, some, some);
}

[[gnu::always_inline]] inline void ContextStates::set_waits(std::size_t w, std::uint64_t some, std::uint64_t buffered) {
  WordWaits waits = buffered != 0 ? hazards_.check_word(contexts_, w, buffered) : WordWaits{};
  if (effects_.any_copies()) {
    for_each_in(w, buffered, [&](ContextId c, std::uint64_t bit) {
      if (effects_.waits_for_copies(c)) waits.memory |= bit;
    });
    waits.hazard &= ~waits.memory;
  }
  waits.memory |= contexts_.away.word(w) & some;
  replace(contexts_.hazard, w, some, waits.hazard);
  replace(contexts_.long_latency, w, some, waits.memory);
  update_ready(w, some);
}

void ContextStates::update_ready(std::size_t w, std::uint64_t some) {
  const std::uint64_t waits = contexts_.hazard.word(w) | contexts_.long_latency.word(w) | contexts_.barrier.word(w) |
                              contexts_.branch.word(w) | contexts_.rendezvous.word(w) | contexts_.pipeline.word(w) |
                              contexts_.in_sequence.word(w) | contexts_.parked.word(w);
  const std::uint64_t ready = some & contexts_.valid.word(w) & contexts_.buffered.word(w) & ~waits;
  if (const std::uint64_t fresh = ready & ~contexts_.ready.word(w); fresh != 0) {
    for_each_of(w, fresh, [this, now = sm_.gate.now()](ContextId c) { ready_since_[c] = now; });
    fresh_ready_ = true;
  }
  replace(contexts_.ready, w, some, ready);
}

}  // namespace heddle::sm
