// SPDX-License-Identifier: Apache-2.0
// What the issue stage shows of itself: signals and storage.
#include <fmt/format.h>

#include "sm/issue_stage.h"
#include "sm/opcode_texts.h"

namespace heddle::sm {

void IssueStage::declare_state() {
  const unsigned contexts = grouping_->context_count();
  ProbeGroup& signals = state_.signals;

  // -- sets of contexts
  state_.show_set("valid", contexts, "contexts that have threads", contexts_.valid);
  state_.show_set("buffered", contexts, "contexts whose next instruction is decoded", contexts_.buffered);
  state_.show_set("ready", contexts, "contexts that could issue", contexts_.ready);
  state_.show_set("hazard", contexts, "contexts that wait for a result of arithmetic", contexts_.hazard);
  state_.show_set("long_latency", contexts, "contexts that wait for memory", contexts_.long_latency);
  state_.show_set("barrier", contexts, "contexts that wait at a block barrier", contexts_.barrier);
  state_.show_set("branch", contexts, "contexts whose branch has not resolved", contexts_.branch);
  state_.show_set("asleep", contexts, "contexts that sleep", contexts_.asleep);
  state_.show_set("rendezvous", contexts, "contexts that wait for threads of their warp", contexts_.rendezvous);
  state_.show_set("parked", contexts, "contexts that wait for others to re-form", contexts_.parked);
  state_.show_set("pipeline", contexts, "contexts whose instruction is in the pipeline", contexts_.pipeline);

  // -- what each slot does
  for (unsigned s = 0; s < slots_.size(); ++s) {
    const auto named = [s](const char* what) { return fmt::format("slot{}_{}", s, what); };
    signals.add(
        named("cause"), index_bits(slots_account_.names().size()), "what the slot is charged to",
        [this, s] { return static_cast<std::uint32_t>(shown_cause(slots_[s])); }, &slots_account_.names());
    slot_signals_.push_back({signals.pulse(named("context"), index_bits(contexts), "context that issues"),
                             signals.pulse(named("pc"), 32, "program counter of the packet that issues"),
                             signals.pulse(named("opcode"), 8, "operation of the packet that issues", &opcode_texts()),
                             signals.pulse(named("threads"), 10, "threads that execute, the guard applied"),
                             signals.pulse(named("lanes"), parameters_.simd_width, "lanes that the packet takes")});
    signals.show(slot_signals_.back().context, Radix::kDecimal);
    signals.show(slot_signals_.back().threads, Radix::kDecimal);
  }

  // -- arrivals and residency
  signals.add("resident_blocks", 8, "blocks on the SM", [this] { return blocks_.residency().blocks(); });
  signals.add("resident_threads", 12, "threads the blocks on the SM have taken",
              [this] { return blocks_.residency().threads(); });
  signals.add("launches_waiting", 8, "blocks on their way from the dispatcher",
              [this] { return launches.occupancy(); });
  signals.add("decoded_waiting", 8, "decoded fetches on their way", [this] { return decoded.occupancy(); });
  signals.add("completions_waiting", 8, "completions on their way", [this] { return completions.occupancy(); });
  signals.add("delays_waiting", 8, "reports of late operands on their way", [this] { return delays.occupancy(); });

  for (unsigned c = 0; c < contexts; ++c) {
    warp_state_.signals.add(
        fmt::format("warp{}", c), index_bits(kContextStates), "what the context does, unless it issues",
        [this, c] { return shown_state(c); }, &context_state_names());
  }

  declare_storage(contexts);
  grouping_state_.charge_to(grouping_->name());
  grouping_->declare_state(grouping_state_);
  // A grouping that packs by who is in flight has its tracker for that.
  hazard_state_.charge_to(grouping_->needs_busy_threads() ? grouping_->name() : parameters_.hazards.name());
  hazards_->declare_state(hazard_state_);
  hazards_->declare_statistics(hazard_group_);
  for (unsigned s = 0; s < slots_.size(); ++s) {
    policy_states_.push_back(
        std::make_unique<ModuleState>(sm_.services, sm_.path(fmt::format("order{}", s)), sm_.domain()));
    policy_groups_.push_back(std::make_unique<StatisticsGroup>(sm_.statistics, fmt::format("order{}", s)));
    policy_states_.back()->charge_to((slots_[s].fills ? parameters_.fill_order : parameters_.order).name());
    slots_[s].order->declare_statistics(*policy_groups_.back());
    slots_[s].order->declare_state(*policy_states_.back(), {.contexts = contexts, .members = slots_[s].members});
  }
  for (unsigned v = 0; v < vetoes_.size(); ++v) {
    policy_states_.push_back(
        std::make_unique<ModuleState>(sm_.services, sm_.path(fmt::format("veto{}", v)), sm_.domain()));
    policy_states_.back()->charge_to(parameters_.vetoes.names()[v]);
    vetoes_[v]->declare_state(*policy_states_.back(), {.contexts = contexts, .members = {}});
  }
}

void IssueStage::declare_storage(unsigned contexts) {
  Structure& table = state_.traced_structure(
      "contexts", "what the contexts run next", contexts,
      {{"pc", 32, 1, 1}, {"block", index_bits(parameters_.residency.blocks), 1, 1}, {"active_threads", 10}});
  table.occupied([this](std::size_t c) { return contexts_.valid.test(c); });
  table.read([this](std::size_t c, std::size_t field) -> std::uint64_t {
    return field == 0 ? contexts_[c].pc : field == 1 ? contexts_[c].block : contexts_[c].lane_count;
  });

  Structure& buffers =
      state_.traced_structure("buffers", "instruction buffer of each context", contexts,
                              {{"pc", 32, 1, 1},
                               {"decoded", index_bits(buffers_.depth() + 1), 1, 1},
                               {"requested", index_bits(buffers_.depth() + 1), 1, 1},
                               {"instructions", buffers_.depth() * parameters_.fetch.instruction_bytes * 8, 1, 1}});
  buffers.occupied([this](std::size_t c) { return contexts_.valid.test(c); });
  buffers.read([this](std::size_t c, std::size_t field) -> std::uint64_t {
    const InstructionBuffers::Buffer& buffer = buffers_[static_cast<ContextId>(c)];
    return field == 0 ? buffer.pc : field == 1 ? buffer.count : field == 2 ? buffer.requested : 0;
  });

  const unsigned counted = index_bits(parameters_.residency.threads + 1);
  Structure& barriers = state_.structure("barriers", "threads that arrived at the barriers of each resident block",
                                         std::size_t{parameters_.residency.blocks} * BarrierTable::kBarriers,
                                         {{"arrived", counted, 1, 1}, {"expected", counted, 1, 1}});
  const auto barrier = [this](std::size_t entry) {
    return barriers_.find(static_cast<std::uint16_t>(entry / BarrierTable::kBarriers), entry % BarrierTable::kBarriers);
  };
  barriers.occupied([barrier](std::size_t entry) { return barrier(entry) != nullptr && barrier(entry)->arrived != 0; });
  barriers.read([barrier](std::size_t entry, std::size_t field) -> std::uint64_t {
    const BarrierTable::Barrier* found = barrier(entry);
    return found == nullptr ? 0 : field == 0 ? found->arrived : found->expected;
  });

  Structure& meetings =
      state_.structure("meetings", "threads of ISA warps that meet for a collective operation",
                       parameters_.residency.threads / isa::kWordThreads, {{"named", 32, 1, 1}, {"arrived", 32, 1, 1}});
  meetings.occupied([this](std::size_t i) { return i < rendezvous_.open().size(); });
  meetings.read([this](std::size_t i, std::size_t field) -> std::uint64_t {
    if (i >= rendezvous_.open().size()) return 0;
    return field == 0 ? rendezvous_.open()[i].named : rendezvous_.open()[i].arrived;
  });
}

void IssueStage::show_packet(unsigned slot, const Packet& packet) {
  const SlotSignals& signals = slot_signals_[slot];
  state_.signals.fire(signals.context, packet.context);
  state_.signals.fire(signals.pc, packet.op->pc);
  state_.signals.fire(signals.opcode, static_cast<std::uint64_t>(packet.op->opcode));
  state_.signals.fire(signals.threads, packet.active);
  state_.signals.fire(signals.lanes, packet.lanes.word(0));
}

std::uint8_t IssueStage::shown_state(unsigned context) {
  if (states_shown_at_ != now()) {
    states_shown_at_ = now();
    shown_states_.fill(0);
    const ContextsByState states = context_states(contexts_, away_, waiting_for_units());
    for (std::size_t s = 0; s < states.size(); ++s)
      states[s].for_each([this, s](std::size_t c) { shown_states_[c] = static_cast<std::uint8_t>(s); });
  }
  return shown_states_[context];
}

CauseId IssueStage::shown_cause(const Slot& slot) const {
  // Of a cycle that the clock gate skipped, what the stage then waited for.
  return worked_ == now() ? slot.cause : blame(slot);
}

}  // namespace heddle::sm
