// SPDX-License-Identifier: Apache-2.0
#include "gpu/checks/hazard_checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "gpu/checks/checked_access.h"
#include "gpu/functional/functional_report.h"
#include "isa/operands.h"

namespace heddle::gpu {
namespace {

using isa::Opcode;
using isa::Space;

constexpr std::uint64_t kSharedKey = std::uint64_t{1} << 62;  // key space of shared memory words
constexpr std::uint64_t kWordBytes = 4;

}  // namespace

std::string Hazard::text() const {
  const auto verb = [](bool writes) { return writes ? "writes" : "reads"; };
  return fmt::format(
      "kernel '{}': threads {} and {} of block ({},{},{}) access {} without synchronisation: the first {} it at {}, "
      "the second {} it at {} ({} time{})",
      kernel, first_thread, second_thread, block.x, block.y, block.z, place, verb(first_writes), first,
      verb(second_writes), second, times, times == 1 ? "" : "s");
}

void HazardChecker::started(const isa::WarpState& warp) {
  auto& history = histories_[warp.registers];
  history = std::make_unique<WarpHistory>();
  for (Clock& clock : history->clocks) clock.fill(0);
  for (unsigned lane = 0; lane < kLanes; ++lane) history->clocks[lane][lane] = 1;
}

HazardChecker::WarpHistory& HazardChecker::history(const isa::WarpState& warp) {
  return *histories_.at(warp.registers);
}

void HazardChecker::met(const isa::WarpState& warp, std::uint32_t mask) {
  WarpHistory& h = history(warp);
  if ((warp.live & ~mask) == 0) {
    // All threads have seen everything, so no earlier access can conflict.
    h.words.clear();
    h.atomics.clear();
  }
  Clock joined{};
  isa::for_each_lane(mask, [&](unsigned lane) {
    for (unsigned i = 0; i < kLanes; ++i) joined[i] = std::max(joined[i], h.clocks[lane][i]);
  });
  isa::for_each_lane(mask, [&](unsigned lane) {
    h.clocks[lane] = joined;
    ++h.clocks[lane][lane];
  });
}

void HazardChecker::acquire(WarpHistory& h, unsigned lane, std::uint64_t key) {
  const auto place = h.atomics.find(key);
  if (place == h.atomics.end()) return;
  Clock& mine = h.clocks[lane];
  for (unsigned i = 0; i < kLanes; ++i) mine[i] = std::max(mine[i], place->second[i]);
}

void HazardChecker::release(WarpHistory& h, unsigned lane, std::uint64_t key) {
  h.atomics[key] = h.clocks[lane];
  ++h.clocks[lane][lane];
}

void HazardChecker::use_object(WarpHistory& h, const isa::MicroOp& op, const isa::WarpState& warp, unsigned lane,
                               std::uint64_t offset) {
  using isa::MbarrierMode;
  const std::uint64_t key = offset | kSharedKey;
  const bool waits = isa::waits_at_mbarrier(op);
  const bool plain = op.mbarrier_mode == MbarrierMode::init || op.mbarrier_mode == MbarrierMode::inval;
  if (!plain) acquire(h, lane, key);
  touch(h, {&op, &warp, lane, !waits, !plain && !waits, waits, Space::shared}, offset, 2 * kWordBytes);
  if (plain || waits) return;
  if (isa::arrives_behind_copies(op)) {
    h.copies.end([&](const CopyInFlight& copy) {
      if (copy.lane == lane) land(h, copy);
      return copy.lane == lane;
    });
  }
  release(h, lane, key);
}

void HazardChecker::copied(const isa::MicroOp& op, const isa::WarpState& warp, const isa::Addresses& addresses) {
  WarpHistory& h = history(warp);
  isa::for_each_lane(addresses.counting, [&](unsigned lane) {
    if (const std::uint32_t read = isa::bytes_read(op, warp, lane); read != 0)
      touch(h, {&op, &warp, lane, false, false, false, Space::global}, addresses.value[lane], read);
    CopyInFlight copy;
    copy.lane = lane;
    copy.place = isa::copy_target(op, warp, lane);
    copy.bytes = addresses.bytes;
    copy.stamp.pc = op.pc;
    touch(h, {&op, &warp, lane, true, false, false, Space::shared}, copy.place, copy.bytes);
    h.copies.started(std::move(copy), [](const CopyInFlight&) {});
  });
}

void HazardChecker::copies(const isa::MicroOp& op, const isa::WarpState& warp, std::uint32_t mask) {
  WarpHistory& h = history(warp);
  if (op.opcode == isa::Opcode::async_commit) return h.copies.committed(mask);
  h.copies.waited(op, warp, mask, [&](const CopyInFlight& copy) { land(h, copy); });
}

/// Records the store of a completed copy. Accesses in the meantime were checked against the copy itself.
void HazardChecker::land(WarpHistory& h, const CopyInFlight& copy) {
  for (std::uint64_t at = copy.place; at < copy.place + copy.bytes; at += kWordBytes) {
    Word& word = h.words[at | kSharedKey];
    const auto put = [&](Location& place) {
      place = {h.clocks[copy.lane][copy.lane], copy.stamp.pc, static_cast<std::uint8_t>(copy.lane), true, false, {}};
    };
    if (word.bytes.empty()) put(word.whole);
    for (Location& place : word.bytes) put(place);
  }
}

void HazardChecker::memory(const isa::MicroOp& op, const isa::WarpState& warp, const isa::Addresses& addresses) {
  if (op.opcode == Opcode::mbarrier) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(addresses.mask));
    return use_object(history(warp), op, warp, lane, place_of(addresses, lane));
  }
  const bool stores = is_store(op), atomic = is_atomic(op);
  if (!stores && !atomic && op.opcode != Opcode::ld) return;
  if (op.non_coherent) return;  // declared read-only by the program
  WarpHistory& h = history(warp);
  const unsigned bytes = isa::size_of(op.type) * op.vector_width;
  std::array<std::byte, 32> value, other;
  isa::for_each_lane(addresses.mask, [&](unsigned lane) {
    if (is_private(addresses, lane)) return;
    const bool shared = on_chip(addresses, lane);
    const std::uint64_t address = place_of(addresses, lane);
    const std::uint64_t key = address | (shared ? kSharedKey : 0);
    const Access access{
        &op, &warp, lane, stores || atomic, atomic, op.is_volatile && !stores, shared ? Space::shared : Space::global};
    if (atomic || access.is_volatile) acquire(h, lane, key);
    if (stores) {
      stored_bytes(op, warp, lane, value.data());
      // Another lane of this store may have written the location already; only differing values matter.
      bool same = std::memcmp(value.data(), bytes_at(warp, addresses, lane), bytes) == 0;
      isa::for_each_lane(addresses.mask & ((1u << lane) - 1), [&](unsigned earlier) {
        if (addresses.value[earlier] != addresses.value[lane]) return;
        stored_bytes(op, warp, earlier, other.data());
        same = std::memcmp(value.data(), other.data(), bytes) == 0;
      });
      if (same) return;
    }
    touch(h, access, address, bytes);
    if (atomic) release(h, lane, key);
  });
}

