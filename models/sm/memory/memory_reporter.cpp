// SPDX-License-Identifier: Apache-2.0
#include "sm/memory/memory_reporter.h"

#include <bit>
#include <utility>

namespace heddle::sm {

namespace {

/// Threads of the group's only packet, by position in its context, all of whose bytes are in returned lines.
ThreadSet served(const AccessGroup& group) {
  const Packet& packet = *group.only;
  const unsigned bytes = bytes_per_thread(packet);
  const auto is_back = [&](std::uint64_t address) {
    for (std::size_t i = 0; i < group.transactions.size(); ++i) {
      const Transaction& line = group.transactions[i];
      if (address >= line.address && address < line.address + line.bytes) return bool{group.back[i]};
    }
    return true;
  };
  ThreadSet threads;
  for (unsigned w = 0; w < packet.word_count; ++w) {
    const isa::Addresses& addresses = packet.memory->addresses[w];
    for (std::uint32_t lanes = packet.words[w].mask; lanes != 0; lanes &= lanes - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
      if (!is_back(addresses.value[lane]) || !is_back(addresses.value[lane] + bytes - 1)) continue;
      threads.set(std::size_t{32} * w + lane - static_cast<unsigned>(std::countr_zero(packet.words[w].own)));
    }
  }
  return threads;
}

}  // namespace

void MemoryReporter::sent(std::uint32_t index, Cycle now) {
  const AccessGroup& group = table_[index];
  if (!wants_returns() || !group.only || group.what.kind != AccessKind::load || group.transactions.size() <= 1) return;
  watched_.push_back({index, group.number, now + wanted_.return_wait});
}

void MemoryReporter::note(const AccessGroup& group, std::size_t transaction) {
  group.for_members(group.transactions[transaction].members, [this](Packet& packet) {
    if (!std::exchange(packet.missed, true)) to_report_.push_back(&packet);
  });
}

void MemoryReporter::take_visible_misses(Cycle now) {
  std::size_t kept = 0;
  for (const Missed& missed : missed_) {
    if (missed.visible > now) {
      missed_[kept++] = missed;
    } else {
      // The reply is outstanding, so the tag still names the same group.
      note(table_[missed.tag.group()], missed.tag.transaction());
    }
  }
  missed_.erase(missed_.begin() + static_cast<std::ptrdiff_t>(kept), missed_.end());
}

MemoryReport MemoryReporter::returned(const Watched& watched) const {
  const AccessGroup& group = table_[watched.index];
  MemoryReport report{group.only, MemoryReport::What::returned, {}};
  // The entry of a group that has ended may already be another's.
  if (group.number != watched.number || group.to_reply == 0) return report;
  const auto back = static_cast<std::size_t>(std::count(group.back.begin(), group.back.end(), true));
  if (back != 0 && back != group.back.size()) report.threads = served(group);
  return report;
}

}  // namespace heddle::sm
