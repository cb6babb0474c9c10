// SPDX-License-Identifier: Apache-2.0
#include "sm/issue/instruction_supply.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "sm/scheduling/order_policy.h"

namespace heddle::sm {

namespace {

/// Bit i: whether context first + i is in the set.
std::uint8_t eight_from(const ContextSet& set, ContextId first) {
  const std::size_t w = first / 64, shift = first % 64;
  std::uint64_t bits = set.word(w) >> shift;
  if (shift > 56 && w + 1 < ContextSet::kWords) bits |= set.word(w + 1) << (64 - shift);
  return static_cast<std::uint8_t>(bits);
}

}  // namespace

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
  sm_.contexts.in_step.leave(c);
}

bool InstructionSupply::follow_at_pick(ContextId c) {
  if (awaits_line_.test(c) && awaited_pc_[c] != sm_.contexts[c].pc) awaits_line_.reset(c);
  return !awaits_line_.test(c);
}

std::uint64_t InstructionSupply::follow(ContextId leader, std::uint64_t run) {
  const std::size_t w = leader / 64;
  if (at_pick_) {
    std::uint64_t available = 0;
    for_each_in(w, run, [&](ContextId c, std::uint64_t bit) {
      if (follow_at_pick(c)) available |= bit;
    });
    return available;
  }
  const std::uint32_t pc = sm_.contexts[leader].pc;
  InstructionBuffers::Range range = buffers_.range(leader);
  if (!InstructionBuffers::follow(range, pc)) {
    for_each_of(w, run, [&](ContextId c) { buffers_.flush(c, pc); });
  } else if (!(range == buffers_.range(leader))) {
    // As one word, which the compiler need not put together for each.
    const auto kept = std::bit_cast<std::uint64_t>(range);
    for_each_of(w, run, [&](ContextId c) { buffers_.keep(c, std::bit_cast<InstructionBuffers::Range>(kept)); });
  }
  note_room(leader, run);
  return buffers_.holds(leader, pc) ? run : 0;
}

void InstructionSupply::arrived(const Fetched& fetched) {
  const FetchRequest& request = fetched.request;
  if (at_pick_) {
    arrived_at_pick(request);
    return;
  }
  ContextTable& contexts = sm_.contexts;
  std::uint8_t kept = 0;
  bool in_step = false;
  if (!request.shared()) {
    kept = buffers_.fill(request.context, request.generation, request.count) ? 1 : 0;
  } else {
    in_step = contexts.in_step.all(request.context, request.receivers);
    const Generations& generations = shared_[request.generation];
    free_of_shared_.push_back(request.generation);
    for_each_of(request.context, request.receivers, [&](ContextId c) {
      const auto i = c - request.context;
      if (buffers_.fill(c, generations[i], request.count)) kept = static_cast<std::uint8_t>(kept | 1u << i);
    });
  }
  // Prefetched instructions do not matter while the context has its next one.
  for_each_word_of(request.context, kept, [&contexts, in_step](std::size_t w, std::uint64_t some) {
    contexts.touched.set_word(w, contexts.touched.word(w) | some);
    const std::uint64_t affected = some & ~contexts.buffered.word(w) & ~contexts.changed.word(w);
    contexts.changed.set_word(w, contexts.changed.word(w) | affected);
    if (affected != some || !in_step) contexts.in_step.part(w, some);
    if (in_step) contexts.in_step.moved(w, affected);
  });
}

void InstructionSupply::arrived_at_pick(const FetchRequest& request) {
  const ContextId c = request.context;
  if (!awaits_line_.test(c) || awaited_pc_[c] != request.pc || buffers_[c].generation != request.generation) return;
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

std::uint8_t InstructionSupply::request(ContextId c, std::uint8_t sharing, std::uint8_t store) {
  const std::uint32_t pc = buffers_.next_pc(c);
  FetchRequest request = request_for(c, pc,
                                     std::min<std::size_t>({sm_.parameters.fetch.instructions, buffers_.room(c),
                                                            sm_.contexts[c].kernel->ops.size() - pc}));
  request.store = store;
  if (sharing == 1) {
    buffers_.requested(c, request.count);
    sm_.contexts.touched.set(c);
    sm_.contexts.in_step.leave(c);
    note_room(c, std::uint64_t{1} << (c % 64));
    send(request);
    return request.receivers;
  }
  share(request, sharing);
  for_each_word_of(c, request.receivers, [this, &request](std::size_t w, std::uint64_t some) {
    sm_.contexts.touched.set_word(w, sm_.contexts.touched.word(w) | some);
    const auto ask = [&](ContextId leader, std::uint64_t run) {
      for_each_of(w, run, [&](ContextId receiver) { buffers_.requested(receiver, request.count); });
      note_room(leader, run);
    };
    if (!sm_.contexts.in_step.used()) {
      for_each_run(w, some, ask);
      return;
    }
    // All contexts have been looked at since they changed.
    sm_.contexts.in_step.part(w, some);
    for_each_known_run(w, some, ask);
  });
  send(request);
  return request.receivers;
}

void InstructionSupply::share(FetchRequest& request, std::uint8_t sharing) {
  const ContextId first = request.context;
  const isa::Kernel* const kernel = sm_.contexts[first].kernel;
  const unsigned wanting = eight_from(wants_fetch_, first) & ~eight_from(sm_.contexts.branch, first);
  unsigned receivers = 1, rest = sharing & wanting & ~1u;
  if (sm_.contexts.in_step.all(first, static_cast<std::uint8_t>(rest))) {
    receivers |= rest;
    rest = 0;
  }
  for (; rest != 0; rest &= rest - 1) {
    const ContextId other(first + static_cast<unsigned>(std::countr_zero(rest)));
    if (buffers_.next_pc(other) != request.pc || sm_.contexts[other].kernel != kernel) continue;
    receivers |= rest & -rest;
    request.count = std::min(request.count, static_cast<std::uint16_t>(buffers_.room(other)));
  }
  request.receivers = static_cast<std::uint8_t>(receivers);
  if (!request.shared()) return;
  if (free_of_shared_.empty()) {
    free_of_shared_.push_back(static_cast<std::uint16_t>(shared_.size()));
    shared_.emplace_back();
  }
  request.generation = free_of_shared_.back();
  free_of_shared_.pop_back();
  Generations& generations = shared_[request.generation];
  for_each_of(first, request.receivers,
              [&](ContextId receiver) { generations[receiver - first] = buffers_[receiver].generation; });
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
  request.generation = buffers_[c].generation;
  return request;
}

}  // namespace heddle::sm
