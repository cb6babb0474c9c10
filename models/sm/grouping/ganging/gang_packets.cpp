// SPDX-License-Identifier: Apache-2.0
#include "sm/grouping/ganging/gang_packets.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "isa/operands.h"
#include "sm/context_words.h"
#include "sm/memory/access_table.h"

namespace heddle::sm {

GangPackets::GangPackets(IssueKit& kit, LockStepWarps& warps)
    : kit_(kit), parts_(kit.parts()), sm_(kit.sm()), warps_(warps) {
  const HazardTraits& hazards = parts_.timing.hazard_traits();
  // Registers of all members are released together, at a fixed time after issue.
  if (sm_.parameters.shape != PipelineShape::buffered || !hazards.by_warp || hazards.keeps_time || hazards.commits ||
      hazards.follows_operands)
    return;
  for (const isa::Unit unit : {isa::Unit::alu, isa::Unit::sfu, isa::Unit::fp64})
    joins_[static_cast<std::size_t>(unit)] = passes_freely(unit);
  // A branch goes nowhere.
  joins_[static_cast<std::size_t>(isa::Unit::control)] = true;
  joins_[static_cast<std::size_t>(isa::Unit::memory)] = accesses_join();
  sm_.divider = this;
}

GangPackets::~GangPackets() {
  if (sm_.divider == this) sm_.divider = nullptr;
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
  charge(plan, cause);
  begin_instructions(plan, threads, since);
  Packet& packet = kit_.begin_packet(plan);
  kit_.send(packet, plan);
  if (isa::is_branch(*plan.op)) {
    wait_for_branch(packet);
  } else {
    warps_.go_on_together(plan.context, plan.company, sm_.contexts[plan.context].pc + 1);
  }
  parts_.states.update_ready(plan.context / 64, in_word(plan.context, plan.company));
}

void GangPackets::charge(const PacketPlan& plan, CauseId cause) {
  for_each_of(plan.context, plan.company, [&](ContextId c) {
    const unsigned member = c - plan.context;
    const IssueSlot slot(plan.slot + member);
    parts_.account.charge(slot, cause);
    parts_.account.issued_threads(slot, static_cast<std::uint32_t>(std::popcount(threads_of(plan.threads, member))));
  });
}

void GangPackets::begin_instructions(const PacketPlan& plan, std::uint32_t threads, Cycle since) {
  // The supply need not be told: only shapes with instruction buffers have gangs. Nor need vetoes: gangs allow none.
  for_each_of(plan.context, plan.company, [&](ContextId c) {
    parts_.policies.issued_by(IssueSlot(plan.slot + (c - plan.context)), sm_.contexts, c);
  });
  if (sm_.progress.on()) for_each_of(plan.context, plan.company, [this](ContextId c) { parts_.notes.issued(c); });
  IssueCounters& counters = kit_.counters();
  counters.instruction(plan.op->opcode, plan.members(), threads);
  counters.longest_ready_wait.record(kit_.now() - since);
}

void GangPackets::divide(Packet& whole, std::vector<PacketHandle>& parts) {
  PacketPlan own;
  own.op = whole.op;
  own.access_group = whole.access_group;
  for_each_of(whole.context, whole.company, [&](ContextId c) {
    const unsigned i = c - whole.context;
    own.context = c;
    own.slot = IssueSlot(whole.slot + i);
    own.threads = ThreadSet::of_word(threads_of(whole.threads, i));
    own.lanes = parts_.grouping.lanes(c, *own.op, own.threads);
    Packet& member = kit_.make_packet(own);
    member.issued = whole.issued;
    member.gathered = whole.gathered;
    member.stay = whole.stay;
    member.latency = whole.latency;
    member.waves = whole.waves;
    member.interval = whole.interval;
    member.shared_only = whole.shared_only;
    member.hazard_token = whole.hazard_token;
    parts_.effects.replay(member, whole);
    parts_.blocks.packet_issued(member);
    parts.push_back(&member);
  });
  parts_.blocks.packet_ended(whole);
  sm_.packets.drop(whole);
}

bool GangPackets::divide(AccessGroup& access) {
  divided_.clear();
  for (std::size_t member = 0; member < access.packets.size(); ++member) {
    const PacketHandle& packet = access.packets[member];
    const auto serves = [member](const Transaction& line) { return (line.members >> member & 1) != 0; };
    if (packet->company != 1 && std::count_if(access.transactions.begin(), access.transactions.end(), serves) > 1) {
      divide(*packet, divided_);
    } else {
      divided_.push_back(packet);
    }
  }
  const bool any = divided_.size() != access.packets.size();
  access.packets.swap(divided_);
  return any;
}

void GangPackets::wait_for_branch(const Packet& packet) {
  const ContextId first = packet.context;
  add(sm_.contexts.branch, first / 64, in_word(first, packet.company));
  branched_[first] = packet.company;
  const Cycle wait = parts_.branches.wait();
  if (wait == 0) {
    resolve(first);
  } else {
    kit_.call_at(kit_.now() + wait, first);
  }
}

void GangPackets::resolve(ContextId first) {
  const std::uint8_t company = std::exchange(branched_[first], std::uint8_t{0});
  const std::uint32_t target = common_target(first, company);
  if (target == kNoPc) {
    for_each_of(first, company, [this](ContextId c) { parts_.branches.resolve(c); });
    return;
  }
  ContextTable& contexts = sm_.contexts;
  const std::uint64_t all = in_word(first, company);
  remove(contexts.branch, first / 64, all);
  add(contexts.changed, first / 64, all);
  parts_.branches.resolved(static_cast<unsigned>(std::popcount(company)));
  warps_.go_on_together(first, company, target);
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
