// SPDX-License-Identifier: Apache-2.0
#include "sm/pipeline/fetch_stage.h"

#include <algorithm>
#include <utility>

namespace heddle::sm {

FetchStage::FetchStage(sc_core::sc_module_name module_name, SmContext& sm)
    : Stage(module_name, sm.gate),
      requests("requests", sm.gate, stage_number(), {.width = sm.parameters.fetch.width, .latency = 1, .capacity = 64}),
      fetched("fetched", sm.gate, stage_number()),
      at_pick("at_pick"),
      cache("cache"),
      sm_(sm),
      group_(sm.statistics, "fetch"),
      fetched_(group_, "fetched", "requests whose instructions were forwarded", unit::kRequests),
      missed_(group_, "missed", "requests that waited for the instruction cache", unit::kRequests),
      state_(sm.services, sm.path("fetch"), sm.domain()),
      context_(state_.signals.pulse("context", 10, "context whose request is looked up; the last one of a cycle")),
      pc_(state_.signals.pulse("pc", 32, "first instruction of that request")),
      hit_(state_.signals.pulse("hit", 1, "whether that request hit in the instruction cache")) {
  state_.signals.add("requests_waiting", 8, "requests that wait to be looked up",
                     [this] { return requests.occupancy(); });
  state_.signals.add("line_waiting", 8, "requests that wait for their line", [this] { return waiting_.size(); });
  state_.signals.add("arrived", 8, "requests whose line has arrived and that wait to be forwarded",
                     [this] { return arrived_.size(); });
  // A context never has more requests in flight than its buffer has room for.
  const FetchParameters& fetch = sm.parameters.fetch;
  const unsigned requests_of_context = std::max(1u, fetch.buffer_depth / std::max(1u, fetch.instructions));
  Structure& misses = state_.structure(
      "misses", "requests that wait for their line",
      std::size_t{requests_of_context} * (sm.parameters.residency.threads / std::max(1u, sm.parameters.warp_size)),
      {{"line", 40, 0, 1, true}, {"context", 9, 1, 1}, {"count", 4, 1, 1}});
  misses.occupied([this](std::size_t i) { return i < waiting_.size(); });
  misses.read([this](std::size_t i, std::size_t field) -> std::uint64_t {
    if (i >= waiting_.size()) return 0;
    return field == 0 ? waiting_[i].line : field == 1 ? waiting_[i].request.context : waiting_[i].request.count;
  });
  at_pick.bind(*this);
}

std::uint64_t FetchStage::address_of(const FetchRequest& request) const {
  return request.code_address + std::uint64_t{request.pc} * sm_.parameters.fetch.instruction_bytes;
}

InstructionStore::Answer FetchStage::look_up(const FetchRequest& request) {
  const std::uint64_t address = address_of(request);
  const InstructionStore::Answer answer = cache->look_up(address, *this);
  if (answer == InstructionStore::Answer::miss) {
    ++missed_;
    waiting_.push_back({address & ~std::uint64_t{cache->line_bytes() - 1}, request});
  }
  return answer;
}

InstructionStore::Answer FetchStage::fetch_at_pick(const FetchRequest& request) {
  const InstructionStore::Answer answer = look_up(request);
  if (answer == InstructionStore::Answer::hit) ++fetched_;
  return answer;
}

void FetchStage::cycle() {
  // 1. Lines filled before this cycle release their requests, oldest first.
  release_filled();
  std::size_t sent = 0;
  while (sent < arrived_.size() && fetched.can_send()) {
    Fetched out{arrived_[sent++]};
    if (sm_.watch != nullptr) sm_.watch->fetched(out.request);
    fetched.send(out);
    ++fetched_;
  }
  arrived_.erase(arrived_.begin(), arrived_.begin() + static_cast<std::ptrdiff_t>(sent));
  // 2. New requests.
  while (FetchRequest* request = requests.front()) {
    if (!fetched.can_send()) {
      requests.look_again();
      break;
    }
    const InstructionStore::Answer answer = look_up(*request);
    if (answer == InstructionStore::Answer::busy) {
      requests.look_again();
      break;
    }
    if (state_.signals.on()) {
      state_.signals.fire(context_, request->context);
      state_.signals.fire(pc_, request->pc);
      state_.signals.fire(hit_, answer == InstructionStore::Answer::hit);
    }
    if (answer == InstructionStore::Answer::hit) {
      Fetched out{*request};
      if (sm_.watch != nullptr) sm_.watch->fetched(out.request);
      fetched.send(out);
      ++fetched_;
    }
    requests.pop();
  }
  if (!arrived_.empty()) wake(now() + 1);
}

/// Releases requests whose line arrived before this cycle, including requests made in the cycle of its arrival.
void FetchStage::release_filled() {
  std::size_t kept_lines = 0;
  for (const Line& filled : filled_) {
    if (filled.from > now()) {
      filled_[kept_lines++] = filled;
      continue;
    }
    std::size_t kept = 0;
    for (const Waiting& waiting : waiting_) {
      if (waiting.line == filled.line) {
        arrived_.push_back(waiting.request);
      } else {
        waiting_[kept++] = waiting;
      }
    }
    waiting_.resize(kept);
  }
  filled_.resize(kept_lines);
}

void FetchStage::line_filled(std::uint64_t line, Cycle from) {
  filled_.push_back({line, from});
  wake(from);
}

}  // namespace heddle::sm
