// SPDX-License-Identifier: Apache-2.0
// What an instruction does when it issues: architectural effects, and what the front end must wait for because of it.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "isa/collective.h"
#include "isa/fault.h"
#include "isa/memory_watch.h"
#include "isa/operands.h"
#include "isa/prefix_operations.h"
#include "sm/hazards/checked_hazards.h"
#include "sm/issue_stage.h"

namespace heddle::sm {

namespace {

using isa::Opcode;

/// The longest sleep there is.
constexpr std::uint32_t kMostNanoseconds = 1'000'000;

bool is_branch(const isa::MicroOp& op) { return op.opcode == Opcode::bra || op.opcode == Opcode::brx; }

/// A source operand's value in one lane, up to 32 bits.
std::uint32_t lane_value(const isa::MicroOp& op, unsigned source, const isa::WarpState& warp, unsigned lane) {
  const isa::Operand& operand = op.sources[source];
  const std::byte* base =
      operand.base == isa::Operand::Base::constants ? warp.block->launch->kernel->constants.data() : warp.registers;
  std::uint32_t value = 0;
  std::memcpy(&value, base + operand.offset + 4 * lane, 4);
  return value;
}

}  // namespace

void IssueStage::fill_words(Packet& packet, ContextId c, const ThreadSet& threads) {
  const Context& context = contexts_[c];
  packet.word_count = context.word_count;
  packet.active = 0;
  for (unsigned w = 0; w < context.word_count; ++w) {
    const std::uint32_t mask = context.word_mask(threads, w);
    packet.words[w] = {context.words + w, mask, context.shift};
    packet.active += static_cast<std::uint32_t>(std::popcount(mask));
  }
}

ThreadSet IssueStage::guarded_threads(ContextId c, const isa::MicroOp& op, const ThreadSet& all) const {
  // A branch is executed by the threads it does not take, too.
  if (!op.guard.present() || is_branch(op)) return all;
  const Context& context = contexts_[c];
  ThreadSet result;
  for (unsigned w = 0; w < context.word_count; ++w)
    result.set_word32(w, isa::guarded(op, context.words[w], context.word_mask(all, w)) >> context.shift);
  return result;
}

void IssueStage::issue_packet(unsigned number, ContextId c, const isa::MicroOp& op, const ThreadSet& threads,
                              const LanePlan& plan, int instance, bool first, bool last) {
  const isa::Unit unit = unit_of(op);
  Packet& packet = sm_.packets.take();
  packet.op = &op;
  packet.context = c;
  packet.warp = contexts_[c].warp;
  packet.block_slot = contexts_[c].block;
  packet.slot = static_cast<std::uint16_t>(number);
  packet.first = first;
  packet.last = last;
  packet.lanes = plan.lanes;
  packet.threads = threads;
  packet.issued = now();
  packet.gathered = kNever;
  packet.missed = packet.away = false;
  packet.holders = 1;
  packet.outstanding = 0;
  if (first) ++next_issue_id_;
  packet.issue_id = next_issue_id_;
  packet.access_group = grouping_->packs_memory_of_a_cycle() ? now() : next_issue_id_;
  fill_words(packet, c, threads);
  ++issued_packets_;
  active_lanes_ += packet.active;
  const unsigned lanes = plan.waves * std::min(parameters_.warp_size, parameters_.simd_width);
  filled_lanes_ += std::min(packet.active, lanes);
  if (!slots_[number].fills) offered_lanes_ += lanes;
  slots_[number].active = packet.active;
  if (packs_free_threads_) grouping_->packet_issues(op);
  if (state_.signals.on()) show_packet(number, packet);

  sm_.environment.clock = now();
  take_effect(packet);

  // Units, links, hazards.
  packet.waves = 1;
  if (unit != isa::Unit::control) {
    const unsigned unit_lanes = std::max(1u, std::min(units_.lanes(unit), parameters_.simd_width));
    packet.waves = static_cast<std::uint16_t>(plan.waves * std::max(1u, parameters_.simd_width / unit_lanes));
  }
  if (sm_.watch != nullptr) sm_.watch->issued(packet, contexts_[c], slots_[number].fills ? 0 : lanes);
  ++in_flight_[packet.block_slot];
  const bool variable = unit == isa::Unit::memory;
  const isa::TimingClass timing = op.timing_class;
  packet.hazard_token = hazards_->issued(contexts_, packet, variable);
  if (unit == isa::Unit::control) {
    packet.gathered = now();  // it has no operands to gather
    if (sm_.watch != nullptr) sm_.watch->entered(packet, Place::control);
    packet.latency = latency_of(op);
    const Cycle sleep = op.opcode == Opcode::nanosleep ? sleep_of(c, op) : 0;
    if (sleep > packet.latency) packet.latency = sleep;
    // A branch in a barrel is through when its way is known.
    if (is_branch(op) && parameters_.shape == PipelineShape::barrel)
      packet.latency = std::max(packet.latency, branch_wait());
    packet.latency = std::max(packet.latency, 1 + thread_lead_) - thread_lead_;
    events_.add(now() + packet.latency, now(), {EventKind::release, c, &packet});
  } else {
    const unsigned interval =
        unit == isa::Unit::memory ? 1 : parameters_.latency[static_cast<std::size_t>(timing)].interval;
    const Cycle occupied = static_cast<Cycle>(packet.waves) * interval;
    units_.take(unit, instance, plan.lanes, now(), occupied);
    // A consumer's waves follow each other too: only what a narrower or slower unit falls behind them adds.
    const Cycle behind = (packet.waves - 1u) * Cycle{interval};
    const Cycle streamed = plan.waves - 1u;
    packet.latency = 0;
    PacketHandle travelling = &packet;
    if (!variable) {
      packet.latency = latency_of(op) + (behind > streamed ? behind - streamed : 0);
      packet.latency = std::max(packet.latency, 1 + thread_lead_) - thread_lead_;
      packet.holders = 2;
      events_.add(now() + packet.latency, now(), {EventKind::release, c, &packet});
    }
    if (sm_.watch != nullptr) sm_.watch->entered(packet, Place::operands);
    link_to(unit).send(travelling);
  }

  // Where the context goes on.
  hold_context(c, packet, variable);
  switch (op.opcode) {
    case Opcode::bra:
    case Opcode::brx:
      branch_issued(c, packet);
      break;
    case Opcode::exit_:
    case Opcode::ret:
      leave(c, packet);
      break;
    case Opcode::bar:
      arrive_at_barrier(c, packet);
      break;
    case Opcode::nanosleep:
      fall_asleep(c, packet);
      break;
    default:
      if (first) grouping_->advanced(c);
      break;
  }
  update_ready(c);
}

void IssueStage::hold_context(ContextId c, Packet& packet, bool variable) {
  packet.keeps_context = false;
  if (parameters_.shape == PipelineShape::buffered) return;
  const bool all = grouping_->refetch(*packet.op) == GroupingUnit::Refetch::all_packets && !is_branch(*packet.op);
  packet.keeps_context = packet.first || all;
  // While further packets may come, the sequence itself is one more to wait for.
  if (packet.first) {
    contexts_.pipeline.set(c);
    kept_[c] = all ? 1 : 0;
  }
  if (packet.keeps_context) ++kept_[c];
  if (packet.last && all) --kept_[c];
  if (!packet.keeps_context) return;
  if (variable && parameters_.refetch == 0) return;  // its completion says when, and is a holder already
  ++packet.holders;
  // A fixed time is not put off by operands that come late.
  events_.add(now() + stay(packet), now(), {EventKind::leave_pipeline, c, &packet, parameters_.refetch != 0});
}

void IssueStage::branch_issued(ContextId c, const Packet& packet) {
  using Refetch = GroupingUnit::Refetch;
  const Refetch refetch = grouping_->refetch(*packet.op);
  if (packet.first) {
    contexts_.branch.set(c);
    branch_due_[c] = kNever;
    branch_taken_[c].clear();
    branch_left_[c].clear();
  }
  bool shows = packet.last || refetch == Refetch::first_packet;
  if (refetch == Refetch::first_divergent && packet.op->opcode == Opcode::bra) {
    for (unsigned w = 0; w < packet.word_count; ++w) {
      const PacketWord& word = packet.words[w];
      const std::uint32_t taken = isa::resolve_branch(*packet.op, *word.warp, word.mask).taken;
      branch_taken_[c].set_word32(w, branch_taken_[c].word32(w) | taken);
      branch_left_[c].set_word32(w, branch_left_[c].word32(w) | (word.mask & ~taken));
    }
    shows = shows || (branch_taken_[c].any() && branch_left_[c].any());
  }
  if (shows) branch_due_[c] = std::min(branch_due_[c], now() + branch_wait());
  if (!packet.last) return;
  if (branch_due_[c] <= now()) {
    resolve(c);
  } else {
    events_.add(branch_due_[c], now(), {EventKind::resolve, c, nullptr});
  }
}

Cycle IssueStage::sleep_of(ContextId c, const isa::MicroOp& op) const {
  const Context& context = contexts_[c];
  std::uint32_t nanoseconds = 0;
  for (unsigned w = 0; w < context.word_count; ++w) {
    const isa::WarpState& warp = context.words[w];
    isa::for_each_lane(isa::guarded(op, warp, context.word_mask(context.threads, w)),
                       [&](unsigned lane) { nanoseconds = std::max(nanoseconds, lane_value(op, 0, warp, lane)); });
  }
  const double time = std::min<double>(nanoseconds, kMostNanoseconds) * 1e-9;
  return static_cast<Cycle>(std::llround(time * sm_.gate.domain().hertz()));
}

void IssueStage::fall_asleep(ContextId c, const Packet& packet) {
  if (packet.first && packet.latency <= latency_of(*packet.op)) {
    // It asks for no more than the instruction takes.
    grouping_->advanced(c);
    return;
  }
  if (packet.first) {
    contexts_.branch.set(c);
    contexts_.asleep.set(c);
    branch_due_[c] = 0;
  }
  if (!contexts_.asleep.test(c)) return;
  branch_due_[c] = std::max(branch_due_[c], now() + packet.latency);
  if (packet.last) events_.add(branch_due_[c], now(), {EventKind::wake_up, c, nullptr});
}

void IssueStage::wake_up(ContextId c) {
  contexts_.branch.reset(c);
  contexts_.asleep.reset(c);
  contexts_.changed.set(c);
  if (contexts_.valid.test(c)) grouping_->advanced(c);
}

void IssueStage::take_effect(Packet& packet) {
  const isa::MicroOp& op = *packet.op;
  if (op.unit == isa::Unit::memory) {
    start_memory(packet);
    return;
  }
  if (op.lane_function != nullptr || op.opcode == Opcode::special) {
    if (isa::reads_time(op)) {
      sm_.environment.nanoseconds =
          static_cast<std::uint64_t>(sm_.gate.domain().time_of(now()) / sc_core::sc_time(1, sc_core::SC_NS));
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
      const std::uint32_t alone = word.mask & ~rendezvous_.take_settled(*word.warp, op, word.mask);
      if (alone != 0) isa::execute_collective(op, *word.warp, alone);
    }
    return;
  }
  switch (op.opcode) {
    case Opcode::bar_warp:
      for (unsigned w = 0; w < packet.word_count; ++w)
        rendezvous_.take_settled(*packet.words[w].warp, op, packet.words[w].mask);
      break;
    case Opcode::syscall:
      sm_.effects.add(packet);
      sm_.effect_sink->gathered(sm_.number);
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

bool IssueStage::waits_for_copies(ContextId c) const {
  const Context& context = contexts_[c];
  const isa::MicroOp& op = *context.next;
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

isa::PrefixShares IssueStage::shares_of(const isa::MicroOp& op, const PacketWord& word) {
  isa::PrefixShares shares;
  std::uint32_t alone = word.mask;
  alone &= ~rendezvous_.take_settled(*word.warp, op, word.mask, [&](std::uint32_t threads, std::uint32_t predicates) {
    shares.add(prefix_sum->sum(predicates), predicates, threads);
  });
  if (alone != 0) {
    const std::uint32_t predicates = isa::predicates_that_hold(op, *word.warp, alone);
    shares.add(prefix_sum->sum(predicates), predicates, alone);
  }
  return shares;
}

void IssueStage::start_memory(Packet& packet) {
  const isa::MicroOp& op = *packet.op;
  packet.memory = &sm_.packets.take_access();
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
    if (own_space(addresses.space)) {
      if (op.opcode == Opcode::prefetch) continue;
      if (isa::arrives_behind_copies(op) && copies_.any()) {
        // Threads with copies under way arrive when those are complete, the others now.
        isa::Addresses behind = addresses;
        behind.mask &= copies_.busy(*word.warp);
        if (behind.mask != 0) {
          isa::announce_arrivals(op, *word.warp, behind, *sm_.memory_port);
          copies_.arrive_behind(op, *word.warp, behind);
        }
        isa::Addresses now_due = addresses;
        now_due.mask &= ~behind.mask;
        isa::execute_memory(op, *word.warp, now_due, *sm_.memory_port);
        continue;
      }
      if (sm_.progress.on()) {
        sm_.progress.execute(op, *word.warp, addresses, *sm_.memory_port);
      } else {
        isa::execute_memory(op, *word.warp, addresses, *sm_.memory_port);
      }
    } else {
      // The bytes are moved at the end of the cycle.
      __builtin_prefetch(reinterpret_cast<const void*>(addresses.lowest));
      shared_by_sms = true;
    }
  }
  if (op.opcode == Opcode::async_copy) copies_.started(packet);
  if (shared_by_sms && op.opcode != Opcode::prefetch) {
    sm_.effects.add(packet);
    sm_.effect_sink->gathered(sm_.number);
  }
}

void IssueStage::resolve(ContextId c) {
  contexts_.branch.reset(c);
  contexts_.changed.set(c);
  if (!contexts_.valid.test(c)) return;
  // No thread of the context issued since the branch did: its registers still say where each goes.
  const Context& context = contexts_[c];
  const std::uint32_t pc = context.pc;
  const isa::MicroOp& op = context.kernel->ops[pc];
  const ThreadSet all = context.threads;
  const unsigned shift = context.shift;
  ways_.clear();
  ThreadSet taken, staying = all;
  for (unsigned w = 0; w < context.word_count; ++w) {
    const std::uint32_t mask = context.word_mask(all, w);
    const isa::WarpState& warp = context.words[w];
    if (mask != 0 && op.opcode == Opcode::bra) {
      taken.set_word32(w, isa::resolve_branch(op, warp, mask).taken >> shift);
    } else if (mask != 0) {
      for (std::uint32_t lanes = isa::guarded(op, warp, mask); lanes != 0; lanes &= lanes - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
        const std::uint32_t target = isa::resolve_indirect(op, warp, lane);
        auto way = std::find_if(ways_.begin(), ways_.end(), [&](const auto& x) { return x.pc == target; });
        if (way == ways_.end()) way = ways_.insert(ways_.end(), {target, {}});
        way->threads.set(32 * w + lane - shift);
        staying.reset(32 * w + lane - shift);
      }
    }
  }
  if (op.opcode == Opcode::bra) {
    staying = all - taken;
    if (taken.any()) ways_.push_back({op.target, taken});
  }
  if (staying.any()) {
    auto way = std::find_if(ways_.begin(), ways_.end(), [&](const auto& x) { return x.pc == pc + 1; });
    if (way == ways_.end()) {
      ways_.push_back({pc + 1, staying});
    } else {
      way->threads |= staying;
    }
  }
  ++branches_;
  if (ways_.size() > 1) ++divergent_branches_;
  grouping_->branched(c, op, ways_);
  if (sm_.progress.on()) note_branch(c, pc);
}

void IssueStage::leave(ContextId c, const Packet& packet) {
  std::uint32_t gone = 0;
  for (unsigned w = 0; w < packet.word_count; ++w) {
    packet.words[w].warp->live &= ~packet.words[w].mask;
    gone += static_cast<std::uint32_t>(std::popcount(packet.words[w].mask));
  }
  const std::uint16_t block = packet.block_slot;
  blocks_[block].live -= gone;
  leaving_[c] |= packet.threads;
  if (packet.last) {
    const ThreadSet left = leaving_[c];
    leaving_[c].clear();
    grouping_->exited(c, left);
  }
  if (gone == 0) return;
  sm_.progress.changed();
  std::uint32_t opened = barriers_.exited(block, gone);
  for (; opened != 0; opened &= opened - 1) open_barrier(block, static_cast<unsigned>(std::countr_zero(opened)));
  for (unsigned w = 0; w < packet.word_count; ++w) {
    while (Rendezvous::Meeting* meeting = rendezvous_.completed_by_exit(*packet.words[w].warp))
      settle_meeting(*meeting);
  }
}

void IssueStage::arrive_at_barrier(ContextId c, Packet& packet) {
  const isa::MicroOp& op = *packet.op;
  if (packet.first) grouping_->advanced(c);
  if (packet.active == 0) return;
  unsigned w = 0;
  while (packet.words[w].mask == 0) ++w;
  const auto lane = static_cast<unsigned>(std::countr_zero(packet.words[w].mask));
  const unsigned number =
      op.source_count > 0 && op.sources[0].present() ? lane_value(op, 0, *packet.words[w].warp, lane) : 0;
  const std::uint32_t expected =
      op.source_count > 1 && op.sources[1].present() ? lane_value(op, 1, *packet.words[w].warp, lane) : 0;
  if (number >= BarrierTable::kBarriers)
    isa::fail_barrier_number(*packet.words[w].warp, packet.words[w].mask, op.pc, number);
  ++barriers_waited_;
  BarrierTable::Barrier& barrier = barriers_.barrier(packet.block_slot, number);
  const bool reduces = op.bar_mode == isa::BarMode::red_popc || op.bar_mode == isa::BarMode::red_and ||
                       op.bar_mode == isa::BarMode::red_or;
  if (reduces) {
    for (w = 0; w < packet.word_count; ++w) {
      const std::uint32_t mask = packet.words[w].mask;
      std::uint32_t value = 0;
      const isa::Operand& operand = op.sources[2];
      const std::byte* base = operand.base == isa::Operand::Base::constants
                                  ? packet.words[w].warp->block->launch->kernel->constants.data()
                                  : packet.words[w].warp->registers;
      std::memcpy(&value, base + operand.offset, 4);
      if (operand.negate) value = ~value;
      barrier.true_count += static_cast<std::uint32_t>(std::popcount(value & mask));
      barrier.all = barrier.all && (value & mask) == mask;
      barrier.any = barrier.any || (value & mask) != 0;
    }
  }
  if (op.bar_mode != isa::BarMode::arrive) {
    ++packet.holders;
    barrier.waiting.push_back(&packet);
    contexts_.at_barrier[packet.warp] |= packet.threads;
    contexts_.changed.set(c);
    tell_waiting(c);
  }
  std::uint32_t arriving = packet.active;
  if (expected != 0) {
    // A count is in whole warps: threads that a warp lacks arrive with its last thread.
    for (w = 0; w < packet.word_count; ++w) {
      const std::uint32_t live = packet.words[w].warp->live;
      if (packet.words[w].mask > live / 2) arriving += static_cast<std::uint32_t>(std::popcount(~live));
    }
  }
  if (reduces) sm_.progress.changed();
  if (barriers_.arrive(packet.block_slot, number, arriving, expected)) open_barrier(packet.block_slot, number);
}

void IssueStage::check_convergence(const BarrierTable::Barrier& barrier, unsigned number) {
  arrived_at_.clear();
  for (const PacketHandle& packet : barrier.waiting) {
    for (unsigned w = 0; w < packet->word_count; ++w) {
      const PacketWord& word = packet->words[w];
      if (word.mask == 0) continue;
      if (arrived_at_.size() <= word.warp->index) arrived_at_.resize(word.warp->index + 1u);
      isa::BarrierWait& here = arrived_at_[word.warp->index];
      if (here.mask != 0 && here.pc != packet->op->pc)
        isa::fail_divergent_barrier(*word.warp, number, here, {word.mask, packet->op->pc});
      here = {here.mask | word.mask, packet->op->pc};
    }
  }
}

void IssueStage::open_barrier(std::uint16_t block, unsigned number) {
  BarrierTable::Barrier& barrier = barriers_.barrier(block, number);
  check_convergence(barrier, number);
  for (const PacketHandle& waiting : barrier.waiting) {
    if (waiting->op->bar_mode != isa::BarMode::sync) write_barrier_result(*waiting, barrier);
    events_.add(now() + std::max(1u, parameters_.barrier_latency), now(),
                {EventKind::end_barrier, waiting->context, waiting});
  }
  BarrierTable::reset(barrier);
}

void IssueStage::write_barrier_result(const Packet& packet, const BarrierTable::Barrier& barrier) {
  const isa::MicroOp& op = *packet.op;
  if (!op.destinations[0].present()) return;
  for (unsigned w = 0; w < packet.word_count; ++w) {
    std::byte* to = packet.words[w].warp->registers + op.destinations[0].offset;
    const std::uint32_t mask = packet.words[w].mask;
    if (op.bar_mode == isa::BarMode::red_popc) {
      for (std::uint32_t lanes = mask; lanes != 0; lanes &= lanes - 1) {
        std::memcpy(to + 4 * std::countr_zero(lanes), &barrier.true_count, 4);
      }
      continue;
    }
    std::uint32_t value = 0;
    std::memcpy(&value, to, 4);
    const bool result = op.bar_mode == isa::BarMode::red_and ? barrier.all : barrier.any;
    value = result ? value | mask : value & ~mask;
    std::memcpy(to, &value, 4);
  }
}

void IssueStage::waiting_ended(ContextId c) {
  tell_waiting(c);
  warp_contexts_[contexts_[c].warp].for_each([this](ContextId other) { contexts_.changed.set(other); });
}

void IssueStage::look_at_block(std::uint16_t block) {
  if (blocks_[block].used && blocks_[block].live == 0 && in_flight_[block] == 0) finish_block(block);
}

void IssueStage::finish_block(std::uint16_t block) {
  BlockDone done{blocks_[block].state.launch->id, blocks_[block].state.linear_index};
  if (checker_ != nullptr) checker_->finished(block);
  grouping_->release(block);
  settle_residency(now());
  blocks_.remove(block);
  if (sm_.watch != nullptr) sm_.watch->block_ends(block);
  ++blocks_finished_;
  finished.send(done);
}

}  // namespace heddle::sm
