// SPDX-License-Identifier: Apache-2.0
// Reports of the memory stage to the issue stage on incomplete packets: cache misses, and the threads that already have
// their data.
#include <algorithm>
#include <bit>
#include <utility>

#include "sm/memory/memory_stage.h"

namespace heddle::sm {

void MemoryStage::missed(const RequestPort&, tlm::tlm_generic_payload& payload, Cycle visible) {
  missed_.push_back({RequestInfo::of(payload)->access, visible});
  wake(visible);
}

void MemoryStage::take_misses() {
  std::size_t kept = 0;
  for (const Missed& missed : missed_) {
    if (missed.visible > now()) {
      missed_[kept++] = missed;
      continue;
    }
    // The reply is outstanding, so the tag still names the same access.
    const Access& access = *accesses_[(missed.tag >> 32) - 1];
    for (std::uint64_t members = access.transactions[missed.tag & 0xffffffff].members; members != 0;
         members &= members - 1)
      note_miss(*access.packets[static_cast<std::size_t>(std::countr_zero(members))]);
  }
  missed_.resize(kept);
}

void MemoryStage::note_miss(Packet& packet) {
  if (!std::exchange(packet.missed, true)) to_report_.push_back(&packet);
}

void MemoryStage::report_misses() {
  std::size_t kept = 0;
  for (const PacketHandle& packet : to_report_) {
    // Skip packets whose lines arrived while the report waited for the link.
    if (packet->outstanding == 0) continue;
    if (reports.can_send()) {
      MemoryReport report{packet, MemoryReport::What::missed, {}};
      reports.send(report);
    } else {
      to_report_[kept++] = packet;
    }
  }
  to_report_.resize(kept);
  if (kept != 0) wake(now() + 1);
}

void MemoryStage::report_returns() {
  while (!watched_.empty() && watched_.front().due <= now() && reports.can_send()) {
    const Watched watched = watched_.front();
    const Access& access = *accesses_[watched.access];
    watched_.erase(watched_.begin());
    // A completed entry may already have been reused for another access.
    const std::size_t back = static_cast<std::size_t>(std::count(access.back.begin(), access.back.end(), true));
    if (access.number != watched.number || access.to_reply == 0 || back == 0 || back == access.back.size()) continue;
    MemoryReport some{access.only, MemoryReport::What::returned, served(*access.only, access)};
    if (some.threads.any()) reports.send(some);
  }
  if (!watched_.empty()) wake(std::max(watched_.front().due, now() + 1));
}

ThreadSet MemoryStage::served(const Packet& packet, const Access& access) const {
  const unsigned bytes = std::max(1u, isa::size_of(packet.op->type)) * packet.op->vector_width;
  const auto is_back = [&](std::uint64_t address) {
    for (std::size_t i = 0; i < access.transactions.size(); ++i) {
      const Transaction& line = access.transactions[i];
      if (address >= line.address && address < line.address + line.bytes) return bool{access.back[i]};
    }
    return true;
  };
  ThreadSet threads;
  for (unsigned w = 0; w < packet.word_count; ++w) {
    const isa::Addresses& addresses = packet.memory->addresses[w];
    for (std::uint32_t lanes = packet.words[w].mask; lanes != 0; lanes &= lanes - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
      if (!is_back(addresses.value[lane]) || !is_back(addresses.value[lane] + bytes - 1)) continue;
      threads.set(std::size_t{32} * w + lane - packet.words[w].shift);
    }
  }
  return threads;
}

}  // namespace heddle::sm
