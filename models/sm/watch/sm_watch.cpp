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
  // Never destroyed: recorders write their last lines when the process exits.
  static const std::vector<std::string>& names = *[] {
    auto* const all = new std::vector<std::string>;
    for (const ContextStateText& text : kContextStateTexts) all->emplace_back(text.name);
    return all;
  }();
  return names;
}

namespace {

/// Contexts of a word, sorted by state.
struct Sorted {
  std::uint64_t rest;
  StatePlanes planes{};

  /// Those in `set` that are left.
  template <ContextState kState>
  void take(std::uint64_t set) {
    constexpr auto kNumber = static_cast<unsigned>(kState);
    const std::uint64_t taken = rest & set;
    for (unsigned k = 0; k < kStatePlanes; ++k) {
      if ((kNumber >> k & 1) != 0) planes[k] |= taken;
    }
    rest ^= taken;
  }
};

}  // namespace

StatePlanes context_states(const ContextTable& contexts, const ContextSet& busy, std::size_t w) {
  Sorted sorted{contexts.valid.word(w)};
  // In order of precedence; contexts left at the end could issue.
  sorted.take<ContextState::barrier>(contexts.barrier.word(w));
  sorted.take<ContextState::rendezvous>(contexts.rendezvous.word(w));
  sorted.take<ContextState::partner_wait>(contexts.locked.word(w));
  sorted.take<ContextState::parked>(contexts.parked.word(w));
  sorted.take<ContextState::packing>(contexts.in_sequence.word(w));
  sorted.take<ContextState::asleep>(contexts.asleep.word(w));
  sorted.take<ContextState::branch>(contexts.branch.word(w));
  sorted.take<ContextState::memory>(contexts.away.word(w));
  sorted.take<ContextState::pipeline>(contexts.pipeline.word(w));
  sorted.take<ContextState::fetch>(~contexts.buffered.word(w));
  sorted.take<ContextState::memory>(contexts.long_latency.word(w));
  sorted.take<ContextState::hazard>(contexts.hazard.word(w));
  sorted.take<ContextState::held>(contexts.held.word(w));
  sorted.take<ContextState::unit_busy>(busy.word(w));
  sorted.take<ContextState::not_chosen>(sorted.rest);
  return sorted.planes;
}

void SmWatch::block_begins(BlockSlot slot, const isa::LaunchState& launch, std::uint64_t block) {
  for (SmListener* listener : listeners_) listener->block_begins(slot, launch, block, gate_.now());
}

void SmWatch::block_ends(BlockSlot slot) {
  for (SmListener* listener : listeners_) listener->block_ends(slot, gate_.now());
}

void SmWatch::tell(void (SmListener::*event)(const FetchRequest&, Cycle), const FetchRequest& request) {
  if (followers_.empty()) return;
  request.for_each_receiver([&](unsigned, ContextId context) {
    FetchRequest own = request;
    own.context = context;
    for (SmListener* listener : followers_) (listener->*event)(own, gate_.now());
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
  for (const Packet& shown : packet.shown())
    for (SmListener* listener : followers_) listener->entered(shown.trace_id, stage, gate_.now());
}

void SmWatch::sent(const Packet& packet, std::uint64_t address, unsigned bytes, bool first) {
  for (const Packet& shown : packet.shown())
    for (SmListener* listener : listeners_)
      listener->sent(shown, address, bytes, first && &shown == packet.shown_as, gate_.now());
}

void SmWatch::ended(const Packet& packet) {
  for (const Packet& shown : packet.shown())
    for (SmListener* listener : listeners_) listener->ended(shown.trace_id, gate_.now());
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

inline void SmWatch::update(ContextId c, const Context& context, Cycle now) {
  Record& record = records_[c];
  ContextSituation& situation = record.situation;
  const ContextState state = state_of(in_[c / 64], c % 64);
  const bool issued = issued_.test(c);
  if (!issued && situation.state == state && (situation.pc == context.pc || state == ContextState::none)) return;
  if (issued) {
    record.since = now + 1;
  } else {
    close(record, now - 1);
  }
  situation = {c, context.block, state, context.pc, state == ContextState::none ? nullptr : context.kernel};
  for (SmListener* listener : listeners_) listener->state_begins(situation, record.since, now);
}

void SmWatch::end_cycle(const ContextTable& contexts, const ContextSet& busy) {
  const Cycle now = gate_.now();
  for (std::size_t w = 0, words = ContextSet::words(); w < words; ++w) {
    const StatePlanes now_in = context_states(contexts, busy, w);
    std::uint64_t changed = touched_.word(w) | issued_.word(w);
    for (unsigned k = 0; k < kStatePlanes; ++k) changed |= now_in[k] ^ in_[w][k];
    in_[w] = now_in;
    for_each_in(w, changed, [&](ContextId c, std::uint64_t) { update(c, contexts[c], now); });
  }
  touched_.clear();
  issued_.clear();
}

void SmWatch::cut_waits() {
  for (std::size_t w = 0, words = ContextSet::words(); w < words; ++w) {
    std::uint64_t present = 0;
    for (const std::uint64_t plane : in_[w]) present |= plane;
    for_each_in(w, present, [this](ContextId c, std::uint64_t) { close(records_[c], gate_.now()); });
  }
}

}  // namespace heddle::sm
