// SPDX-License-Identifier: Apache-2.0
#include "sm/effects.h"

#include <utility>

#include "core/kernel/outbox.h"

namespace heddle::sm {

namespace {

/// Loads and stores of memory that no shorter way leads to.
bool can_be_late(const Packet& packet) {
  if (packet.op->opcode != isa::Opcode::ld && packet.op->opcode != isa::Opcode::st) return false;
  for (unsigned w = 0; w < packet.word_count; ++w) {
    if (packet.words[w].mask != 0 && packet.memory->addresses[w].space != isa::Space::global) return false;
  }
  return true;
}

void apply_at_once(const Packet& packet, isa::MemoryPort& port, ProgressWatch& progress) {
  for (unsigned w = 0; w < packet.word_count; ++w) {
    const PacketWord& word = packet.words[w];
    if (word.mask == 0) continue;
    if (packet.op->opcode == isa::Opcode::tex) {
      port.texture(*packet.op, *word.warp, word.mask);
    } else if (packet.op->opcode == isa::Opcode::syscall) {
      port.system_call(*packet.op, *word.warp, word.mask);
      progress.changed();
    } else if (own_space(packet.memory->addresses[w].space)) {
      continue;  // only other words of this packet leave the SM
    } else if (progress.on()) {
      progress.execute(*packet.op, *word.warp, packet.memory->addresses[w], port);
    } else {
      isa::execute_memory(*packet.op, *word.warp, packet.memory->addresses[w], port);
    }
  }
}

}  // namespace

bool may_run_ahead(isa::Opcode opcode) {
  switch (opcode) {
    case isa::Opcode::syscall:
    case isa::Opcode::tex:
    case isa::Opcode::async_copy:
    case isa::Opcode::mbarrier:
    case isa::Opcode::cond_acc:
      return false;
    default:
      return true;
  }
}

bool EffectQueue::add(Packet& packet, Cycle now) {
  if (!Outbox::in_window() || !can_be_late(packet)) {
    queue_.push_back({now, &packet, nullptr});
    return true;
  }
  for (unsigned w = 0; w < packet.word_count; ++w) {
    if (packet.words[w].mask == 0) continue;
    if (spare_.empty()) spare_.push_back(std::make_unique<Late>());
    spare_.back()->take(packet, w);
    queue_.push_back({now, nullptr, std::move(spare_.back())});
    spare_.pop_back();
  }
  return false;
}

void EffectQueue::apply(isa::MemoryPort& port, ProgressWatch& progress, Cycle now) {
  for (; applied_ < queue_.size() && queue_[applied_].at <= now; ++applied_) {
    Queued& queued = queue_[applied_];
    if (queued.late == nullptr) {
      apply_at_once(*queued.packet, port, progress);
    } else {
      queued.late->apply(port);
      spare_.push_back(std::move(queued.late));
    }
  }
  if (applied_ != queue_.size()) return;
  queue_.clear();
  applied_ = 0;
}

void EffectQueue::Late::take(const Packet& packet, unsigned w) {
  op = packet.op;
  warp = packet.words[w].warp;
  addresses = packet.memory->addresses[w];
  if (op->opcode == isa::Opcode::st) isa::read_stored(*op, *warp, values);
}

void EffectQueue::Late::apply(isa::MemoryPort& port) const {
  if (op->opcode == isa::Opcode::st) {
    isa::execute_store(*op, *warp, addresses, port, values);
  } else {
    isa::execute_memory(*op, *warp, addresses, port);
  }
}

}  // namespace heddle::sm
