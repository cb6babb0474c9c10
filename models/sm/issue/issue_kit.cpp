// SPDX-License-Identifier: Apache-2.0
#include "sm/issue/issue_kit.h"

#include <bit>

#include "core/error.h"
#include "isa/branches.h"
#include "isa/collective.h"
#include "sm/issue/issue_display.h"

namespace heddle::sm {

namespace {

Cycle latency_of(const SmParameters& parameters, const isa::MicroOp& op) {
  return parameters.latency[static_cast<std::size_t>(op.timing_class)].latency;
}

}  // namespace

IssueKit::IssueKit(SmContext& sm, const Parts& parts, const StatisticsGroup& group)
    : sm_(sm),
      parts_(parts),
      own_lanes_(sm.parameters.warp_size < isa::kWordThreads ? (1u << sm.parameters.warp_size) - 1 : 0xffffffff),
      counters_(group) {
  if (sm.parameters.single_pipeline)
    waves_ = parts_.account.cause("waves", "further waves of an instruction passed, and nothing else could issue");
}

void IssueKit::begin() {
  // The slot is charged for each wave.
  worked_ = parts_.units.passing(now() + 1);
  parts_.states.choosing();
  parts_.policies.update(sm_.contexts, now());
}

ContextSet IssueKit::candidates(const ContextSet& members) {
  ContextSet set = ready(members);
  if (set.any()) parts_.units.remove_blocked(set, now());
  return set;
}

void IssueKit::fail_choice(IssueSlot slot, ContextId chosen) const {
  fail(ExitCode::internal, "{}: the order policy of slot {} ({}) chose context {}, which is not among its candidates",
       sm_.path("issue"), slot, sm_.parameters.order.name(), chosen);
}

PacketPlan IssueKit::plan(IssueSlot slot, ContextId c, const isa::MicroOp& op, const ThreadSet& threads) const {
  // In one piece: members are not cleared before they are set.
  return {.context = c, .slot = slot, .op = &op, .threads = threads, .lanes = parts_.grouping.lanes(c, op, threads)};
}

bool IssueKit::arrives(IssueSlot slot, ContextId c, const ThreadSet& guarded) {
  const isa::MicroOp& op = *sm_.contexts[c].next;
  if (!isa::may_meet(op) || parts_.meetings.meet(c, op, guarded)) return true;
  charge(slot, parts_.account.arrival());
  return false;
}

void IssueKit::begin_instruction(ContextId c, bool more, std::uint32_t threads) {
  counters_.instruction(sm_.contexts[c].next->opcode, 1, threads);
  parts_.supply.issued(c);
  counters_.longest_ready_wait.record(now() - parts_.states.ready_since(c));
  if (sm_.progress.on()) parts_.notes.issued(c);
  parts_.policies.issued(sm_.contexts, c, now());
  if (!more) return;
  sm_.contexts.in_sequence.set(c);
  parts_.states.update_ready(c);
}

bool IssueKit::issue_whole(const PacketPlan& plan) {
  if (!arrives(plan.slot, plan.context, plan.threads)) return true;
  begin_instruction(plan.context, false);
  carry_out(plan);
  return true;
}

[[gnu::always_inline]] inline Packet& IssueKit::make(const PacketPlan& plan) {
  const Context& context = sm_.contexts[plan.context];
  Packet& packet = sm_.packets.take();
  packet.op = plan.op;
  packet.kind = plan.kind;
  packet.company = plan.company;
  packet.context = plan.context;
  packet.warp = context.warp;
  packet.block_slot = context.block;
  packet.slot = plan.slot;
  packet.first = plan.first;
  packet.last = plan.last;
  packet.lanes = plan.lanes.lanes;
  packet.threads = plan.threads;
  packet.issued = now();
  packet.gathered = 0;
  packet.address_delay = 0;
  packet.operand_delay = 0;
  packet.operands_pending = packet.release_waits = packet.leave_waits = packet.told_waiting = false;
  packet.missed = packet.away = packet.latched = packet.awaited = false;
  packet.holders = 1;
  packet.outstanding = 0;
  if (plan.first) next_issue_id_ += static_cast<unsigned>(std::popcount(plan.company));
  packet.issue_id = next_issue_id_;
  packet.access_group = plan.access_group != 0 ? plan.access_group : next_issue_id_;
  packet.access_packets = plan.access_packets;
  packet.word_count = context.word_count;
  packet.active = 0;
  for (unsigned w = 0; w < context.word_count; ++w) {
    const std::uint32_t mask = context.word_mask(plan.threads, w);
    packet.words[w] = {context.words + w, mask, own_lanes_ << context.shift};
    packet.active += static_cast<std::uint32_t>(std::popcount(mask));
  }
  return packet;
}

[[gnu::always_inline]] inline Packet& IssueKit::begin_each(const PacketPlan& plan) {
  Packet& packet = make(plan);
  ++counters_.packets;
  const unsigned lanes = plan.lanes.waves * std::min(sm_.parameters.warp_size, sm_.parameters.simd_width);
  const unsigned offered = plan.shares_lanes ? 0 : lanes;
  counters_.offered_lanes += offered;
  if (plan.kind == PacketKind::normal) {
    counters_.active_lanes += packet.active;
    counters_.filled_lanes += std::min(packet.active, lanes);
  }
  parts_.account.issued_threads(plan.slot, packet.active);
  const isa::Unit unit = parts_.units.unit_of(*plan.op);
  if (plan.kind == PacketKind::normal) {
    parts_.effects.execute(packet);
  } else if (plan.kind == PacketKind::replay && unit == isa::Unit::memory) {
    parts_.effects.replay(packet, *plan.replayed);
  }
  packet.waves = 1;
  if (unit != isa::Unit::control) {
    const unsigned unit_lanes = std::max(1u, std::min(parts_.units.lanes(unit), sm_.parameters.simd_width));
    packet.waves = static_cast<std::uint16_t>(plan.lanes.waves * std::max(1u, sm_.parameters.simd_width / unit_lanes));
  }
  packet.shown_as = plan.company == 1 ? &packet : parts_.grouping.shown_as(packet);
  for (Packet& shown : packet.shown()) {
    if (signals_ != nullptr && signals_->on()) signals_->show(shown.slot, shown);
    if (sm_.watch != nullptr) sm_.watch->issued(shown, sm_.contexts[shown.context], offered);
    if (sm_.events.issued.any()) sm_.events.issued.tell(shown);
  }
  parts_.blocks.packet_issued(packet);
  return packet;
}

Packet& IssueKit::issue(const PacketPlan& plan) { return carry_out(plan); }

[[gnu::always_inline]] inline Packet& IssueKit::carry_out(const PacketPlan& plan) {
  Packet& packet = begin_each(plan);
  start(packet, plan, parts_.units.unit_of(*plan.op));
  parts_.timing.hold_context(packet, plan);
  if (plan.kind == PacketKind::normal) {
    go_on(packet, plan, plan.context);
    parts_.states.update_ready(plan.context);
  } else {
    // The context stays at its instruction, which may now wait for the packet's register.
    parts_.states.check_hazard(plan.context);
  }
  return packet;
}

Packet& IssueKit::latch(const PacketPlan& plan) {
  Packet& packet = begin_each(plan);
  parts_.timing.latched(packet, parts_.units.unit_of(*plan.op) == isa::Unit::memory);
  go_on(packet, plan, plan.context);
  parts_.states.update_ready(plan.context);
  return packet;
}

void IssueKit::send(Packet& packet, const PacketPlan& plan) {
  packet.issued = now();
  start(packet, plan, parts_.units.unit_of(*plan.op));
}

[[gnu::always_inline]] inline void IssueKit::start(Packet& packet, const PacketPlan& plan, isa::Unit unit) {
  const isa::MicroOp& op = *plan.op;
  parts_.units.pass(now(), plan.lanes.waves);
  const auto ends_here = [&](Cycle latency) {
    if (sm_.watch != nullptr) sm_.watch->entered(packet, PipelineStage::control);
    parts_.timing.issued(packet, latency);
  };
  if (unit == isa::Unit::control || plan.skips_execute) {
    ends_here(plan.latency != 0 ? plan.latency : unit == isa::Unit::control ? control_latency(plan) : 1);
    return;
  }
  const bool variable = unit == isa::Unit::memory;
  const unsigned of_class = variable ? 1 : sm_.parameters.latency[static_cast<std::size_t>(op.timing_class)].interval;
  packet.interval = plan.interval != 0 ? plan.interval : of_class;
  const Cycle interval = packet.interval;
  parts_.units.take(unit, plan.instance, plan.lanes.lanes, now(), packet.waves * interval);
  // A dependent packet streams its waves too, so add only the delay by which a narrower or slower unit falls behind.
  const Cycle behind = (packet.waves - 1u) * interval;
  const Cycle streamed = plan.lanes.waves - 1u;
  const Cycle latency =
      (plan.latency != 0 ? plan.latency : latency_of(sm_.parameters, op)) + (behind > streamed ? behind - streamed : 0);
  if (plan.kind == PacketKind::ghost) {
    // A ghost occupies the lanes of its unit but goes no further.
    ends_here(latency);
    return;
  }
  if (!variable) packet.holders = 2;
  parts_.timing.issued(packet, variable ? 0 : latency);
  if (sm_.watch != nullptr) sm_.watch->entered(packet, PipelineStage::operands);
  PacketHandle travelling = &packet;
  parts_.units.link(unit).send(travelling);
}

Cycle IssueKit::control_latency(const PacketPlan& plan) const {
  const isa::MicroOp& op = *plan.op;
  Cycle latency = latency_of(sm_.parameters, op);
  if (op.opcode == isa::Opcode::nanosleep) latency = std::max(latency, parts_.branches.sleep_of(plan.context, op));
  // In a barrel pipeline a branch completes when its target is known.
  if (isa::is_branch(op) && sm_.parameters.shape == PipelineShape::barrel)
    latency = std::max(latency, parts_.branches.wait());
  return latency;
}

[[gnu::always_inline]] inline void IssueKit::go_on(Packet& packet, const PacketPlan& plan, ContextId c) {
  const isa::MicroOp& op = *plan.op;
  switch (op.opcode) {
    case isa::Opcode::bra:
    case isa::Opcode::brx:
      parts_.branches.issued(c, packet, plan.resolves);
      break;
    case isa::Opcode::exit_:
    case isa::Opcode::ret:
      parts_.blocks.exited(c, packet);
      break;
    case isa::Opcode::bar:
      if (packet.first) parts_.grouping.advanced(c);
      parts_.barriers.arrive(c, packet);
      break;
    case isa::Opcode::nanosleep:
      parts_.branches.fall_asleep(c, packet, parts_.branches.sleep_of(c, op), latency_of(sm_.parameters, op));
      break;
    default:
      if (packet.first) parts_.grouping.advanced(c);
      break;
  }
}

}  // namespace heddle::sm
