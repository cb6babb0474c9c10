// SPDX-License-Identifier: Apache-2.0
// Finds code that relies on lock-step execution: two threads of one ISA warp access the same location, one changes it,
// and no synchronisation orders them. Hardware that runs 32 threads in lock step happens to order them; narrower warps
// do not.
//
// Vector clocks over the 32 threads of a warp track the order. A `.sync` operation or barrier joins the pasts of its
// threads. Atomics on the same location order their threads in execution order, and a volatile load acquires from the
// last atomic. A store that changes no byte is not a change. Operations on mbarrier objects order like atomics. A copy
// to shared memory is a store when issued, and again when its thread has waited for it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "gpu/copies_in_flight.h"
#include "gpu/functional/functional_warp.h"

namespace heddle::gpu {

/// Two conflicting instructions, and their first occurrence.
struct Hazard {
  std::string kernel;
  std::string first, second;  ///< the instructions, as shown in messages; `second` executed later
  bool first_writes = false, second_writes = false;
  isa::Space space = isa::Space::global;
  std::string place;                                  ///< device address, or location in shared memory
  std::uint32_t first_thread = 0, second_thread = 0;  ///< in their block
  Dim3 block;
  std::uint64_t times = 0;  ///< pairs of accesses
  std::string text() const;
};

class HazardChecker final : public ExecutionObserver {
 public:
  void started(const isa::WarpState& warp) override;
  void memory(const isa::MicroOp& op, const isa::WarpState& warp, const isa::Addresses& addresses) override;
  void copied(const isa::MicroOp& op, const isa::WarpState& warp, const isa::Addresses& addresses) override;
  void copies(const isa::MicroOp& op, const isa::WarpState& warp, std::uint32_t mask) override;
  void met(const isa::WarpState& warp, std::uint32_t mask) override;
  void passed(const isa::WarpState& warp, std::uint32_t mask, unsigned) override { met(warp, mask); }

  /// In order of first occurrence.
  const std::vector<Hazard>& hazards() const { return hazards_; }

 private:
  static constexpr unsigned kLanes = isa::kWordThreads;
  using Clock = std::array<std::uint32_t, kLanes>;

  /// Readers of a location at the same value of their own clocks.
  struct Readers {
    std::uint32_t clock = 0, mask = 0, pc = 0;
    bool is_volatile = false;
  };
  struct Location {
    std::uint32_t write_clock = 0, write_pc = 0;
    std::uint8_t writer = 0;
    bool written = false, by_atomic = false;
    std::vector<Readers> readers;
  };
  /// Four bytes, tracked as one location until accessed partially.
  struct Word {
    Location whole;
    std::vector<Location> bytes;  ///< empty, or 4
  };
  struct WarpHistory {
    std::array<Clock, kLanes> clocks;
    std::unordered_map<std::uint64_t, Word> words;     ///< by the address of their first byte
    std::unordered_map<std::uint64_t, Clock> atomics;  ///< clock of the last atomic on a location
    CopiesInFlight copies;
  };
  struct Access {
    const isa::MicroOp* op;
    const isa::WarpState* warp;
    unsigned lane;
    bool writes, atomic, is_volatile;
    isa::Space space;
  };

  WarpHistory& history(const isa::WarpState& warp);
  void touch(WarpHistory& history, const Access& access, std::uint64_t address, unsigned bytes);
  void touch_location(const Clock& mine, const Access& access, Location& place, std::uint64_t address);
  void use_object(WarpHistory& history, const isa::MicroOp& op, const isa::WarpState& warp, unsigned lane,
                  std::uint64_t offset);
  void land(WarpHistory& history, const CopyInFlight& copy);
  void acquire(WarpHistory& history, unsigned lane, std::uint64_t key);
  void release(WarpHistory& history, unsigned lane, std::uint64_t key);
  void report(const Access& access, std::uint32_t earlier_pc, unsigned earlier_lane, bool earlier_writes,
              std::uint64_t address);

  std::unordered_map<const std::byte*, std::unique_ptr<WarpHistory>> histories_;  ///< keyed by the warp's registers
  std::map<std::tuple<const isa::Kernel*, std::uint32_t, std::uint32_t>, std::size_t> found_;
  std::vector<Hazard> hazards_;
};

}  // namespace heddle::gpu
