// SPDX-License-Identifier: Apache-2.0
#include "sm/issue/issue_display.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "sm/watch/opcode_texts.h"

namespace heddle::sm {

PacketSignals::PacketSignals(ModuleState& state, const SmContext& sm, IssueAccount& account, unsigned contexts)
    : signals_(state.signals) {
  for (IssueSlot s(0); s < sm.parameters.schedulers; ++s) {
    const auto named = [s](const char* what) { return fmt::format("slot{}_{}", s, what); };
    signals_.changes_by_time(signals_.add(
        named("cause"), index_bits(account.account().names().size()), "cause charged to the slot",
        [&account, &sm, s] { return static_cast<std::uint32_t>(account.shown(s, sm.gate.now())); },
        &account.account().names()));
    slots_.push_back({signals_.pulse(named("context"), index_bits(contexts), "issuing context"),
                      signals_.pulse(named("pc"), 32, "program counter of the issuing packet"),
                      signals_.pulse(named("opcode"), 8, "opcode of the issuing packet", &opcode_texts()),
                      signals_.pulse(named("threads"), 10, "executing threads, guard applied"),
                      signals_.pulse(named("lanes"), sm.parameters.simd_width, "lanes the packet occupies")});
    signals_.show(slots_.back().lanes, Radix::hexadecimal);
  }
}

void PacketSignals::show(IssueSlot slot, const Packet& packet) {
  const Slot& signals = slots_[slot];
  signals_.fire(signals.context, packet.context);
  signals_.fire(signals.pc, packet.op->pc);
  signals_.fire(signals.opcode, static_cast<std::uint64_t>(packet.op->opcode));
  signals_.fire(signals.threads, packet.active);
  signals_.fire(signals.lanes, packet.lanes.word(0));
}

ContextSignals::ContextSignals(SmContext& sm, IssueUnits& units, unsigned contexts)
    : sm_(sm), units_(units), contexts_(contexts), state_(sm.services, sm.path("warps"), sm.domain()) {
  std::vector<std::string> names;
  for (ContextId c(0); c < contexts; ++c) names.push_back(fmt::format("warp{}", c));
  // While the SM sleeps, only the units for which contexts are ready change.
  state_.signals.changes_by_time(state_.signals.add_planes(
                                     names, kStatePlanes, "state of the context when it does not issue",
                                     [this](std::uint64_t* planes) { read(planes); }, &context_state_names()),
                                 [this] { return sm_.contexts.ready.any(); });
}

void ContextSignals::read(std::uint64_t* planes) {
  const std::size_t words = (contexts_ + 63) / 64;
  const ContextTable& contexts = sm_.contexts;
  ContextSet busy;
  if (contexts.ready.any()) busy = units_.blocked(contexts.ready, sm_.gate.now());
  for (std::size_t w = 0; w < words; ++w) {
    const StatePlanes of_word = context_states(contexts, busy, w);
    for (unsigned k = 0; k < kStatePlanes; ++k) planes[k * words + w] = of_word[k];
  }
}

void declare_context_sets(ModuleState& state, const ContextTable& contexts, unsigned count) {
  state.show_set("valid", count, "contexts that have threads", contexts.valid);
  state.show_set("buffered", count, "contexts whose next instruction is decoded", contexts.buffered);
  state.show_set("ready", count, "contexts that could issue", contexts.ready);
  state.show_set("hazard", count, "contexts that wait for an arithmetic result", contexts.hazard);
  state.show_set("long_latency", count, "contexts that wait for memory", contexts.long_latency);
  state.show_set("barrier", count, "contexts that wait at a block barrier", contexts.barrier);
  state.show_set("branch", count, "contexts whose branch has not resolved", contexts.branch);
  state.show_set("asleep", count, "contexts in nanosleep", contexts.asleep);
  state.show_set("rendezvous", count, "contexts that wait for threads of their warp", contexts.rendezvous);
  state.show_set("parked", count, "contexts that wait for others to re-form", contexts.parked);
  state.show_set("pipeline", count, "contexts held by an instruction in the pipeline", contexts.pipeline);
}

void declare_issue_storage(ModuleState& state, const SmContext& sm, unsigned contexts,
                           const InstructionBuffers& buffers, const BarrierTable& barriers,
                           const Rendezvous& meetings) {
  const SmParameters& p = sm.parameters;
  const ContextTable& of = sm.contexts;
  Structure& table = state.traced_structure(
      "contexts", "next PC and active threads of each context", contexts,
      {{"pc", 32, 1, 1}, {"block", index_bits(p.residency.blocks), 1, 1}, {"active_threads", 10}});
  table.occupied([&of](std::size_t c) { return of.valid.test(c); });
  table.read([&of](std::size_t c, std::size_t field) -> std::uint64_t {
    return field == 0 ? of[c].pc : field == 1 ? of[c].block : of[c].lane_count;
  });
  const auto touched = [&of](std::size_t w) { return of.touched.word(w) | of.changed.word(w); };
  table.touched(touched);

  Structure& buffered =
      state.traced_structure("buffers", "instruction buffer of each context", contexts,
                             {{"pc", 32, 1, 1},
                              {"decoded", index_bits(buffers.depth() + 1), 1, 1},
                              {"requested", index_bits(buffers.depth() + 1), 1, 1},
                              {"instructions", buffers.depth() * p.fetch.instruction_bytes * 8, 1, 1}});
  buffered.occupied([&of](std::size_t c) { return of.valid.test(c); });
  buffered.read([&buffers](std::size_t c, std::size_t field) -> std::uint64_t {
    const InstructionBuffers::Range& buffer = buffers[ContextId(c)];
    return field == 0 ? buffer.pc : field == 1 ? buffer.count : field == 2 ? buffer.requested : 0;
  });
  buffered.touched(touched);

  const unsigned counted = index_bits(p.residency.threads + 1);
  Structure& waiting = state.structure("barriers", "threads that have arrived at each barrier of the resident blocks",
                                       std::size_t{p.residency.blocks} * BarrierTable::kBarriers,
                                       {{"arrived", counted, 1, 1}, {"expected", counted, 1, 1}});
  const auto barrier = [&barriers](std::size_t entry) {
    return barriers.find(entry / BarrierTable::kBarriers, entry % BarrierTable::kBarriers);
  };
  waiting.occupied([barrier](std::size_t entry) { return barrier(entry) != nullptr && barrier(entry)->arrived != 0; });
  waiting.read([barrier](std::size_t entry, std::size_t field) -> std::uint64_t {
    const BarrierTable::Barrier* found = barrier(entry);
    return found == nullptr ? 0 : field == 0 ? found->arrived : found->expected;
  });

  Structure& meeting =
      state.structure("meetings", "open collective operations of ISA warps", p.residency.threads / isa::kWordThreads,
                      {{"named", 32, 1, 1}, {"arrived", 32, 1, 1}});
  meeting.occupied([&meetings](std::size_t i) { return i < meetings.open().size(); });
  meeting.read([&meetings](std::size_t i, std::size_t field) -> std::uint64_t {
    if (i >= meetings.open().size()) return 0;
    return field == 0 ? meetings.open()[i].named : meetings.open()[i].arrived;
  });
}

}  // namespace heddle::sm
