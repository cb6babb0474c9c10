// SPDX-License-Identifier: Apache-2.0
#include "gpu/checks/race_checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "gpu/checks/checked_access.h"
#include "gpu/functional/functional_report.h"
#include "isa/operands.h"

namespace heddle::gpu {
namespace {

constexpr std::uint64_t kLocationBytes = 4;
constexpr unsigned kMostBytes = 32;  // largest access of a lane

/// Coordinates of a block in the grid.
Dim3 block_index(const Dim3& grid, std::uint32_t linear) {
  return {linear % grid.x, linear / grid.x % grid.y, linear / grid.x / grid.y};
}

}  // namespace

std::string Race::text() const {
  const auto verb = [](bool writes) { return writes ? "writes" : "reads"; };
  if (in_flight) {
    return fmt::format(
        "kernel '{}': race for {}: {} copies to it at {}, {} {} it at {}, without a wait for the copy by the first: "
        "use cp.async.wait_group, wait_all or an mbarrier, then synchronise the threads ({} time{})",
        kernel, place, first_thread, first, second_thread, verb(second_writes), second, times, times == 1 ? "" : "s");
  }
  return fmt::format(
      "kernel '{}': race for {}: {} {} it at {}, {} {} it at {}, without synchronisation ({}, {} time{}){}", kernel,
      place, first_thread, verb(first_writes), first, second_thread, verb(second_writes), second,
      first_writes && second_writes ? "write-write" : "read-write", times, times == 1 ? "" : "s",
      harmless ? "; the value is the same in either order" : "");
}

RaceChecker::BlockClocks& RaceChecker::clocks_of(const isa::BlockState& block) { return *blocks_.at(&block); }

void RaceChecker::started(const isa::WarpState& warp) {
  const isa::BlockState& state = *warp.block;
  if (state.launch->id != launch_) {
    // Launches are ordered, so start afresh.
    launch_ = state.launch->id;
    blocks_.clear();
    global_locations_.clear();
    global_syncs_.clear();
  }
  if (warp.index == 0) {
    auto block = std::make_unique<BlockClocks>();
    block->number = static_cast<std::uint32_t>(state.linear_index);
    block->warps.resize((state.threads + kLanes - 1) / kLanes);
    block->shared.resize((state.launch->shared_bytes + kLocationBytes - 1) / kLocationBytes);
    blocks_[&state] = std::move(block);
  }
  WarpClocks& clocks = clocks_of(state).warps[warp.index];
  for (unsigned lane = 0; lane < kLanes; ++lane) clocks.views[lane].warp[lane] = 1;
}

// -- order

/// Makes the pasts acquired by earlier strong reads take effect.
void RaceChecker::settle(BlockClocks& block, const isa::WarpState& warp, std::uint32_t mask) {
  WarpClocks& clocks = block.warps[warp.index];
  if (clocks.pending.empty()) return;
  isa::for_each_lane(mask, [&](unsigned lane) {
    const auto found = clocks.pending.find(lane);
    if (found == clocks.pending.end()) return;
    for (const Pending& pending : found->second) clocks.views[lane].acquire(viewer(block, warp), pending.past, global_);
    clocks.pending.erase(found);
  });
}

SharedPast RaceChecker::fenced_past(BlockClocks& block, const isa::WarpState& warp, Fenced* fenced, unsigned lane) {
  if (fenced == nullptr) return nullptr;
  if ((fenced->fresh >> lane & 1) != 0) {
    fenced->pasts[lane] =
        fenced->views[lane].publish(viewer(block, warp), static_cast<std::uint32_t>(block.warps.size()));
    fenced->fresh &= ~(1u << lane);
  }
  return fenced->pasts[lane];
}

void RaceChecker::meet_fenced(BlockClocks& block, const isa::WarpState& warp, Fenced* fenced, std::uint32_t mask) {
  if (fenced == nullptr) return;
  SharedPast all;
  if (const std::uint32_t fresh = fenced->fresh & mask; fresh != 0) {
    const auto leader = static_cast<unsigned>(__builtin_ctz(fresh));
    isa::for_each_lane(fresh & (fresh - 1), [&](unsigned lane) { fenced->views[leader].join(fenced->views[lane]); });
    all = fenced_past(block, warp, fenced, leader);
  }
  isa::for_each_lane(mask & ~fenced->fresh, [&](unsigned lane) { all = joined(all, fenced->pasts[lane]); });
  fenced->fresh &= ~mask;
  isa::for_each_lane(mask, [&](unsigned lane) { fenced->pasts[lane] = all; });
}

void RaceChecker::met(const isa::WarpState& warp, std::uint32_t mask) {
  BlockClocks& block = clocks_of(*warp.block);
  WarpClocks& clocks = block.warps[warp.index];
  settle(block, warp, mask);
  View all = clocks.views[static_cast<unsigned>(__builtin_ctz(mask))];
  isa::for_each_lane(mask & (mask - 1), [&](unsigned lane) { all.join(clocks.views[lane]); });
  isa::for_each_lane(mask, [&](unsigned lane) {
    clocks.views[lane] = all;
    ++clocks.views[lane].warp[lane];
  });
  meet_fenced(block, warp, clocks.block_fenced.get(), mask);
  meet_fenced(block, warp, clocks.device_fenced.get(), mask);
}

void RaceChecker::fence(const isa::MicroOp& op, const isa::WarpState& warp, std::uint32_t mask) {
  BlockClocks& block = clocks_of(*warp.block);
  WarpClocks& clocks = block.warps[warp.index];
  settle(block, warp, mask);
  const auto keep = [&](std::unique_ptr<Fenced>& fenced) {
    if (fenced == nullptr) fenced = std::make_unique<Fenced>();
    isa::for_each_lane(mask, [&](unsigned lane) { fenced->views[lane] = clocks.views[lane]; });
    fenced->fresh |= mask;
  };
  keep(clocks.block_fenced);
  if (op.scope != isa::Scope::cta) keep(clocks.device_fenced);
  isa::for_each_lane(mask, [&](unsigned lane) { ++clocks.views[lane].warp[lane]; });
}

void RaceChecker::arrived(const isa::WarpState& warp, std::uint32_t mask, unsigned barrier) {
  BlockClocks& block = clocks_of(*warp.block);
  WarpClocks& clocks = block.warps[warp.index];
  Gathering& gathering = block.barriers[barrier];
  settle(block, warp, mask);
  if (!gathering.open) {
    gathering = {};
    gathering.open = true;
    gathering.clocks.resize(block.warps.size() * kLanes);
  }
  std::uint32_t* const mates = &gathering.clocks[std::size_t{warp.index} * kLanes];
  const Clocks* last = nullptr;
  isa::for_each_lane(mask, [&](unsigned lane) {
    View& view = clocks.views[lane];
    if (view.block != nullptr && view.block.get() != last) {
      last = view.block.get();
      for (std::size_t i = 0; i < last->size(); ++i) gathering.clocks[i] = std::max(gathering.clocks[i], (*last)[i]);
    }
    gathering.others = joined(gathering.others, view.others);
  });
  isa::for_each_lane(mask, [&](unsigned lane) {
    View& view = clocks.views[lane];
    for (unsigned i = 0; i < kLanes; ++i) mates[i] = std::max(mates[i], view.warp[i]);
    ++view.warp[lane];
  });
  const auto gather = [&](Fenced* fenced, SharedPast& into) {
    if (fenced == nullptr) return;
    meet_fenced(block, warp, fenced, mask);
    into = joined(into, fenced->pasts[static_cast<unsigned>(__builtin_ctz(mask))]);
  };
  gather(clocks.block_fenced.get(), gathering.block_fenced);
  gather(clocks.device_fenced.get(), gathering.device_fenced);
}

void RaceChecker::opened(const isa::BlockState& state, unsigned barrier, bool everyone) {
  BlockClocks& block = clocks_of(state);
  Gathering& gathering = block.barriers[barrier];
  gathering.open = false;
  gathering.everyone = everyone;
  if (everyone) {
    ++block.phase;
  } else {
    gathering.result = std::make_shared<const Clocks>(std::move(gathering.clocks));
  }
}

void RaceChecker::passed(const isa::WarpState& warp, std::uint32_t mask, unsigned barrier) {
  BlockClocks& block = clocks_of(*warp.block);
  WarpClocks& clocks = block.warps[warp.index];
  const Gathering& gathering = block.barriers[barrier];
  isa::for_each_lane(mask, [&](unsigned lane) {
    View& view = clocks.views[lane];
    view.others = gathering.others;
    if (gathering.everyone) {
      view.phase = block.phase;
      view.block = nullptr;
      view.warp.fill(0);
      view.warp[lane] = 1;
    } else {
      view.block = gathering.result;
      const std::uint32_t* mates = gathering.result->data() + std::size_t{warp.index} * kLanes;
      for (unsigned i = 0; i < kLanes; ++i) view.warp[i] = std::max(view.warp[i], mates[i]);
    }
  });
  const auto spread = [&](std::unique_ptr<Fenced>& fenced, const SharedPast& past) {
    if (past == nullptr) return;
    if (fenced == nullptr) fenced = std::make_unique<Fenced>();
    fenced->fresh &= ~mask;
    isa::for_each_lane(mask, [&](unsigned lane) { fenced->pasts[lane] = past; });
  };
  spread(clocks.block_fenced, gathering.block_fenced);
  spread(clocks.device_fenced, gathering.device_fenced);
}

/// A strong read. now: it acquires immediately, without a fence.
void RaceChecker::learn(BlockClocks& block, const isa::WarpState& warp, unsigned lane, Syncs& syncs, std::uint64_t key,
                        bool now) {
  const auto found = syncs.find(key);
  if (found == syncs.end()) return;
  const Sync& sync = found->second;
  WarpClocks& clocks = block.warps[warp.index];
  const auto take = [&](const SharedPast& past, std::uint64_t as) {
    if (past == nullptr) return;
    if (now) {
      clocks.views[lane].acquire(viewer(block, warp), past, global_);
      return;
    }
    // A later value at the same address subsumes an earlier one of the same generation.
    std::vector<Pending>& list = clocks.pending[lane];
    for (Pending& pending : list) {
      if (pending.key != as || pending.generation != sync.generation) continue;
      pending.past = past;
      return;
    }
    list.push_back({as, sync.generation, past});
  };
  take(sync.device, 2 * key);
  if (sync.of == block.number) take(sync.block, 2 * key + 1);
}

/// A strong write.
void RaceChecker::pass_on(BlockClocks& block, const isa::WarpState& warp, unsigned lane, Syncs& syncs,
                          std::uint64_t key, const isa::MicroOp& op) {
  WarpClocks& clocks = block.warps[warp.index];
  SharedPast in_block, in_device;
  if (op.releases) {
    in_block = clocks.views[lane].publish(viewer(block, warp), static_cast<std::uint32_t>(block.warps.size()));
    if (op.scope != isa::Scope::cta) in_device = in_block;
    ++clocks.views[lane].warp[lane];
  } else {
    in_block = fenced_past(block, warp, clocks.block_fenced.get(), lane);
    in_device = fenced_past(block, warp, clocks.device_fenced.get(), lane);
  }
  const bool continues = is_atomic(op);
  if (in_block == nullptr) {
    if (continues) return;
    const auto found = syncs.find(key);
    if (found == syncs.end()) return;
    ++found->second.generation;
    found->second.device = found->second.block = nullptr;
    return;
  }
  Sync& sync = syncs[key];
  if (!continues) {
    ++sync.generation;
    sync.device = in_device;
    sync.block = in_block;
  } else {
    sync.device = joined(sync.device, in_device);
    sync.block = sync.of == block.number ? joined(sync.block, in_block) : in_block;
  }
  sync.of = block.number;
}

// -- mbarrier objects and copies

void RaceChecker::use_object(BlockClocks& block, const isa::MicroOp& op, const isa::WarpState& warp, unsigned lane,
                             std::uint64_t offset) {
  using isa::MbarrierMode;
  WarpClocks& clocks = block.warps[warp.index];
  std::uint64_t word;
  std::memcpy(&word, warp.block->shared + offset, sizeof word);
  const bool plain = op.mbarrier_mode == MbarrierMode::init || op.mbarrier_mode == MbarrierMode::inval;
  const bool waits = isa::waits_at_mbarrier(op);
  const std::array<std::byte, sizeof word> none{};
  touch(block, access_of(block, op, warp, lane, true, !waits, !plain), offset, sizeof word, none.data());
  if (plain) {
    block.objects.erase(offset);
    return;
  }
  Phases& phases = block.objects[offset];
  const bool phase = isa::mbarrier_phase(word);
  if (phases.phase != phase) {
    phases.phase = phase;
    phases.complete = std::move(phases.gathering);
    phases.gathering = nullptr;
  }
  if (waits) {
    if (!isa::mbarrier_passes(op, warp, lane, word)) return;
    // Copies due to arrive in earlier phases are complete.
    for (WarpClocks& other : block.warps) {
      other.copies.end([&](const CopyInFlight& copy) {
        const bool ends = std::any_of(copy.arrivals.begin(), copy.arrivals.end(), [&](const auto& arrival) {
          return arrival.object == offset && arrival.phase != phase;
        });
        if (ends) land(block, warp, copy, copy.behind);
        return ends;
      });
    }
    if (phases.complete == nullptr) return;
    if (op.acquires) {
      clocks.views[lane].acquire(viewer(block, warp), phases.complete, global_);
    } else {
      clocks.pending[lane].push_back({~offset, 0, phases.complete});
    }
    return;
  }
  if (isa::arrives_behind_copies(op))
    clocks.copies.arrives(lane, {offset, phase}, access_of(block, op, warp, lane, true, true, false).stamp);
  SharedPast past;
  if (op.releases) {
    past = clocks.views[lane].publish(viewer(block, warp), static_cast<std::uint32_t>(block.warps.size()));
    ++clocks.views[lane].warp[lane];
  } else {
    past = fenced_past(block, warp, clocks.block_fenced.get(), lane);
  }
  phases.gathering = joined(phases.gathering, past);
}

void RaceChecker::count_in_flight(BlockClocks& block, const CopyInFlight& copy, int by) {
  block.in_flight.resize(block.shared.size());
  for (std::uint64_t word = copy.place / kLocationBytes; word < (copy.place + copy.bytes) / kLocationBytes; ++word)
    block.in_flight[word] = static_cast<std::uint16_t>(block.in_flight[word] + by);
}

void RaceChecker::copied(const isa::MicroOp& op, const isa::WarpState& warp, const isa::Addresses& addresses) {
  BlockClocks& block = clocks_of(*warp.block);
  CopiesInFlight& copies = block.warps[warp.index].copies;
  const std::uint32_t bytes = addresses.bytes;
  isa::for_each_lane(addresses.counting, [&](unsigned lane) {
    if (const std::uint32_t read = isa::bytes_read(op, warp, lane); global_ && read != 0)
      touch(block, access_of(block, op, warp, lane, false, false, false), addresses.value[lane], read, nullptr);
    CopyInFlight copy;
    copy.lane = lane;
    copy.place = isa::copy_target(op, warp, lane);
    copy.bytes = bytes;
    const Access access = access_of(block, op, warp, lane, true, true, false);
    copy.stamp = access.stamp;
    touch(block, access, copy.place, bytes, warp.block->shared + copy.place);
    count_in_flight(block, copy, 1);
    copies.started(std::move(copy), [&](const CopyInFlight& dropped) { count_in_flight(block, dropped, -1); });
  });
}

void RaceChecker::copies(const isa::MicroOp& op, const isa::WarpState& warp, std::uint32_t mask) {
  BlockClocks& block = clocks_of(*warp.block);
  CopiesInFlight& copies = block.warps[warp.index].copies;
  if (op.opcode == isa::Opcode::async_commit) return copies.committed(mask);
  copies.waited(op, warp, mask, [&](const CopyInFlight& copy) {
    Stamp now = copy.stamp;
    now.phase = block.warps[warp.index].views[copy.lane].phase;
    now.clock = block.warps[warp.index].views[copy.lane].warp[copy.lane];
    land(block, warp, copy, now);
  });
}

/// Records a copy as a store. Accesses to its destination in the meantime have already been checked.
void RaceChecker::land(BlockClocks& block, const isa::WarpState& warp, const CopyInFlight& copy, const Stamp& as) {
  count_in_flight(block, copy, -1);
  if (as.phase != block.phase) return;
  for (std::uint64_t at = copy.place; at < copy.place + copy.bytes; at += kLocationBytes) {
    Location& place = block.shared[at / kLocationBytes];
    if (place.phase != block.phase) {
      place.clear();
      place.phase = block.phase;
    }
    std::uint32_t value;
    std::memcpy(&value, warp.block->shared + at, sizeof value);
    for (unsigned byte = 0; place.split() && byte < kLocationBytes; ++byte)
      place.bytes()[byte].store(as, value >> (8 * byte) & 0xff);
    place.store(as, value);
  }
}

/// Checks for copies that are ordered before the access but not waited for, and reports them.
bool RaceChecker::too_early(BlockClocks& block, const Access& access, std::uint64_t address, unsigned bytes) {
  if (block.in_flight.empty() || !access.shared) return false;
  bool any = false;
  for (std::uint64_t at = address & ~(kLocationBytes - 1); at < address + bytes; at += kLocationBytes)
    any = any || block.in_flight[at / kLocationBytes] != 0;
  if (!any) return false;
  bool early = false;
  const unsigned own = access.warp->index;
  const View& view = block.warps[own].views[access.lane];
  for (const WarpClocks& warp : block.warps) {
    for (const CopyInFlight& copy : warp.copies.all()) {
      if (!copy.overlaps(address, bytes)) continue;
      const Stamp& stamp = copy.stamp;
      const bool behind = stamp.warp == own ? stamp.phase < view.phase || view.warp[copy.lane] >= stamp.clock
                                            : view.unknown(viewer(block, *access.warp), {stamp.block, stamp.warp},
                                                           stamp.mask, stamp.phase, stamp.clock) == 0;
      if (!behind) continue;
      early = true;
      report(access, stamp, copy.lane, Kind::in_flight, std::max(address, copy.place));
    }
  }
  return early;
}

// -- accesses

RaceChecker::Access RaceChecker::access_of(BlockClocks& block, const isa::MicroOp& op, const isa::WarpState& warp,
                                           unsigned lane, bool shared, bool writes, bool strong) {
  const View& view = block.warps[warp.index].views[lane];
  const auto index = static_cast<std::uint16_t>(warp.index);
  return {&op,    &warp, lane,
          shared, false, {block.number, index, writes, strong, 1u << lane, view.phase, view.warp[lane], op.pc}};
}

void RaceChecker::memory(const isa::MicroOp& op, const isa::WarpState& warp, const isa::Addresses& addresses) {
  if (op.opcode == isa::Opcode::mbarrier) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(addresses.mask));
    return use_object(clocks_of(*warp.block), op, warp, lane, place_of(addresses, lane));
  }
  const bool stores = is_store(op), atomic = is_atomic(op);
  if (!stores && !atomic && op.opcode != isa::Opcode::ld) return;
  if (op.non_coherent) return;  // declared read-only by the program
  const bool strong = atomic || op.is_volatile;
  BlockClocks& block = clocks_of(*warp.block);
  const unsigned bytes = isa::size_of(op.type) * op.vector_width;
  isa::for_each_lane(addresses.mask, [&](unsigned lane) {
    if (is_private(addresses, lane)) return;
    const bool shared = on_chip(addresses, lane);
    if (!shared && !strong && !global_) return;
    const std::uint64_t place = place_of(addresses, lane);
    Syncs& syncs = shared ? block.syncs : global_syncs_;
    if (strong && !stores) learn(block, warp, lane, syncs, place, op.acquires);
    if (shared || global_) {
      Access access = access_of(block, op, warp, lane, shared, stores || atomic, strong);
      std::array<std::byte, kMostBytes> value;
      if (stores && !strong) {
        stored_bytes(op, warp, lane, value.data());
        access.unchanged = std::memcmp(value.data(), bytes_at(warp, addresses, lane), bytes) == 0;
      }
      touch(block, access, place, bytes, value.data());
    }
    if (strong && (stores || atomic)) pass_on(block, warp, lane, syncs, place, op);
  });
}

