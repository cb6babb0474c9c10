// SPDX-License-Identifier: Apache-2.0
#include "sm/memory/shared_memory.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "sm/memory/address_parts.h"

namespace heddle::sm {

BankConflicts::BankConflicts(const SharedMemoryParameters& parameters)
    : bank_mask_(parameters.banks - 1),
      word_shift_(static_cast<unsigned>(std::countr_zero(parameters.bank_bytes))),
      half_warps_(parameters.half_warps) {}

inline void BankConflicts::ask(std::uint32_t word) {
  const std::uint32_t bank = word & bank_mask_;
  if (((asked_ >> bank) & 1) == 0) {
    asked_ |= std::uint64_t{1} << bank;
    first_[bank] = word;
  } else if (first_[bank] != word) {
    further_.push_back(word);
  }
}

unsigned BankConflicts::most_of_a_bank() {
  if (further_.empty()) return 1;
  std::sort(further_.begin(), further_.end(), [this](std::uint32_t a, std::uint32_t b) {
    return std::pair(a & bank_mask_, a) < std::pair(b & bank_mask_, b);
  });
  unsigned most = 0, of_bank = 0;
  for (std::size_t i = 0; i < further_.size(); ++i) {
    if (i != 0 && further_[i] == further_[i - 1]) continue;
    const bool next_bank = i == 0 || ((further_[i] ^ further_[i - 1]) & bank_mask_) != 0;
    of_bank = next_bank ? 2 : of_bank + 1;
    most = std::max(most, of_bank);
  }
  return most;
}

unsigned BankConflicts::passes(const Packet& packet) {
  if (!half_warps_ && packet.word_count == 1) {
    const isa::Addresses& addresses = packet.memory->addresses[0];
    if (addresses.space == isa::Space::shared && addresses.mask != 0) {
      // Consecutive words are in consecutive banks, so what lies within one row of the banks has no conflict.
      const std::uint64_t words = ((addresses.highest - 1) >> word_shift_) - (addresses.lowest >> word_shift_) + 1;
      if (words <= bank_mask_ + 1) return 1;
      if (addresses.contiguous && addresses.mask == 0xffffffff) {
        return static_cast<unsigned>((words + bank_mask_) / (bank_mask_ + 1));
      }
    }
  }
  unsigned total = 0;
  const unsigned windows = half_warps_ ? 2 : 1;
  for (unsigned window = 0; window < windows; ++window) {
    start();
    ask(packet, window);
    if (asked_ != 0) total += most_of_a_bank();
  }
  return std::max(1u, total);
}

unsigned BankConflicts::passes(const std::vector<PacketHandle>& packets) {
  if (packets.size() == 1) return passes(*packets.front());
  unsigned total = 0;
  const unsigned windows = half_warps_ ? 2 : 1;
  for (unsigned window = 0; window < windows; ++window) {
    start();
    for (const PacketHandle& packet : packets) ask(*packet, window);
    if (asked_ != 0) total += most_of_a_bank();
  }
  return std::max(1u, total);
}

void BankConflicts::ask(const Packet& packet, unsigned window) {
  const unsigned bytes = isa::size_of(packet.op->type) * packet.op->vector_width;
  // A packet is part of one access, so all its words of 32 threads count together.
  for (unsigned w = 0; w < packet.word_count; ++w) {
    const isa::Addresses& addresses = packet.memory->addresses[w];
    // For generic accesses, only the lanes that address shared memory.
    std::uint32_t lanes = shared_part(addresses);
    if (half_warps_) lanes &= 0xffffu << (16 * window);
    std::uint64_t before = ~std::uint64_t{0};
    for (; lanes != 0; lanes &= lanes - 1) {
      const std::uint64_t address = addresses.value[static_cast<unsigned>(std::countr_zero(lanes))];
      if (address == before) continue;
      before = address;
      const auto offset = static_cast<std::uint32_t>(address & ~isa::kWindowMask);
      const std::uint32_t last = (offset + bytes - 1) >> word_shift_;
      for (std::uint32_t word = offset >> word_shift_; word <= last; ++word) ask(word);
    }
  }
}

SharedMemory::SharedMemory(sc_core::sc_module_name module_name, SmContext& sm)
    : Stage(module_name, sm.gate),
      accesses("accesses", sm.gate, stage_number(), {.width = sm.packets_per_access, .latency = 1}),
      to_memory("to_memory", sm.gate, stage_number()),
      done("done", sm.gate, stage_number()),
      sm_(sm),
      banks_(sm.parameters.shared),
      group_(sm.statistics, "shared_memory"),
      accesses_(group_, "accesses", "accesses to shared memory; narrow warps that issue together make one",
                unit::kAccesses),
      passes_(group_, "passes", "passes over the banks", unit::kCycles),
      conflicts_(group_, "conflict_cycles", "passes beyond the first of an access", unit::kCycles),
      state_(sm.services, sm.path("shared_memory"), sm.domain()),
      pc_(state_.signals.pulse("pc", 32, "program counter of the entering access")),
      passes_of_access_(state_.signals.pulse("passes", 10, "passes over the banks of the entering access")) {
  Derived(group_, "mean_passes", "mean passes over the banks per access", unit::kRatio,
          [this](const StatisticsView& v) { return v.ratio(passes_, accesses_); });
  state_.signals.changes_by_time(
      state_.signals.add("busy", 1, "an access is using the banks", [this] { return free_at_ > now(); }));
  state_.signals.add("waiting", 8, "accesses that wait for the banks", [this] { return accesses.occupancy(); });
  state_.signals.add("leaving", 8, "accesses that wait to leave", [this] { return left_.size(); });
  const SharedMemoryParameters& shared = sm.parameters.shared;
  const unsigned words = sm.parameters.residency.shared_bytes / std::max(1u, shared.banks * shared.bank_bytes);
  state_.structure("banks", "contents, by word of a bank", std::size_t{words} * shared.banks,
                   {{"word", shared.bank_bytes * 8, 1, 1}});
}

void SharedMemory::send_left() {
  std::size_t kept = 0;
  for (Leaving& leaving : left_) {
    LinkOut<PacketHandle>& link = leaving.shared_only ? done : to_memory;
    if (link.can_send()) {
      __builtin_prefetch(&*leaving.packet);  // for the receiver
      link.send(leaving.packet);
    } else {
      left_[kept++] = leaving;
    }
  }
  left_.resize(kept);
}

void SharedMemory::take_access() {
  Packet& first = **accesses.front();
  access_.clear();
  for (PacketHandle* front = accesses.front(); front != nullptr && access_.size() < sm_.packets_per_access;
       front = accesses.front()) {
    if ((*front)->access_group != first.access_group || (*front)->op->opcode != first.op->opcode) break;
    access_.push_back(*front);
    accesses.pop();
  }
  const unsigned passes = banks_.passes(access_);
  if (state_.signals.on()) {
    state_.signals.fire(pc_, first.op->pc);
    state_.signals.fire(passes_of_access_, passes);
  }
  ++accesses_;
  passes_ += passes;
  conflicts_ += passes - 1;
  free_at_ = now() + passes;
  for (const PacketHandle& packet : access_) {
    if (sm_.watch != nullptr) sm_.watch->entered(*packet, PipelineStage::shared_memory);
    // Subtract the links still ahead until the result may be read: to write-back and to issue, preceded by the one to
    // the memory stage if the packet also accesses the caches.
    const Cycle due = packet->issued + sm_.parameters.shared.latency + packet->address_delay;
    const Cycle way = packet->shared_only ? 2 : 3;
    leaving_.add(std::max(due > way ? due - way : due, now()) + passes - 1, now(), packet, packet->shared_only);
  }
}

void SharedMemory::cycle() {
  if (accesses.front() != nullptr && free_at_ <= now()) take_access();
  leaving_.take(now(), [this](const Leaving& leaving) { left_.push_back(leaving); });
  send_left();
  Cycle next = leaving_.next(now());
  if (!left_.empty()) next = now() + 1;
  if (accesses.occupancy() != 0) next = std::min(next, std::max(free_at_, now() + 1));
  if (next != kNever) wake(next);
}

}  // namespace heddle::sm