void HazardChecker::touch(WarpHistory& h, const Access& access, std::uint64_t address, unsigned bytes) {
  const std::uint64_t space = access.space == Space::shared ? kSharedKey : 0;
  const Clock& mine = h.clocks[access.lane];
  const std::uint64_t end = address + bytes;
  for (std::uint64_t at = address & ~std::uint64_t{kWordBytes - 1}; at < end; at += kWordBytes) {
    Word& word = h.words[at | space];
    const bool all = at >= address && at + kWordBytes <= end;
    if (all && word.bytes.empty()) {
      touch_location(mine, access, word.whole, at);
      continue;
    }
    if (word.bytes.empty()) word.bytes.assign(kWordBytes, word.whole);
    for (std::uint64_t byte = std::max(at, address); byte < std::min(at + kWordBytes, end); ++byte)
      touch_location(mine, access, word.bytes[byte - at], byte);
  }
}

void HazardChecker::touch_location(const Clock& mine, const Access& access, Location& place, std::uint64_t address) {
  const bool polls = access.is_volatile && place.by_atomic;
  if (place.written && !polls && place.writer != access.lane && place.write_clock > mine[place.writer]) {
    report(access, place.write_pc, place.writer, true, address);
  }
  if (access.writes) {
    for (const Readers& readers : place.readers) {
      if (access.atomic && readers.is_volatile) continue;
      isa::for_each_lane(readers.mask & ~(1u << access.lane), [&](unsigned lane) {
        if (readers.clock > mine[lane]) report(access, readers.pc, lane, false, address);
      });
    }
    place.write_clock = mine[access.lane];
    place.write_pc = access.op->pc;
    place.writer = static_cast<std::uint8_t>(access.lane);
    place.written = true;
    place.by_atomic = access.atomic;
    place.readers.clear();
    return;
  }
  const std::uint32_t bit = 1u << access.lane;
  for (Readers& readers : place.readers) {
    if (readers.clock == mine[access.lane] && readers.pc == access.op->pc) {
      readers.mask |= bit;
      return;
    }
  }
  place.readers.push_back({mine[access.lane], bit, access.op->pc, access.is_volatile});
}

void HazardChecker::report(const Access& access, std::uint32_t earlier_pc, unsigned earlier_lane, bool earlier_writes,
                           std::uint64_t address) {
  const isa::Kernel* kernel = access.warp->block->launch->kernel;
  const auto [found, fresh] = found_.try_emplace({kernel, earlier_pc, access.op->pc}, hazards_.size());
  if (fresh) {
    Hazard hazard;
    hazard.kernel = kernel->name;
    hazard.first = describe_instruction(*kernel, earlier_pc);
    hazard.second = describe_instruction(*kernel, access.op->pc);
    hazard.first_writes = earlier_writes;
    hazard.second_writes = access.writes;
    hazard.space = access.space;
    hazard.place = access.space == Space::shared ? describe_shared(*kernel, address) : fmt::format("{:#x}", address);
    hazard.first_thread = access.warp->index * kLanes + earlier_lane;
    hazard.second_thread = access.warp->index * kLanes + access.lane;
    hazard.block = access.warp->block->index;
    hazards_.push_back(std::move(hazard));
  }
  ++hazards_[found->second].times;
}

}  // namespace heddle::gpu