void RaceChecker::touch(BlockClocks& block, const Access& access, std::uint64_t address, unsigned bytes,
                        const std::byte* value) {
  if (too_early(block, access, address, bytes)) return;
  const std::uint64_t end = address + bytes;
  for (std::uint64_t at = address & ~(kLocationBytes - 1); at < end; at += kLocationBytes) {
    Location& place = access.shared ? block.shared[at / kLocationBytes] : global_locations_.at(at);
    if (access.shared && place.phase != block.phase) {
      place.clear();
      place.phase = block.phase;
    }
    if (at >= address && at + kLocationBytes <= end && !place.split()) {
      std::uint32_t word = 0;
      if (access.stamp.writes && !access.stamp.strong) std::memcpy(&word, value + (at - address), sizeof word);
      touch_location(block, access, place, word, at);
      continue;
    }
    Location* const places = place.bytes();
    for (std::uint64_t byte = std::max(at, address); byte < std::min(at + kLocationBytes, end); ++byte) {
      const bool written = access.stamp.writes && !access.stamp.strong;
      touch_location(block, access, places[byte - at], written ? static_cast<std::uint32_t>(value[byte - address]) : 0,
                     byte);
    }
  }
}

void RaceChecker::touch_location(BlockClocks& block, const Access& access, Location& place, std::uint32_t value,
                                 std::uint64_t address) {
  const Stamp& mine = access.stamp;
  const bool plain_store = mine.writes && !mine.strong;
  compare(block, access, place.writer, plain_store && place.value == value, address);
  place.for_each_access([&](const Stamp& earlier) {
    if (!mine.writes && !earlier.writes) return;
    if (mine.strong && earlier.strong) return;
    compare(block, access, earlier, plain_store && access.unchanged && !earlier.writes, address);
  });
  if (plain_store) {
    place.store(mine, value);
  } else {
    place.add(mine, access.shared ? 0 : kMostAccesses);
  }
}

