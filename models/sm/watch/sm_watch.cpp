// SPDX-License-Identifier: Apache-2.0
#include "sm/watch/sm_watch.h"

namespace heddle::sm {

const std::array<ContextStateText, kContextStates> kContextStateTexts = {{
    {"none", "it had no threads"},
    {"not_chosen", "it could issue, but another was chosen"},
    {"unit_busy", "it could issue, but its unit or collectors were busy"},
    {"held", "it could issue, but a policy held it back"},
    {"packing", "its instruction was being issued packet by packet"},
    {"hazard", "it waited for an arithmetic result"},
    {"pipeline", "it waited for its instruction to leave the pipeline"},
    {"branch", "it waited for its branch to resolve"},
    {"asleep", "it executed nanosleep"},
    {"fetch", "it waited for its instruction"},
    {"memory", "it waited for data from memory"},
    {"rendezvous", "it waited for other threads of its warp"},
    {"parked", "it waited for others of its warp or group to rejoin"},
    {"barrier", "it waited at a block barrier"},
    {"partner_wait", "it waited for its partners before it accessed memory"},
}};

const std::vector<std::string>& context_state_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const ContextStateText& text : kContextStateTexts) all.emplace_back(text.name);
    return all;
  }();
  return names;
}

ContextsByState context_states(const ContextTable& contexts, const ContextSet& busy) {
  // In order of precedence; contexts left at the end could issue.
  ContextsByState in;
  ContextSet rest = contexts.valid;
  const auto take = [&](ContextState state, const ContextSet& set) {
    const ContextSet found = rest & set;
    in[static_cast<std::size_t>(state)] |= found;
    rest -= found;
  };
  take(ContextState::barrier, contexts.barrier);
  take(ContextState::rendezvous, contexts.rendezvous);
  take(ContextState::partner_wait, contexts.locked);
  take(ContextState::parked, contexts.parked);
  take(ContextState::packing, contexts.in_sequence);
  take(ContextState::asleep, contexts.asleep);
  take(ContextState::branch, contexts.branch);
  take(ContextState::memory, contexts.away);
  take(ContextState::pipeline, contexts.pipeline);
  take(ContextState::fetch, rest - contexts.buffered);
  take(ContextState::memory, contexts.long_latency);
  take(ContextState::hazard, contexts.hazard);
  take(ContextState::held, contexts.held);
  take(ContextState::unit_busy, busy);
  take(ContextState::not_chosen, rest);
  return in;
}

void SmWatch::block_begins(BlockSlot slot, const isa::LaunchState& launch, std::uint64_t block) {
  for (SmListener* listener : listeners_) listener->block_begins(slot, launch, block, gate_.now());
}

void SmWatch::block_ends(BlockSlot slot) {
  for (SmListener* listener : listeners_) listener->block_ends(slot, gate_.now());
}

void SmWatch::tell(void (SmListener::*event)(const FetchRequest&, Cycle), const FetchRequest& request) {
  request.for_each_receiver([&](unsigned, ContextId context) {
    FetchRequest own = request;
    own.context = context;
    for (SmListener* listener : listeners_) (listener->*event)(own, gate_.now());
  });
}

void SmWatch::requested(const FetchRequest& request) { tell(&SmListener::requested, request); }
void SmWatch::fetched(const FetchRequest& request) { tell(&SmListener::fetched, request); }
void SmWatch::decoded(const FetchRequest& request) { tell(&SmListener::decoded, request); }

void SmWatch::issued(Packet& packet, const Context& context, unsigned offered_lanes) {
  packet.trace_id = ++packets_;
  Record& record = records_[packet.context];
  // Later packets of an instruction issue while the context remains in state `packing`.
  if (packet.first) {
    close(record, gate_.now() - 1);
    issued_.set(packet.context);
  }
  const ContextSituation situation{packet.context, packet.block_slot, ContextState::none, packet.op->pc,
                                   context.kernel};
  for (SmListener* listener : listeners_) listener->issued(packet, situation, offered_lanes, gate_.now());
}

void SmWatch::entered(const Packet& packet, PipelineStage stage) {
  for (SmListener* listener : listeners_) listener->entered(packet.trace_id, stage, gate_.now());
}

void SmWatch::sent(const Packet& packet, std::uint64_t address, unsigned bytes, bool first) {
  for (SmListener* listener : listeners_) listener->sent(packet, address, bytes, first, gate_.now());
}

void SmWatch::ended(const Packet& packet) {
  for (SmListener* listener : listeners_) listener->ended(packet.trace_id, gate_.now());
}

void SmWatch::regrouped(const GroupParts& regrouping) {
  for (SmListener* listener : listeners_) listener->regrouped(regrouping, gate_.now());
}

void SmWatch::close(Record& record, Cycle last) {
  if (record.situation.state != ContextState::none && record.since <= last) {
    for (SmListener* listener : listeners_) listener->waited(record.situation, record.since, last);
  }
  record.since = last + 1;
}

void SmWatch::end_cycle(const ContextTable& contexts, const ContextSet& busy) {
  const ContextsByState in = context_states(contexts, busy);
  ContextSet changed = touched_ | issued_;
  for (std::size_t s = 0; s < kContextStates; ++s) changed |= (in[s] | in_[s]) - (in[s] & in_[s]);
  const Cycle now = gate_.now();
  changed.for_each([&](std::size_t c) {
    Record& record = records_[c];
    ContextState state = ContextState::none;
    for (std::size_t s = 0; s < kContextStates; ++s) {
      if (in[s].test(c)) state = static_cast<ContextState>(s);
    }
    const bool issued = issued_.test(c);
    const Context& context = contexts[c];
    ContextSituation& situation = record.situation;
    if (!issued && situation.state == state && (situation.pc == context.pc || state == ContextState::none)) return;
    if (issued) {
      record.since = now + 1;
    } else {
      close(record, now - 1);
    }
    situation = {ContextId(c), context.block, state, context.pc,
                 state == ContextState::none ? nullptr : context.kernel};
    for (SmListener* listener : listeners_) listener->state_begins(situation, record.since, now);
  });
  in_ = in;
  touched_.clear();
  issued_.clear();
}

void SmWatch::settle() {
  for (Record& record : records_) close(record, gate_.now());
}

}  // namespace heddle::sm
