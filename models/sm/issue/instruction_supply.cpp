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
  sm_.contexts.touched.set(c);
}

bool InstructionSupply::follow_at_pick(ContextId c) {
  if (awaits_line_.test(c) && awaited_pc_[c] != sm_.contexts[c].pc) awaits_line_.reset(c);
  return !awaits_line_.test(c);
}

void InstructionSupply::arrived(const Fetched& fetched) {
  const FetchRequest& request = fetched.request;
  if (at_pick_) {
    arrived_at_pick(request);
    return;
  }
  ContextTable& contexts = sm_.contexts;
  std::uint8_t kept = 0;
  if (!request.shared()) {
    kept = buffers_.fill(request.context, request.generation, request.count) ? 1 : 0;
  } else {
    const Generations& asked = shared_[request.generation];
    for_each_of(request.context, request.receivers, [&](ContextId c) {
      const unsigned i = c - request.context;
      if (buffers_.fill(c, asked[i], request.count)) kept = static_cast<std::uint8_t>(kept | 1u << i);
    });
    free_of_shared_.push_back(request.generation);
  }
  // Prefetched instructions do not matter while the context has its next one.
  const std::size_t w = request.context / 64;
  const std::uint64_t some = in_word(request.context, kept);
  add(contexts.touched, w, some);
  add(contexts.changed, w, some & ~contexts.buffered.word(w));
}

void InstructionSupply::arrived_at_pick(const FetchRequest& request) {
  const ContextId c = request.context;
  if (!awaits_line_.test(c) || awaited_pc_[c] != request.pc || buffers_.generation(c) != request.generation) return;
  awaits_line_.reset(c);
  fetched_pc_[c] = request.pc;
  sm_.contexts.changed.set(c);
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

[[gnu::always_inline]] inline bool InstructionSupply::share(FetchRequest& request, std::uint8_t sharing) {
  const ContextId first = request.context;
  const isa::Kernel* const kernel = sm_.contexts[first].kernel;
  const std::uint64_t wanting = wants_fetch_.word(first / 64) & ~sm_.contexts.branch.word(first / 64);
  unsigned receivers = 1;
  bool alike = true;
  for_each_of(first, static_cast<std::uint8_t>(sharing & wanting >> first % 64 & ~1u), [&](ContextId other) {
    if (buffers_.next_pc(other) != request.pc || sm_.contexts[other].kernel != kernel) return;
    receivers |= 1u << (other - first);
    alike = alike && buffers_[other] == buffers_[first];
    request.count = std::min(request.count, static_cast<std::uint16_t>(buffers_.room(other)));
  });
  request.receivers = static_cast<std::uint8_t>(receivers);
  if (!request.shared()) return true;
  if (free_of_shared_.empty()) {
    free_of_shared_.push_back(static_cast<std::uint16_t>(shared_.size()));
    shared_.emplace_back();
  }
  request.generation = free_of_shared_.back();
  free_of_shared_.pop_back();
  Generations& asked = shared_[request.generation];
  for_each_of(first, request.receivers, [&](ContextId c) { asked[c - first] = buffers_.generation(c); });
  return alike;
}

std::uint8_t InstructionSupply::request(ContextId c, std::uint8_t sharing, std::uint8_t store) {
  const std::uint32_t pc = buffers_.next_pc(c);
  FetchRequest request = request_for(c, pc,
                                     std::min<std::size_t>({sm_.parameters.fetch.instructions, buffers_.room(c),
                                                            sm_.contexts[c].kernel->ops.size() - pc}));
  request.store = store;
  const bool alike = sharing == 1 || share(request, sharing);
  const std::uint64_t all = in_word(c, request.receivers);
  add(sm_.contexts.touched, c / 64, all);
  const auto ask = [&](ContextId leader, std::uint64_t run) {
    buffers_.requested(leader, run, request.count);
    note_room(leader, run);
  };
  if (alike) {
    ask(c, all);
  } else {
    for_each_in(c / 64, all, ask);
  }
  send(request);
  return request.receivers;
}

void InstructionSupply::send(FetchRequest& request) {
  if (sm_.watch != nullptr) sm_.watch->requested(request);
  fetch_.send(request);
  ++fetches_;
}

bool InstructionSupply::look_up_at_pick(ContextId c) {
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
  request.generation = buffers_.generation(c);
  return request;
}

}  // namespace heddle::sm
