// SPDX-License-Identifier: Apache-2.0
#include "sm/grouping/ganging/gang_packets.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "isa/operands.h"
#include "sm/context_words.h"
#include "sm/memory/open_groups.h"

namespace heddle::sm {

GangPackets::GangPackets(IssueKit& kit, LockStepWarps& warps, bool gangs)
    : kit_(kit),
      parts_(kit.parts()),
      sm_(kit.sm()),
      warps_(warps),
      hazards_(parts_.hazards),
      // As many as the link to the operand stage takes; where all warps issue alone, the link is the limit.
      credits_(gangs ? std::max(sm_.parameters.memory_collectors(), 2 * sm_.issue_width) : AccessCredits::kUnlimited) {
  const HazardTraits& hazards = parts_.timing.hazard_traits();
  // Registers of all members are released together, at a fixed time after issue.
  if (sm_.parameters.shape != PipelineShape::buffered || hazards.offers.has(Feature::hazards_by_thread) ||
      hazards.follows_threads || hazards.keeps_time || hazards.commits || hazards.follows_operands)
    return;
  parts_.timing.track_with(hazards_);
  branched_.fill(1);
  warps_.issue_with(this);
  for (const isa::Unit unit : {isa::Unit::alu, isa::Unit::sfu, isa::Unit::fp64})
    joins_[static_cast<std::size_t>(unit)] = passes_freely(unit);
  // A branch goes nowhere.
  joins_[static_cast<std::size_t>(isa::Unit::control)] = true;
  joins_[static_cast<std::size_t>(isa::Unit::memory)] = accesses_join();
}

bool GangPackets::accesses_join() const {
  const SmEvents& events = sm_.events;
  // Half-warps of a packet make transactions of their own.
  return sm_.parameters.operands.banks == 0 && sm_.parameters.coalescer.rule == CoalescingRule::lines &&
         !events.coalesced.any() && !events.missed.any() && !events.returned.any() && !events.completed.any();
}

bool GangPackets::all_take_part(const PacketPlan& plan) const {
  bool all = true;
  for_each_of(plan.context, plan.company,
              [&](ContextId c) { all = all && threads_of(plan.threads, c - plan.context) != 0; });
  return all;
}

bool GangPackets::passes_freely(isa::Unit unit) const {
  const SmParameters& p = sm_.parameters;
  const UnitParameters& of = unit == isa::Unit::sfu ? p.sfu : unit == isa::Unit::fp64 ? p.fp64 : p.alu;
  // A unit takes what its issue has found free lanes for, so packets can only wait for a bank or a collector.
  return p.operands.banks == 0 && of.collectors >= sm_.issue_width * (p.operands.latency + 1);
}

void GangPackets::issue(const PacketPlan& plan, CauseId cause, std::uint32_t threads, Cycle since) {
  begin_instructions(plan, threads, since);
  const std::uint64_t all = in_word(plan.context, plan.company);
  const std::uint32_t next = sm_.contexts[plan.context].pc + 1;
  in_lock_step_ = true;
  if (isa::is_branch(*plan.op)) {
    add(sm_.contexts.branch, plan.context / 64, all);
    branched_[plan.context] = plan.company;
    send(plan, cause);
  } else {
    send_by_line(plan, cause);
    warps_.go_on_together(plan.context, plan.company, next);
  }
  in_lock_step_ = false;
  parts_.states.update_ready(plan.context / 64, all);
}

void GangPackets::send(const PacketPlan& plan, CauseId cause) {
  Packet& packet = kit_.issue(plan);
  for_each_of(plan.context, plan.company, [&](ContextId c) {
    const unsigned member = c - plan.context;
    const IssueSlot slot(plan.slot + member);
    parts_.account.charge(slot, cause);
    parts_.account.issued_threads(slot, static_cast<std::uint32_t>(std::popcount(threads_of(plan.threads, member))));
  });
  // The kit has counted a packet of one warp.
  IssueCounters& counters = kit_.counters();
  const unsigned lanes = plan.lanes.waves * std::min(span(), sm_.parameters.simd_width);
  const auto more = static_cast<unsigned>(std::popcount(plan.company)) - 1;
  counters.packets += more;
  counters.offered_lanes += more * lanes;
  counters.filled_lanes += packet.active - std::min(packet.active, lanes);
  if (parts_.units.unit_of(*plan.op) != isa::Unit::memory) return;
  std::uint32_t own = 0;
  for_each_of(plan.context, plan.company,
              [&](ContextId c) { own |= packet.words[0].own << ((c - plan.context) * span()); });
  packet.words[0].own = own;
  credits_.take(packet);
}

Packet* GangPackets::shown_as(Packet& packet) {
  if (sm_.watch == nullptr && !sm_.events.issued.any() && !sm_.services.probes.attached()) return &packet;
  std::vector<Packet>& shown = shown_[&packet];
  shown.clear();
  std::uint64_t id = packet.issue_id - static_cast<unsigned>(std::popcount(packet.company));
  for_each_of(packet.context, packet.company, [&](ContextId c) {
    Packet& own = shown.emplace_back(packet);
    const unsigned member = c - packet.context;
    own.context = c;
    own.warp = sm_.contexts[c].warp;
    own.slot = IssueSlot(packet.slot + member);
    own.company = 1;
    own.threads = ThreadSet::of_word(threads_of(packet.threads, member));
    own.lanes = parts_.grouping.lanes(c, *packet.op, own.threads).lanes;
    own.issue_id = ++id;
    own.words[0].mask = sm_.contexts[c].word_mask(own.threads, 0);
    own.words[0].own <<= member * span();
    own.active = static_cast<std::uint32_t>(std::popcount(own.words[0].mask));
  });
  return shown.data();
}

unsigned GangPackets::line_bytes_of(const isa::MicroOp& op) const {
  // Lines of local memory are known only in the memory stage.
  if (op.unit != isa::Unit::memory || op.space == isa::Space::shared || op.space == isa::Space::local) return 0;
  return op.space == isa::Space::global ? sm_.parameters.coalescer.line_bytes : OpenGroups::kConstantLineBytes;
}

void GangPackets::send_by_line(const PacketPlan& plan, CauseId cause) {
  const unsigned line_bytes = line_bytes_of(*plan.op);
  if (line_bytes == 0) {
    send(plan, cause);
    return;
  }
  const Context& leader = sm_.contexts[plan.context];
  isa::compute_addresses(*plan.op, *leader.words, leader.word_mask(plan.threads, 0), addresses_);
  const auto line_of = [line_bytes](std::uint64_t address) { return address / line_bytes; };
  if (line_of(addresses_.lowest) == line_of(addresses_.highest - 1)) {
    send(plan, cause);
    return;
  }
  std::uint64_t line = kSeveralLines;
  std::uint8_t run = 0;
  for_each_of(plan.context, plan.company, [&](ContextId c) {
    const unsigned member = c - plan.context;
    const ThreadSet threads = ThreadSet::of_word(threads_of(plan.threads, member) << (member * span()));
    const std::uint32_t lanes = leader.word_mask(threads, 0);
    std::uint64_t own = line_of(addresses_.value[static_cast<unsigned>(std::countr_zero(lanes))]);
    isa::for_each_lane(lanes, [&](unsigned lane) {
      const std::uint64_t first = addresses_.value[lane];
      if (line_of(first) != own || line_of(first + addresses_.bytes - 1) != own) own = kSeveralLines;
    });
    if (run != 0 && (own != line || own == kSeveralLines)) send(part_of(plan, std::exchange(run, 0)), cause);
    line = own;
    run = static_cast<std::uint8_t>(run | 1u << member);
  });
  send(part_of(plan, run), cause);
}

PacketPlan GangPackets::part_of(const PacketPlan& plan, std::uint8_t members) const {
  const auto first = static_cast<unsigned>(std::countr_zero(members));
  PacketPlan part = plan;
  part.context = ContextId(plan.context + first);
  part.slot = IssueSlot(plan.slot + first);
  part.company = static_cast<std::uint8_t>(members >> first);
  part.lanes.lanes.clear();
  std::uint64_t threads = 0;
  for_each_of(part.context, part.company, [&](ContextId c) {
    const std::uint64_t own = threads_of(plan.threads, c - plan.context);
    threads |= own << ((c - part.context) * span());
    part.lanes.lanes |= parts_.grouping.lanes(c, *plan.op, ThreadSet::of_word(own)).lanes;
  });
  part.threads = ThreadSet::of_word(threads);
  return part;
}

void GangPackets::begin_instructions(const PacketPlan& plan, std::uint32_t threads, Cycle since) {
  // The supply need not be told: only shapes with instruction buffers have gangs. Nor need vetoes: gangs allow none.
  for_each_of(plan.context, plan.company, [&](ContextId c) { parts_.policies.issued(sm_.contexts, c, kit_.now()); });
  if (sm_.progress.on()) for_each_of(plan.context, plan.company, [this](ContextId c) { parts_.notes.issued(c); });
  IssueCounters& counters = kit_.counters();
  counters.instruction(plan.op->opcode, static_cast<unsigned>(std::popcount(plan.company)), threads);
  counters.longest_ready_wait.record(kit_.now() - since);
}

bool GangPackets::branched(ContextId first) {
  const std::uint8_t company = branched_[first];
  if (company == 1) return false;
  const std::uint32_t target = common_target(first, company);
  if (target == kNoPc) return false;
  branched_[first] = 1;
  const std::uint64_t all = in_word(first, company);
  remove(sm_.contexts.branch, first / 64, all);
  add(sm_.contexts.changed, first / 64, all);
  warps_.go_on_together(first, company, target);
  return true;
}

void GangPackets::resolve_others(ContextId first) {
  const std::uint8_t company = std::exchange(branched_[first], std::uint8_t{1});
  for_each_of(first, static_cast<std::uint8_t>(company & ~1u), [this](ContextId c) { parts_.branches.resolve(c); });
}

std::uint32_t GangPackets::common_target(ContextId first, std::uint8_t company) const {
  const ContextTable& contexts = sm_.contexts;
  const Context& leader = contexts[first];
  if (sm_.progress.on() || leader.word_count != 1 || !contexts.valid.test(first)) return kNoPc;
  const isa::MicroOp& op = leader.kernel->ops[leader.pc];
  if (op.opcode != isa::Opcode::bra) return kNoPc;
  std::uint32_t mask = 0;
  bool one_word = true;
  for_each_of(first, company, [&](ContextId c) {
    const Context& member = contexts[c];
    one_word = one_word && member.words == leader.words && member.pc == leader.pc && contexts.valid.test(c);
    mask |= member.word_mask(member.threads, 0);
  });
  if (!one_word) return kNoPc;
  const std::uint32_t taken = isa::resolve_branch(op, *leader.words, mask).taken;
  return taken == mask ? op.target : taken == 0 ? leader.pc + 1 : kNoPc;
}

}  // namespace heddle::sm
