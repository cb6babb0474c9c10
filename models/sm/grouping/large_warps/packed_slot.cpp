// SPDX-License-Identifier: Apache-2.0
#include "sm/grouping/large_warps/packed_slot.h"

#include "sm/issue/issue_kit.h"

namespace heddle::sm {

void PackedSlot::attach(IssueKit& kit) {
  cause_packet_ = kit.account().issuing_cause("packet", "another packet of an instruction issued");
  cause_packing_ = kit.account().cause("packing", "an instruction in progress had no packet to issue");
  kit.events().missed.add([this](const Packet& packet) { missing_[packet.context] |= packet.threads; });
  kit.events().completed.add([this](const Packet& packet) {
    if (packet.away) missing_[packet.context] -= packet.threads;
  });
}

void PackedSlot::cycle(IssueKit& kit) {
  look_at_memory(kit);
  kit.begin();
  if (context_ != kNoContext) {
    kit.stay();
    kit.charge(kSlot, go_on(kit) ? cause_packet_ : cause_packing_);
    return;
  }
  kit.pick(kSlot, kit.order(kSlot), kit.candidates(members_), [&](ContextId c) { return begin(kit, c); });
}

void PackedSlot::look_at_memory(IssueKit& kit) const {
  if (context_ == kNoContext) return;
  ContextTable& contexts = kit.contexts();
  const bool waits = kit.parts().timing.missed_of(context_) != 0 || missing_[context_].contains(left_);
  if (contexts.away.test(context_) == waits) return;
  contexts.away.assign(context_, waits);
  contexts.long_latency.assign(context_, waits);
}

bool PackedSlot::begin(IssueKit& kit, ContextId c) {
  const isa::MicroOp& op = *kit.contexts()[c].next;
  const ThreadSet guarded = kit.guarded(c, op, kit.contexts()[c].threads);
  ThreadSet threads, left;
  const ThreadSet* const busy = kit.parts().hazards.busy_threads(kit.contexts()[c].warp);
  const bool bubble = cutter_.next_packet(c, op, {kit.contexts()[c].threads, guarded, busy}, threads, left) ==
                      PacketCutter::Cut::bubble;
  const bool last = !bubble && left.none();
  PacketPlan plan = kit.plan(kSlot, c, op, threads);
  if (!bubble && !kit.place(plan)) return false;
  if (!kit.arrives(kSlot, c, guarded)) return true;
  kit.begin_instruction(c, !last);
  if (!last) {
    context_ = c;
    op_ = &op;
    left_ = left;
  }
  first_ = bubble;
  if (bubble) return true;
  plan.last = last;
  complete_plan(kit, plan);
  kit.issue(plan);
  return true;
}

bool PackedSlot::go_on(IssueKit& kit) {
  const ContextId c = context_;
  const isa::MicroOp& op = *op_;
  if (!kit.takes(kit.unit_of(op))) return false;
  ThreadSet threads, left;
  const ThreadSet* const busy = kit.parts().hazards.busy_threads(kit.contexts()[c].warp);
  if (cutter_.next_packet(c, op, {left_, kit.guarded(c, op, left_), busy}, threads, left) ==
      PacketCutter::Cut::bubble) {
    left_ = left;
    return false;
  }
  PacketPlan plan = kit.plan(kSlot, c, op, threads);
  if (!kit.place(plan)) return false;
  plan.first = first_;
  plan.last = left.none();
  first_ = false;
  left_ = left;
  if (plan.last) {
    context_ = kNoContext;
    kit.end_sequence(c);
  }
  complete_plan(kit, plan);
  kit.issue(plan);
  return true;
}

void PackedSlot::complete_plan(IssueKit& kit, PacketPlan& plan) {
  using Refetch = PacketCutter::Refetch;
  const isa::MicroOp& op = *plan.op;
  const Refetch refetch = cutter_.refetch(op);
  cutter_.packet_issues(op);
  plan.all_hold = refetch == Refetch::all_packets && !isa::is_branch(op);
  plan.holds_context = plan.first || plan.all_hold;
  plan.resolves = refetch == Refetch::first_packet;
  if (refetch != Refetch::first_divergent || op.opcode != isa::Opcode::bra) return;
  if (plan.first) some_take_ = some_do_not_ = false;
  const Context& context = kit.contexts()[plan.context];
  for (unsigned w = 0; w < context.word_count; ++w) {
    const std::uint32_t mask = context.word_mask(plan.threads, w);
    const std::uint32_t taken = isa::resolve_branch(op, context.words[w], mask).taken;
    some_take_ = some_take_ || taken != 0;
    some_do_not_ = some_do_not_ || (mask & ~taken) != 0;
  }
  plan.resolves = some_take_ && some_do_not_;
}

}  // namespace heddle::sm