void RaceChecker::compare(BlockClocks& block, const Access& access, const Stamp& earlier, bool harmless,
                          std::uint64_t address) {
  // Threads of one warp are compared by the hazard checker.
  if (earlier.mask == 0 || (earlier.block == block.number && earlier.warp == access.warp->index)) return;
  const View& view = block.warps[access.warp->index].views[access.lane];
  const std::uint32_t unknown = view.unknown(viewer(block, *access.warp), {earlier.block, earlier.warp}, earlier.mask,
                                             earlier.phase, earlier.clock);
  isa::for_each_lane(
      unknown, [&](unsigned lane) { report(access, earlier, lane, harmless ? Kind::harmless : Kind::plain, address); });
}

void RaceChecker::report(const Access& access, const Stamp& earlier, unsigned lane, Kind kind, std::uint64_t address) {
  const isa::LaunchState& launch = *access.warp->block->launch;
  const isa::Kernel& kernel = *launch.kernel;
  const auto [low, high] = std::minmax(earlier.pc, access.op->pc);
  const auto [found, fresh] = found_.try_emplace({&kernel, low, high, kind}, races_.size());
  if (fresh) {
    Race race;
    race.kernel = kernel.name;
    race.first = describe_instruction(kernel, earlier.pc);
    race.second = describe_instruction(kernel, access.op->pc);
    race.first_writes = earlier.writes;
    race.second_writes = access.stamp.writes;
    race.first_thread =
        describe_thread(launch.block, earlier.warp * kLanes + lane, block_index(launch.grid, earlier.block));
    race.second_thread =
        describe_thread(launch.block, access.warp->index * kLanes + access.lane, access.warp->block->index);
    race.place = access.shared ? describe_shared(kernel, address) : describe_(address);
    race.harmless = kind == Kind::harmless;
    race.in_flight = kind == Kind::in_flight;
    races_.push_back(std::move(race));
  }
  ++races_[found->second].times;
}

}  // namespace heddle::gpu
