// SPDX-License-Identifier: Apache-2.0
#include "sm/issue/instruction_supply.h"

#include <algorithm>
#include <utility>

#include "sm/scheduling/order_policy.h"

namespace heddle::sm {

InstructionSupply::InstructionSupply(SmContext& sm, std::unique_ptr<FetchScheme> scheme, LinkOut<FetchRequest>& fetch,
                                     CallPort<FetchAtPick>& fetch_at_pick, const StatisticsGroup& group)
    : sm_(sm),
      scheme_(std::move(scheme)),
      fetch_(fetch),
      fetch_at_pick_(fetch_at_pick),
      at_pick_(sm.parameters.shape == PipelineShape::barrel),
      buffers_(sm.parameters.fetch.buffer_depth),
      least_room_(sm.parameters.fetch.ahead ? std::min(sm.parameters.fetch.instructions, buffers_.depth())
                                            : buffers_.depth()),
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

void InstructionSupply::arrived(const Fetched& fetched) {
  const FetchRequest& request = fetched.request;
  if (!request.shared()) {
    arrived(request.context, request.generation, request);
    return;
  }
  const Generations generations = shared_[request.generation];
  free_of_shared_.push_back(request.generation);
  request.for_each_receiver([&](unsigned i, ContextId c) { arrived(c, generations[i], request); });
}

void InstructionSupply::arrived(ContextId c, std::uint16_t generation, const FetchRequest& request) {
  if (at_pick_) {
    if (!awaits_line_.test(c) || awaited_pc_[c] != request.pc || buffers_[c].generation != generation) return;
    awaits_line_.reset(c);
    fetched_pc_[c] = request.pc;
    sm_.contexts.changed.set(c);
    return;
  }
  // Prefetched instructions do not matter while the context has its next one.
  if (buffers_.fill(c, generation, request.count) && !sm_.contexts.buffered.test(c)) sm_.contexts.changed.set(c);
}

void InstructionSupply::note_room(ContextId c) {
  const unsigned room = buffers_.room(c);
  empty_.assign(c, room == buffers_.depth());
  wants_fetch_.assign(c, room >= least_room_ && buffers_.next_pc(c) < sm_.contexts[c].kernel->ops.size());
}

void InstructionSupply::send_requests() {
  const ContextSet wanting = wants_fetch_ - sm_.contexts.branch;
  if (wanting.none()) return;
  if (scheme_ != nullptr) {
    scheme_->cycle(*this, wanting);
  } else {
    request_in_turn(wanting);
  }
}

void InstructionSupply::request_in_turn(ContextSet wanting) {
  for (unsigned i = 0; i < sm_.parameters.fetch.width && wanting.any(); ++i) {
    if (!can_request()) return;
    const ContextId c = next_in_turn(wanting, last_fetch_);
    last_fetch_ = c;
    request(c);
    wanting.assign(c, wants_fetch_.test(c));
  }
}

bool InstructionSupply::can_request() {
  if (fetch_.can_send()) return true;
  fetch_.wait_for_room();
  return false;
}

std::uint8_t InstructionSupply::request(ContextId c, std::uint8_t sharing, std::uint8_t store) {
  const std::uint32_t pc = buffers_.next_pc(c);
  FetchRequest request = request_for(c, pc,
                                     std::min<std::size_t>({sm_.parameters.fetch.instructions, buffers_.room(c),
                                                            sm_.contexts[c].kernel->ops.size() - pc}));
  request.store = store;
  if (sharing != 1) return share(request, sharing);
  buffers_.requested(c, request.count);
  note_room(c);
  send(request);
  return 1;
}

std::uint8_t InstructionSupply::share(FetchRequest& request, std::uint8_t sharing) {
  const ContextId first = request.context;
  request.receivers = 1;
  for (unsigned i = 1; i < FetchRequest::kMaxReceivers; ++i) {
    const ContextId other(first + i);
    if ((sharing >> i & 1) == 0 || !wants_fetch_.test(other) || sm_.contexts.branch.test(other) ||
        buffers_.next_pc(other) != request.pc || sm_.contexts[other].kernel != sm_.contexts[first].kernel)
      continue;
    request.receivers = static_cast<std::uint8_t>(request.receivers | 1u << i);
    request.count = std::min(request.count, static_cast<std::uint16_t>(buffers_.room(other)));
  }
  Generations generations{};
  request.for_each_receiver([&](unsigned i, ContextId receiver) {
    generations[i] = buffers_[receiver].generation;
    buffers_.requested(receiver, request.count);
    note_room(receiver);
  });
  if (request.shared()) {
    if (free_of_shared_.empty()) {
      free_of_shared_.push_back(static_cast<std::uint16_t>(shared_.size()));
      shared_.emplace_back();
    }
    request.generation = free_of_shared_.back();
    free_of_shared_.pop_back();
    shared_[request.generation] = generations;
  }
  const std::uint8_t receivers = request.receivers;
  send(request);
  return receivers;
}

void InstructionSupply::send(FetchRequest& request) {
  if (sm_.watch != nullptr) sm_.watch->requested(request);
  fetch_.send(request);
  ++fetches_;
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
  request.code_address = sm_.contexts[c].code_address;
  request.pc = pc;
  request.count = static_cast<std::uint16_t>(count);
  request.context = c;
  request.generation = buffers_[c].generation;
  return request;
}

}  // namespace heddle::sm
