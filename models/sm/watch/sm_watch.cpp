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

StatePlanes context_states(const ContextTable& contexts, const ContextSet& busy, std::size_t w) {
  StatePlanes planes{};
  std::uint64_t rest = contexts.valid.word(w);
  const auto take = [&](ContextState state, std::uint64_t set) {
    for (unsigned k = 0; k < kStatePlanes; ++k) {
      if ((static_cast<unsigned>(state) >> k & 1) != 0) planes[k] |= rest & set;
    }
    rest &= ~set;
  };
  // In order of precedence; contexts left at the end could issue.
  take(ContextState::barrier, contexts.barrier.word(w));
  take(ContextState::rendezvous, contexts.rendezvous.word(w));
  take(ContextState::partner_wait, contexts.locked.word(w));
  take(ContextState::parked, contexts.parked.word(w));
  take(ContextState::packing, contexts.in_sequence.word(w));
  take(ContextState::asleep, contexts.asleep.word(w));
  take(ContextState::branch, contexts.branch.word(w));
  take(ContextState::memory, contexts.away.word(w));
  take(ContextState::pipeline, contexts.pipeline.word(w));
  take(ContextState::fetch, ~contexts.buffered.word(w));
  take(ContextState::memory, contexts.long_latency.word(w));
  take(ContextState::hazard, contexts.hazard.word(w));
  take(ContextState::held, contexts.held.word(w));
  take(ContextState::unit_busy, busy.word(w));
  take(ContextState::not_chosen, rest);
  return planes;
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
  ContextSet changed = touched_ | issued_;
  for (std::size_t w = 0, words = ContextSet::words(); w < words; ++w) {
    const StatePlanes now_in = context_states(contexts, busy, w);
    std::uint64_t differ = changed.word(w);
    for (unsigned k = 0; k < kStatePlanes; ++k) differ |= now_in[k] ^ in_[w][k];
    changed.set_word(w, differ);
    in_[w] = now_in;
  }
  const Cycle now = gate_.now();
  changed.for_each([&](std::size_t c) {
    Record& record = records_[c];
    const ContextState state = state_of(in_[c / 64], c % 64);
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
  touched_.clear();
  issued_.clear();
}

void SmWatch::cut_waits() {
  for (Record& record : records_) close(record, gate_.now());
}

}  // namespace heddle::sm
