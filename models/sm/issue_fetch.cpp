// SPDX-License-Identifier: Apache-2.0
// How the issue stage comes by instructions: requests that fill buffers, or in the barrel shape a look-up at the pick.
#include <algorithm>

#include "sm/issue_stage.h"

namespace heddle::sm {

void IssueStage::note_room(ContextId c, const isa::Kernel& kernel) {
  const unsigned least = std::min(parameters_.fetch.instructions, buffers_.depth());
  const bool room = buffers_.room(c) >= least && (parameters_.fetch.ahead || buffers_.room(c) == buffers_.depth());
  wants_fetch_.assign(c, room && buffers_.next_pc(c) < kernel.ops.size());
}

void IssueStage::request_fetches() {
  ContextSet wanting = wants_fetch_ - contexts_.branch;
  for (unsigned i = 0; i < parameters_.fetch.width && wanting.any(); ++i) {
    if (!fetch.can_send()) {
      fetch.wait_for_room();
      return;
    }
    const ContextId c = next_in_turn(wanting, last_fetch_);
    last_fetch_ = c;
    const isa::Kernel& kernel = *contexts_[c].kernel;
    const std::uint32_t pc = buffers_.next_pc(c);
    FetchRequest request = fetch_request(
        c, pc, std::min<std::size_t>({parameters_.fetch.instructions, buffers_.room(c), kernel.ops.size() - pc}));
    buffers_.requested(c, request.count);
    fetch.send(request);
    ++fetches_;
    if (sm_.watch != nullptr) sm_.watch->requested(request);
    note_room(c, kernel);
    wanting.assign(c, wants_fetch_.test(c));
  }
}

bool IssueStage::fetched_at_pick(ContextId c) {
  const std::uint32_t pc = contexts_[c].pc;
  if (fetched_pc_[c] == pc) return true;
  ++fetches_;
  const InstructionStore::Answer answer = fetch_at_pick->fetch_at_pick(fetch_request(c, pc, 1));
  if (answer == InstructionStore::Answer::hit) {
    fetched_pc_[c] = pc;
    return true;
  }
  if (answer == InstructionStore::Answer::miss) {
    if (sm_.watch != nullptr) sm_.watch->requested(fetch_request(c, pc, 1));
    awaits_line_.set(c);
    awaited_pc_[c] = pc;
    contexts_.changed.set(c);
  }
  return false;
}

FetchRequest IssueStage::fetch_request(ContextId c, std::uint32_t pc, std::size_t count) const {
  FetchRequest request;
  request.code_address = blocks_[contexts_[c].block].state.launch->code_address;
  request.pc = pc;
  request.count = static_cast<std::uint16_t>(count);
  request.context = c;
  request.generation = buffers_[c].generation;
  return request;
}

}  // namespace heddle::sm
