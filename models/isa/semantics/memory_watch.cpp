// SPDX-License-Identifier: Apache-2.0
#include "isa/memory_watch.h"

#include <cstring>

#include "core/kernel/state_digest.h"
#include "isa/operands.h"

namespace heddle::isa {

MemoryWatch::MemoryWatch(const DeviceRange& device, const MicroOp& op, const WarpState& warp,
                         const Addresses& addresses)
    : bytes_(size_of(op.type) * op.vector_width) {
  const LaunchState& launch = *warp.block->launch;
  const bool writes = op.opcode == Opcode::st || op.opcode == Opcode::atom || op.opcode == Opcode::red ||
                      op.opcode == Opcode::cond_acc || op.opcode == Opcode::mbarrier;
  // An async copy writes elsewhere than it reads.
  outside_ = op.opcode == Opcode::async_copy;
  for_each_lane(addresses.mask, [&](unsigned lane) {
    const std::uint64_t address = addresses.value[lane], offset = address & ~kWindowMask;
    Space space = addresses.space;
    if (space == Space::generic && (addresses.shared_lanes >> lane & 1) != 0) space = Space::shared;
    if (space == Space::generic && (addresses.local_lanes >> lane & 1) != 0) space = Space::local;
    const std::byte* place = nullptr;
    if (space == Space::param) return;
    if (space == Space::shared || space == Space::local) {
      // Out-of-range lanes fault when the operation executes.
      const std::uint64_t size = space == Space::shared ? launch.shared_bytes : launch.kernel->local_bytes;
      if (offset > size || bytes_ > size - offset) return;
      const std::byte* base =
          space == Space::shared ? warp.block->shared : warp.local + std::size_t{lane} * launch.kernel->local_bytes;
      place = base + offset;
    } else if (address < device.begin || address + bytes_ > device.end) {
      outside_ = true;
      return;
    } else {
      place = reinterpret_cast<const std::byte*>(address);
    }
    if (!writes) return;
    place_[lane] = place;
    std::memcpy(&before_[kMostBytes * lane], place, bytes_);
    watched_ |= 1u << lane;
    if (space == Space::local) local_ |= 1u << lane;
  });
}

bool MemoryWatch::changed() const {
  bool different = outside_;
  for_each_lane(watched_ & ~local_, [&](unsigned lane) {
    different = different || std::memcmp(&before_[kMostBytes * lane], place_[lane], bytes_) != 0;
  });
  return different;
}

std::uint64_t MemoryWatch::local_change() const {
  std::uint64_t sum = 0;
  const auto number = [](const std::byte* place, std::byte value) {
    StateDigest digest;
    digest.add(reinterpret_cast<std::uintptr_t>(place));
    digest.add(static_cast<std::uint64_t>(value));
    return digest.value();
  };
  for_each_lane(local_, [&](unsigned lane) {
    for (unsigned i = 0; i < bytes_; ++i) {
      const std::byte before = before_[kMostBytes * lane + i], now = place_[lane][i];
      if (before != now) sum += number(place_[lane] + i, now) - number(place_[lane] + i, before);
    }
  });
  return sum;
}

bool reads_time(const MicroOp& op) {
  if (op.opcode != Opcode::special) return false;
  switch (op.special) {
    case SpecialRegister::clock:
    case SpecialRegister::clock_hi:
    case SpecialRegister::clock64:
    case SpecialRegister::globaltimer:
    case SpecialRegister::globaltimer_lo:
    case SpecialRegister::globaltimer_hi:
      return true;
    default:
      return false;
  }
}

}  // namespace heddle::isa
