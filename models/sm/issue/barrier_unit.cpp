// SPDX-License-Identifier: Apache-2.0
#include "sm/issue/barrier_unit.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "sm/issue/lane_value.h"

namespace heddle::sm {

namespace {

bool reduces(const isa::MicroOp& op) {
  return op.bar_mode == isa::BarMode::red_popc || op.bar_mode == isa::BarMode::red_and ||
         op.bar_mode == isa::BarMode::red_or;
}

/// Adds the predicates of a packet's threads to the barrier's reduction.
void add_predicates(BarrierTable::Barrier& barrier, const Packet& packet) {
  const isa::Operand& operand = packet.op->sources[2];
  for (unsigned w = 0; w < packet.word_count; ++w) {
    const std::uint32_t mask = packet.words[w].mask;
    std::uint32_t value = 0;
    std::memcpy(&value, operand_base(operand, *packet.words[w].warp) + operand.offset, 4);
    if (operand.negate) value = ~value;
    barrier.true_count += static_cast<std::uint32_t>(std::popcount(value & mask));
    barrier.all = barrier.all && (value & mask) == mask;
    barrier.any = barrier.any || (value & mask) != 0;
  }
}

void write_result(const Packet& packet, const BarrierTable::Barrier& barrier) {
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

}  // namespace

BarrierUnit::BarrierUnit(SmContext& sm, IssueEvents& events, WaitingThreads& waiting, const StatisticsGroup& group)
    : sm_(sm),
      events_(events),
      waiting_(waiting),
      arrivals_(group, "barriers", "arrivals of contexts at block barriers", unit::kEvents) {}

void BarrierUnit::arrive(ContextId c, Packet& packet) {
  if (packet.active == 0) return;
  const isa::MicroOp& op = *packet.op;
  unsigned w = 0;
  while (packet.words[w].mask == 0) ++w;
  const PacketWord& first = packet.words[w];
  const auto lane = static_cast<unsigned>(std::countr_zero(first.mask));
  const auto operand = [&](unsigned source) {
    return op.source_count > source && op.sources[source].present() ? lane_value(op, source, *first.warp, lane) : 0;
  };
  const unsigned number = operand(0);
  const std::uint32_t expected = operand(1);
  if (number >= BarrierTable::kBarriers) isa::fail_barrier_number(*first.warp, first.mask, op.pc, number);
  ++arrivals_;
  BarrierTable::Barrier& barrier = barriers_.barrier(packet.block_slot, number);
  if (reduces(op)) add_predicates(barrier, packet);
  if (op.bar_mode != isa::BarMode::arrive) {
    ++packet.holders;
    if (sm_.events.barrier_arrived.any()) sm_.events.barrier_arrived.tell(packet);
    barrier.waiting.push_back(&packet);
    sm_.contexts.at_barrier.add(packet.warp, packet.threads);
    sm_.contexts.changed.set(c);
    waiting_.changed(c);
  }
  std::uint32_t arriving = packet.active;
  if (expected != 0) {
    // Counts are in whole warps: the missing threads of a partial warp arrive together with its last live thread.
    for (w = 0; w < packet.word_count; ++w) {
      const std::uint32_t live = packet.words[w].warp->live;
      if (packet.words[w].mask > live / 2) arriving += static_cast<std::uint32_t>(std::popcount(~live));
    }
  }
  if (reduces(op)) sm_.progress.changed();
  if (barriers_.arrive(packet.block_slot, number, arriving, expected)) open(packet.block_slot, number);
}

void BarrierUnit::exited(BlockSlot block, std::uint32_t threads) {
  std::uint32_t opened = barriers_.exited(block, threads);
  for (; opened != 0; opened &= opened - 1) open(block, static_cast<unsigned>(std::countr_zero(opened)));
}

void BarrierUnit::check_convergence(const BarrierTable::Barrier& barrier, unsigned number) {
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

void BarrierUnit::open(BlockSlot block, unsigned number) {
  if (sm_.events.barrier_opened.any()) sm_.events.barrier_opened.tell(block);
  BarrierTable::Barrier& barrier = barriers_.barrier(block, number);
  check_convergence(barrier, number);
  const Cycle now = sm_.gate.now();
  for (const PacketHandle& waiting : barrier.waiting) {
    if (waiting->op->bar_mode != isa::BarMode::sync) write_result(*waiting, barrier);
    events_.add(now + std::max(1u, sm_.parameters.barrier_latency), now, IssueEvent::Kind::end_barrier,
                waiting->context, waiting);
  }
  BarrierTable::reset(barrier);
}

void BarrierUnit::ended(const IssueEvent& event) {
  sm_.contexts.at_barrier.remove(event.packet->warp, event.packet->threads);
  sm_.packets.drop(*event.packet);
  waiting_.ended(event.context);
}

}  // namespace heddle::sm
