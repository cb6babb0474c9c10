// SPDX-License-Identifier: Apache-2.0
#include "sm/issue/context_states.h"

#include "core/error.h"

namespace heddle::sm {

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
    const ContextSet changed = contexts_.changed;
    contexts_.changed.clear();
    if (regroupings_ != nullptr) regroupings_->changed(changed);
    changed.for_each([this](std::size_t c) { refresh(ContextId(c)); });
  }
}

void ContextStates::refresh(ContextId c) {
  if (sm_.watch != nullptr) sm_.watch->touched(c);
  units_.next_unknown(c);
  if (!contexts_.valid.test(c)) {
    retire(c);
    return;
  }
  if (!known_.test(c)) introduce(c);
  Context& context = contexts_[c];
  const isa::Kernel& kernel = *context.kernel;
  contexts_.barrier.assign(
      c, contexts_.at_barrier.any(context.warp) && context.threads.intersects(contexts_.at_barrier[context.warp]));
  contexts_.rendezvous.assign(
      c, contexts_.at_meeting.any(context.warp) && contexts_.at_meeting_alone(context.warp, context.threads));
  if (context.pc >= kernel.ops.size()) {
    fail(ExitCode::internal, "{}: context {} ran past the end of kernel {}", sm_.path("issue"), c, kernel.name);
  }
  const bool buffered = supply_.follow(c);
  contexts_.buffered.assign(c, buffered);
  if (buffered) {
    context.next = &kernel.ops[context.pc];
    units_.next_is(c, *context.next);
    check_hazard(c);
  } else {
    contexts_.hazard.reset(c);
    contexts_.long_latency.assign(c, contexts_.away.test(c));
    update_ready(c);
  }
}

void ContextStates::introduce(ContextId c) {
  known_.set(c);
  policies_.launched(contexts_, c);
}

void ContextStates::retire(ContextId c) {
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

void ContextStates::check_hazard(ContextId c) {
  if (!contexts_.valid.test(c) || !contexts_.buffered.test(c)) return;
  Wait wait = hazards_.check(contexts_, c, *contexts_[c].next);
  if (effects_.waits_for_copies(c)) wait = Wait::memory;
  contexts_.hazard.assign(c, wait == Wait::hazard);
  contexts_.long_latency.assign(c, wait == Wait::memory || contexts_.away.test(c));
  update_ready(c);
}

void ContextStates::update_ready(ContextId c) {
  const std::size_t w = c / 64;
  const std::uint64_t waits = contexts_.hazard.word(w) | contexts_.long_latency.word(w) | contexts_.barrier.word(w) |
                              contexts_.branch.word(w) | contexts_.rendezvous.word(w) | contexts_.pipeline.word(w) |
                              contexts_.in_sequence.word(w) | contexts_.parked.word(w);
  const bool ready = ((contexts_.valid.word(w) & contexts_.buffered.word(w) & ~waits) >> (c % 64)) & 1;
  if (ready && !contexts_.ready.test(c)) {
    ready_since_[c] = sm_.gate.now();
    fresh_ready_ = true;
  }
  contexts_.ready.assign(c, ready);
}

}  // namespace heddle::sm
