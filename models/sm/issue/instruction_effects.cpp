// SPDX-License-Identifier: Apache-2.0
#include "sm/issue/instruction_effects.h"

#include <algorithm>
#include <bit>

#include "isa/branches.h"
#include "isa/collective.h"
#include "isa/fault.h"
#include "isa/memory_watch.h"
#include "isa/operands.h"

namespace heddle::sm {

using isa::Opcode;

namespace {

/// `to` becomes the part of the access that some of its lanes make, of which nothing more takes effect.
void take_lanes(isa::Addresses& to, const isa::Addresses& from, std::uint32_t lanes) {
  to.mask = from.mask & lanes;
  isa::for_each_lane(to.mask, [&](unsigned lane) { to.value[lane] = from.value[lane]; });
  to.space = from.space;
  to.bytes = from.bytes;
  to.contiguous = from.contiguous;
  to.uniform = from.uniform;
  to.shared_lanes = from.shared_lanes & lanes;
  to.local_lanes = from.local_lanes & lanes;
  to.counting = 0;
  to.lowest = from.lowest;
  to.highest = from.highest;
}

}  // namespace

ThreadSet InstructionEffects::look_at_guard(ContextId c, const isa::MicroOp& op, const ThreadSet& all) const {
  const Context& context = sm_.contexts[c];
  ThreadSet result;
  for (unsigned w = 0; w < context.word_count; ++w)
    result.set_word32(w, isa::guarded(op, context.words[w], context.word_mask(all, w)) >> context.shift);
  return result;
}

void InstructionEffects::execute(Packet& packet) {
  const isa::MicroOp& op = *packet.op;
  sm_.environment.clock = sm_.gate.now();
  if (op.unit == isa::Unit::memory) {
    start_memory(packet);
    return;
  }
  if (op.lane_function != nullptr || op.opcode == Opcode::special) {
    if (isa::reads_time(op)) {
      sm_.environment.nanoseconds =
          static_cast<std::uint64_t>(sm_.gate.domain().time_of(sm_.gate.now()) / sc_core::sc_time(1, sc_core::SC_NS));
      sm_.progress.changed();
    }
    for (unsigned w = 0; w < packet.word_count; ++w) {
      PacketWord& word = packet.words[w];
      if (word.mask != 0) isa::execute_lanes(op, *word.warp, word.mask, sm_.environment);
    }
    return;
  }
  if (op.opcode == Opcode::tree_traverse) {
    for (unsigned w = 0; w < packet.word_count; ++w) {
      PacketWord& word = packet.words[w];
      if (word.mask != 0) isa::execute_tree_traverse(op, *word.warp, word.mask, shares_of(op, word));
    }
    return;
  }
  if (isa::crosses_lanes(op)) {
    for (unsigned w = 0; w < packet.word_count; ++w) {
      PacketWord& word = packet.words[w];
      if (word.mask == 0) continue;
      const std::uint32_t alone = word.mask & ~meetings_.take_settled(*word.warp, op, word.mask);
      if (alone != 0) isa::execute_collective(op, *word.warp, alone);
    }
    return;
  }
  switch (op.opcode) {
    case Opcode::bar_warp:
      for (unsigned w = 0; w < packet.word_count; ++w)
        meetings_.take_settled(*packet.words[w].warp, op, packet.words[w].mask);
      break;
    case Opcode::syscall:
      sm_.effect_sink->gathered(sm_.number, sm_.effects.add(packet, sm_.gate.now()));
      break;
    case Opcode::trap:
      for (unsigned w = 0; w < packet.word_count; ++w) {
        if (packet.words[w].mask != 0) isa::fail_trap(*packet.words[w].warp, packet.words[w].mask, op.pc);
      }
      break;
    case Opcode::async_commit:
      for (unsigned w = 0; w < packet.word_count; ++w) copies_.committed(*packet.words[w].warp, packet.words[w].mask);
      break;
    default:
      break;
  }
}

bool InstructionEffects::ended(const Packet& packet) {
  if (packet.op->opcode != Opcode::async_copy) return false;
  copies_.ended(packet);
  sm_.progress.changed();
  return true;
}

bool InstructionEffects::copies_pending(ContextId c) const {
  const Context& context = sm_.contexts[c];
  const isa::MicroOp& op = *context.next;
  if (op.opcode != Opcode::async_wait) return false;
  for (unsigned w = 0; w < context.word_count; ++w) {
    const isa::WarpState& warp = context.words[w];
    const std::uint32_t all = context.word_mask(context.threads, w);
    for (std::uint32_t lanes = isa::guarded(op, warp, all); lanes != 0; lanes &= lanes - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
      const std::uint64_t groups =
          op.source_count > 0 ? isa::value_of(op.sources[0], isa::OperandBases(warp), lane) : AsyncCopies::kAll;
      if (copies_.waits(warp, lane, groups)) return true;
    }
  }
  return false;
}

isa::PrefixShares InstructionEffects::shares_of(const isa::MicroOp& op, const PacketWord& word) {
  isa::PrefixShares shares;
  std::uint32_t alone = word.mask;
  alone &= ~meetings_.take_settled(*word.warp, op, word.mask, [&](std::uint32_t threads, std::uint32_t predicates) {
    shares.add(prefix_sum_->sum(predicates), predicates, threads);
  });
  if (alone != 0) {
    const std::uint32_t predicates = isa::predicates_that_hold(op, *word.warp, alone);
    shares.add(prefix_sum_->sum(predicates), predicates, alone);
  }
  return shares;
}

void InstructionEffects::start_memory(Packet& packet) {
  const isa::MicroOp& op = *packet.op;
  packet.memory = &sm_.packets.take_access();
  // The predicates of a conditional accumulate pass through the prefix-sum network first.
  if (op.opcode == Opcode::cond_acc) packet.address_delay = static_cast<std::uint16_t>(sm_.parameters.prefix_delay());
  packet.memory->texels.clear();
  packet.memory->addresses.make_room(packet.word_count);
  bool shared_by_sms = op.opcode == Opcode::tex;
  for (unsigned w = 0; w < packet.word_count; ++w) {
    PacketWord& word = packet.words[w];
    isa::Addresses& addresses = packet.memory->addresses[w];
    addresses.mask = addresses.shared_lanes = addresses.local_lanes = 0;
    addresses.space = op.space;
    if (word.mask == 0) continue;
    if (op.opcode == Opcode::tex) {
      if (sm_.texels != nullptr) sm_.texels->texels(op, *word.warp, word.mask, packet.memory->texels);
      continue;
    }
    if (op.opcode == Opcode::cond_acc) {
      isa::compute_addresses(op, *word.warp, word.mask, shares_of(op, word), addresses);
    } else {
      isa::compute_addresses(op, *word.warp, word.mask, addresses);
    }
    if (access_memory(op, *word.warp, addresses)) shared_by_sms = true;
  }
  if (op.opcode == Opcode::async_copy) copies_.started(packet);
  if (shared_by_sms && op.opcode != Opcode::prefetch) {
    sm_.effect_sink->gathered(sm_.number, sm_.effects.add(packet, sm_.gate.now()));
  }
}

bool InstructionEffects::access_memory(const isa::MicroOp& op, isa::WarpState& warp, const isa::Addresses& addresses) {
  if (!own_space(addresses.space)) {
    // Applied at the end of the cycle; warm the host cache now.
    __builtin_prefetch(reinterpret_cast<const void*>(addresses.lowest));
    return true;
  }
  if (op.opcode == Opcode::prefetch) return false;
  if (isa::arrives_behind_copies(op) && copies_.any()) {
    // Threads with outstanding copies arrive when these complete; the others arrive now.
    isa::Addresses behind = addresses;
    behind.mask &= copies_.busy(warp);
    if (behind.mask != 0) {
      isa::announce_arrivals(op, warp, behind, *sm_.memory_port);
      copies_.arrive_behind(op, warp, behind);
    }
    isa::Addresses now_due = addresses;
    now_due.mask &= ~behind.mask;
    isa::execute_memory(op, warp, now_due, *sm_.memory_port);
  } else if (sm_.progress.on()) {
    sm_.progress.execute(op, warp, addresses, *sm_.memory_port);
  } else {
    isa::execute_memory(op, warp, addresses, *sm_.memory_port);
  }
  return false;
}

void InstructionEffects::replay(Packet& packet, const Packet& of) {
  packet.memory = &sm_.packets.take_access();
  packet.memory->texels.clear();
  packet.memory->addresses.make_room(packet.word_count);
  for (unsigned w = 0; w < packet.word_count; ++w) {
    take_lanes(packet.memory->addresses[w], of.memory->addresses[w], packet.words[w].mask);
  }
}

}  // namespace heddle::sm
