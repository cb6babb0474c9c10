// SPDX-License-Identifier: Apache-2.0
#include "sm/issue/instruction_supply.h"

#include <algorithm>

#include "sm/scheduling/order_policy.h"

namespace heddle::sm {

InstructionSupply::InstructionSupply(SmContext& sm, LinkOut<FetchRequest>& fetch, CallPort<FetchAtPick>& fetch_at_pick,
                                     const StatisticsGroup& group)
    : sm_(sm),
      fetch_(fetch),
      fetch_at_pick_(fetch_at_pick),
      at_pick_(sm.parameters.shape == PipelineShape::barrel),
      buffers_(sm.parameters.fetch.buffer_depth),
      fetches_(group, "fetch_requests", "requests sent to the fetch stage", unit::kRequests) {
  fetched_pc_.fill(kNoPc);
}

void InstructionSupply::retired(ContextId c) {
  wants_fetch_.reset(c);
  awaits_line_.reset(c);
  fetched_pc_[c] = kNoPc;
  buffers_.flush(c, 0);
}

bool InstructionSupply::follow(ContextId c) {
  const std::uint32_t pc = sm_.contexts[c].pc;
  if (at_pick_) {
    if (awaits_line_.test(c) && awaited_pc_[c] != pc) awaits_line_.reset(c);
    return !awaits_line_.test(c);
  }
  buffers_.follow(c, pc);
  note_room(c);
  return buffers_.holds(c, pc);
}

bool InstructionSupply::arrived(const Fetched& fetched) {
  const FetchRequest& request = fetched.request;
  const ContextId c = request.context;
  if (at_pick_) {
    if (!awaits_line_.test(c) || awaited_pc_[c] != request.pc || buffers_[c].generation != request.generation)
      return false;
    awaits_line_.reset(c);
    fetched_pc_[c] = request.pc;
    return true;
  }
  // Prefetched instructions do not matter while the context has its next one.
  return buffers_.fill(c, request.generation, request.count) && !sm_.contexts.buffered.test(c);
}

void InstructionSupply::note_room(ContextId c) {
  const FetchParameters& fetch = sm_.parameters.fetch;
  const unsigned least = std::min(fetch.instructions, buffers_.depth());
  const bool room = buffers_.room(c) >= least && (fetch.ahead || buffers_.room(c) == buffers_.depth());
  wants_fetch_.assign(c, room && buffers_.next_pc(c) < sm_.contexts[c].kernel->ops.size());
}

void InstructionSupply::send_requests() {
  const FetchParameters& parameters = sm_.parameters.fetch;
  ContextSet wanting = wants_fetch_ - sm_.contexts.branch;
  for (unsigned i = 0; i < parameters.width && wanting.any(); ++i) {
    if (!fetch_.can_send()) {
      fetch_.wait_for_room();
      return;
    }
    const ContextId c = next_in_turn(wanting, last_fetch_);
    last_fetch_ = c;
    const std::uint32_t pc = buffers_.next_pc(c);
    FetchRequest request = request_for(
        c, pc,
        std::min<std::size_t>({parameters.instructions, buffers_.room(c), sm_.contexts[c].kernel->ops.size() - pc}));
    buffers_.requested(c, request.count);
    fetch_.send(request);
    ++fetches_;
    if (sm_.watch != nullptr) sm_.watch->requested(request);
    note_room(c);
    wanting.assign(c, wants_fetch_.test(c));
  }
}

bool InstructionSupply::at_pick(ContextId c) {
  if (!at_pick_) return true;
  const std::uint32_t pc = sm_.contexts[c].pc;
  if (fetched_pc_[c] == pc) return true;
  ++fetches_;
  const InstructionStore::Answer answer = fetch_at_pick_->fetch_at_pick(request_for(c, pc, 1));
  if (answer == InstructionStore::Answer::hit) {
    fetched_pc_[c] = pc;
    return true;
  }
  if (answer == InstructionStore::Answer::miss) {
    if (sm_.watch != nullptr) sm_.watch->requested(request_for(c, pc, 1));
    awaits_line_.set(c);
    awaited_pc_[c] = pc;
    sm_.contexts.changed.set(c);
  }
  return false;
}

FetchRequest InstructionSupply::request_for(ContextId c, std::uint32_t pc, std::size_t count) const {
  FetchRequest request;
  request.code_address = sm_.contexts[c].words->block->launch->code_address;
  request.pc = pc;
  request.count = static_cast<std::uint16_t>(count);
  request.context = c;
  request.generation = buffers_[c].generation;
  return request;
}

}  // namespace heddle::sm
