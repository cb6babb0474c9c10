// SPDX-License-Identifier: Apache-2.0
#include "sm/pipeline/fetch_stage.h"

#include <algorithm>
#include <string>
#include <utility>

#include "sm/pipeline/decode_stage.h"

namespace heddle::sm {

FetchStage::FetchStage(sc_core::sc_module_name module_name, SmContext& sm, std::size_t store_count)
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
  // More may come while the first waits.
  state_.signals.changes_by_time(state_.signals.add("requests_waiting", 8, "requests that wait to be looked up",
                                                    [this] { return requests.occupancy(); }));
  // The issue stage may call for a line, and a line may arrive.
  state_.signals.changes_by_time(
      state_.signals.add("line_waiting", 8, "requests that wait for their line", [this] { return waiting_.size(); }));
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
  busy_.resize(store_count + 1);
  for (std::size_t i = 0; i < store_count; ++i)
    stores_.push_back(std::make_unique<Store>(*this, static_cast<std::uint8_t>(i + 1)));
}

std::uint64_t FetchStage::address_of(const FetchRequest& request) const {
  return request.code_address + std::uint64_t{request.pc} * sm_.parameters.fetch.instruction_bytes;
}

FetchStage::Store::Store(FetchStage& owner, std::uint8_t own_number)
    : stage(owner), number(own_number), port(("store" + std::to_string(own_number)).c_str()) {}

InstructionStore::Answer FetchStage::look_up(const FetchRequest& request) {
  const std::uint64_t address = address_of(request);
  const bool in_cache = request.store == 0;
  CallPort<InstructionStore>& store = in_cache ? cache : stores_[request.store - 1u]->port;
  InstructionReturn& waiter = in_cache ? static_cast<InstructionReturn&>(*this) : *stores_[request.store - 1u];
  const InstructionStore::Answer answer = store->look_up(address, waiter);
  if (answer == InstructionStore::Answer::miss) {
    ++missed_;
    waiting_.push_back({address & ~std::uint64_t{store->line_bytes() - 1}, request});
  }
  return answer;
}

InstructionStore::Answer FetchStage::fetch_at_pick(const FetchRequest& request) {
  const InstructionStore::Answer answer = look_up(request);
  if (answer == InstructionStore::Answer::hit) ++fetched_;
  return answer;
}

UnseenFetches& FetchStage::leads_to(DecodeStage& decode, Cycle latency) {
  return unseen_.emplace(decode.fetched.parameters().width, decode.fetched.parameters().latency + latency,
                         decode.decoded_instructions());
}

inline bool FetchStage::unseen() const {
  return unseen_ && (sm_.watch == nullptr || !sm_.watch->follows_instructions()) && !sm_.services.probes.attached();
}

inline bool FetchStage::can_forward() { return unseen() ? unseen_->room(now()) : fetched.can_send(); }

inline void FetchStage::forward(const FetchRequest& request) {
  ++fetched_;
  Fetched out{request};
  if (unseen()) {
    gate().wake(sm_.issue_stage, unseen_->add(out, now()));
    return;
  }
  if (sm_.watch != nullptr) sm_.watch->fetched(request);
  fetched.send(out);
}

void FetchStage::cycle() {
  // 1. Lines filled before this cycle release their requests, oldest first.
  release_filled();
  std::size_t sent = 0;
  while (sent < arrived_.size() && can_forward()) forward(arrived_[sent++]);
  arrived_.erase(arrived_.begin(), arrived_.begin() + static_cast<std::ptrdiff_t>(sent));
  // 2. New requests.
  if (!stores_.empty()) {
    std::fill(busy_.begin(), busy_.end(), false);
    try_again();
  }
  while (FetchRequest* request = requests.front()) {
    if (!can_forward()) {
      requests.look_again();
      break;
    }
    if (!serve(*request)) {
      if (stores_.empty()) {
        requests.look_again();
        break;
      }
      // The others have stores of their own, which may be free.
      put_off_.push_back(*request);
    }
    requests.pop();
  }
  if (!arrived_.empty() || !put_off_.empty()) wake(now() + 1);
}

void FetchStage::try_again() {
  std::size_t kept = 0;
  for (const FetchRequest& request : put_off_) {
    if (!can_forward() || !serve(request)) put_off_[kept++] = request;
  }
  put_off_.resize(kept);
}

bool FetchStage::serve(const FetchRequest& request) {
  if (!stores_.empty() && busy_[request.store]) return false;
  const InstructionStore::Answer answer = look_up(request);
  if (answer == InstructionStore::Answer::busy) {
    // Later requests of the store stay behind this one.
    busy_[request.store] = true;
    return false;
  }
  if (state_.signals.on()) {
    state_.signals.fire(context_, request.context);
    state_.signals.fire(pc_, request.pc);
    state_.signals.fire(hit_, answer == InstructionStore::Answer::hit);
  }
  if (answer == InstructionStore::Answer::hit) forward(request);
  return true;
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
      if (waiting.line == filled.line && waiting.request.store == filled.store) {
        arrived_.push_back(waiting.request);
      } else {
        waiting_[kept++] = waiting;
      }
    }
    waiting_.resize(kept);
  }
  filled_.resize(kept_lines);
}

void FetchStage::filled(std::uint8_t store, std::uint64_t line, Cycle from) {
  filled_.push_back({store, line, from});
  wake(from);
}

}  // namespace heddle::sm
