// SPDX-License-Identifier: Apache-2.0
#include "sm/grouping/resizing/partner_slots.h"

#include <fmt/format.h>

#include <bit>

namespace heddle::sm {

PartnerSlots::PartnerSlots(DynamicWarpResizing& warps)
    : warps_(warps),
      unit_(warps.synchroniser()),
      sequences_(warps.slot_members().size()),
      group_(warps.site().statistics, "partner_issue"),
      threads_(group_, "lat_threads", "threads that executed large-warp-intensive instructions, guard applied",
               unit::kThreadInstructions),
      barriers_(group_, "barriers", "`bar.synch_partner` issued, which no counter of instructions includes",
                unit::kInstructions),
      state_(warps.site().services, warps.site().path("partner_slots"), warps.site().domain()),
      size_(state_.signals.pulse("warp_size", 4, "sub-warps of a large warp whose issue begins; the last of a cycle")) {
  for (unsigned size = 1; size <= unit_.shape().partners; ++size) {
    warps_of_.emplace_back(group_, fmt::format("warps_of_{}", size),
                           size == 1 ? std::string("large-warp-intensive instructions that a sub-warp issued alone")
                                     : fmt::format("large-warp-intensive instructions that {} partners issued together,"
                                                   " each counted once",
                                                   size),
                           unit::kInstructions);
  }
  Derived(group_, "mean_size", "mean number of sub-warps that issue a large-warp-intensive instruction together",
          unit::kRatio, [this](const StatisticsView& v) {
            double large_warps = 0, sub_warps = 0;
            for (std::size_t i = 0; i < warps_of_.size(); ++i) {
              large_warps += v[warps_of_[i]];
              sub_warps += static_cast<double>(i + 1) * v[warps_of_[i]];
            }
            return StatisticsView::ratio(sub_warps, large_warps);
          });
}

void PartnerSlots::attach(IssueKit& kit) {
  IssueAccount& account = kit.account();
  combined_ = account.issuing_cause("combined", "a further sub-warp of a large warp issued");
  waits_ = account.cause(name_of(ContextState::partner_wait), "warps waited for their partners");
  account.charge_parked_to(waits_);
}

void PartnerSlots::cycle(IssueKit& kit) {
  kit.begin();
  for (IssueSlot s(0); s < sequences_.size(); ++s) {
    if (sequences_[s].left == 0) {
      choose(kit, s);
    } else {
      kit.charge(s, go_on(kit, s) ? combined_ : kit.account().blame(warps_.slot_members()[s]));
      kit.stay();
    }
  }
}

void PartnerSlots::choose(IssueKit& kit, IssueSlot slot) {
  const ContextSet& members = warps_.slot_members()[slot];
  ContextSet candidates = kit.candidates(members);
  if (const ContextSet busy = kit.ready(members) - candidates; busy.any()) candidates |= before_barrier(kit, busy);
  if (kit.pick(slot, kit.order(slot), candidates, [&](ContextId c) { return attempt(kit, slot, c); }) != kNoContext)
    return;
  if (const ContextSet& changed = kit.contexts().changed; changed.intersects(candidates) && kit.ready(members).none()) {
    // Those that were picked have begun to wait.
    const CauseId of_others = kit.account().blame(members - changed);
    kit.charge(slot, of_others == kit.account().no_warp() ? waits_ : of_others);
  }
}

ContextSet PartnerSlots::before_barrier(IssueKit& kit, const ContextSet& busy) const {
  ContextSet set;
  busy.for_each([&](std::size_t i) {
    const ContextId c(i);
    set.assign(c, !unit_.issues_next(c, *kit.contexts()[c].next));
  });
  return set;
}

bool PartnerSlots::attempt(IssueKit& kit, IssueSlot slot, ContextId c) {
  const isa::MicroOp& op = *kit.contexts()[c].next;
  switch (unit_.picked(c, op)) {
    case SubWarpSynchroniser::Turn::waits:
      // The barrier takes no slot.
      return false;
    case SubWarpSynchroniser::Turn::together:
      return begin_sequence(kit, slot, c);
    case SubWarpSynchroniser::Turn::alone:
      break;
  }
  return kit.takes(kit.unit_of(op)) && issue_alone(kit, slot, c);
}

bool PartnerSlots::issue_alone(IssueKit& kit, IssueSlot slot, ContextId c) {
  PacketPlan plan = kit.whole(slot, c);
  if (!kit.place(plan)) return false;
  kit.issue_whole(plan);
  if (plan.op->opcode == isa::Opcode::bar_partner) ++barriers_;
  if (unit_.is_barrier(*plan.op)) unit_.reached_barrier(c, plan.op->pc);
  if (unit_.is_large_warp_intensive(*plan.op)) {
    ++warps_of_.front();
    threads_ += static_cast<std::uint64_t>(plan.threads.count());
  }
  return true;
}

bool PartnerSlots::begin_sequence(IssueKit& kit, IssueSlot slot, ContextId c) {
  const LargeWarp warp = unit_.combine(c);
  const unsigned group = unit_.group_of(c);
  // Members may still lack an operand or, where the barrier is an instruction, the instruction behind it.
  if (!unit_.all_in(kit.ready(warps_.slot_members()[slot]), group, warp.members)) return false;
  sequences_[slot] = {group, warp.members, kSpansCycles | (accesses_ + 1), static_cast<std::uint8_t>(warp.size())};
  unit_.issue_together(group, warp.members);
  if (!go_on(kit, slot)) {
    sequences_[slot] = {};
    unit_.issue_together(group, 0);
    return false;
  }
  ++accesses_;
  ++warps_of_[warp.size() - 1];
  if (state_.signals.on()) state_.signals.fire(size_, warp.size());
  if (kit.sm().watch != nullptr && warp.size() != 1) report(*kit.sm().watch, group, warp.members);
  return true;
}

void PartnerSlots::report(SmWatch& watch, unsigned group, PartnerMask members) const {
  watch.regrouped({.group = group,
                   .first = unit_.context_of(group, 0),
                   .name = fmt::format("partners {}", group),
                   .how = members == 0 ? std::string() : fmt::format("{}", std::popcount(members)),
                   .parts = unit_.name_of(group, members)});
}

bool PartnerSlots::go_on(IssueKit& kit, IssueSlot slot) {
  Sequence& sequence = sequences_[slot];
  const ContextId c =
      unit_.context_of(sequence.group, static_cast<unsigned>(std::countr_zero(unsigned{sequence.left})));
  if (!kit.takes(kit.unit_of(*kit.contexts()[c].next))) return false;
  PacketPlan plan = kit.whole(slot, c);
  if (!kit.place(plan)) return false;
  plan.access_group = sequence.access;
  plan.access_packets = sequence.size;
  sequence.left = static_cast<PartnerMask>(sequence.left & (sequence.left - 1));
  if (sequence.left != 0) kit.stay();
  threads_ += static_cast<std::uint64_t>(plan.threads.count());
  kit.begin_instruction(c, false);
  kit.issue(plan);
  if (sequence.left == 0) {
    unit_.issue_together(sequence.group, 0);
    if (kit.sm().watch != nullptr && sequence.size != 1) report(*kit.sm().watch, sequence.group, 0);
  }
  return true;
}

}  // namespace heddle::sm
