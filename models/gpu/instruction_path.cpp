// SPDX-License-Identifier: Apache-2.0
#include "gpu/instruction_path.h"

#include <algorithm>
#include <optional>

namespace heddle::gpu {

InstructionPath::InstructionPath(sc_core::sc_module_name module_name, ClockDomain& domain, unsigned line_bytes, SmId sm)
    : sc_module(module_name),
      port("port", domain, *this),
      cache("cache"),
      store("store"),
      domain_(domain),
      line_bytes_(line_bytes),
      sm_(sm) {
  store.bind(*this);
}

void InstructionPath::declare_state(Services& services, const std::string& path) {
  state_ = std::make_unique<ModuleState>(services, path, domain_.whole().name());
  ProbeGroup& signals = state_->signals;
  // Replies, and acceptances, may come from a cache outside of the SM.
  signals.changes_by_time(signals.add("asked", 8, "fetches that wait for a line", [this] {
    return std::count_if(asked_.begin(), asked_.end(), [this](const Asked& asked) { return asked.comes > now(); });
  }));
  signals.changes_by_time(
      signals.add("outstanding", 8, "lines requested and not yet received", [this] { return outstanding(); }));
  signals.changes_by_time(
      signals.add("request_held", 1, "the cache has not accepted the last request", [this] { return port.held(); }));
}

InstructionPath::Presence* InstructionPath::find(std::uint64_t line) {
  Found& last = found_[line / line_bytes_ % found_.size()];
  if (last.line == line) return last.presence;
  const auto found = present_.find(line);
  if (found == present_.end()) return nullptr;
  last = {line, &found->second};
  return last.presence;
}

InstructionStore::Answer InstructionPath::look_up(std::uint64_t address, InstructionReturn& waiter) {
  const std::uint64_t line = address & ~std::uint64_t{line_bytes_ - 1};
  const Cycle cycle = now();
  if (const Presence* presence = find(line); presence != nullptr && presence->until >= cycle) {
    if (presence->from <= cycle) {
      cache->used(line);
      return Answer::hit;
    }
    if (presence->until > cycle) {
      // It arrives in this cycle, and those who asked for it are notified in this cycle too.
      const bool asked = std::any_of(asked_.begin(), asked_.end(),
                                     [&](const Asked& other) { return other.line == line && other.waiter == &waiter; });
      if (!asked) waiter.line_filled(line, presence->from);
      return Answer::miss;
    }
  }
  // Later requests for an outstanding line wait with the earlier ones, until those proceed.
  asked_.erase(std::remove_if(asked_.begin(), asked_.end(), [&](const Asked& asked) { return asked.comes <= cycle; }),
               asked_.end());
  std::optional<Cycle> requested;  // cycle in which the line comes
  for (const Asked& asked : asked_) {
    if (asked.line != line) continue;
    if (asked.waiter == &waiter) return Answer::miss;
    requested = asked.comes;
  }
  if (requested) {
    asked_.push_back({line, &waiter, *requested});
    if (*requested != kNever) waiter.line_filled(line, *requested);
    return Answer::miss;
  }
  if (!port.free(cycle)) return Answer::busy;
  tlm::tlm_generic_payload& payload = payloads_.take(tlm::TLM_READ_COMMAND, line, line_bytes_);
  RequestInfo& info = *RequestInfo::of(payload);
  info.kind = AccessKind::instruction;
  info.sm = sm_;
  asked_.push_back({line, &waiter});
  ++outstanding_;
  port.send(payload);
  return Answer::miss;
}

void InstructionPath::cache_event(const CacheEvent& event) {
  if (event.what == CacheEvent::What::fill) present_[event.address] = {event.cycle + 1, kNever};
  if (event.what != CacheEvent::What::evict) return;
  if (Presence* const presence = find(event.address)) presence->until = event.cycle;
}

void InstructionPath::reply(const RequestPort&, tlm::tlm_generic_payload& payload, Cycle visible) {
  const std::uint64_t line = payload.get_address();
  payload.release();
  --outstanding_;
  for (Asked& asked : asked_) {
    if (asked.line != line || asked.comes != kNever) continue;
    asked.comes = visible;
    asked.waiter->line_filled(line, visible);
  }
}

}  // namespace heddle::gpu
