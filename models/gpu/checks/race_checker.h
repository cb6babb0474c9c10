// SPDX-License-Identifier: Apache-2.0
// Detects data races between warps: two threads of different warps access the same location in shared memory (or, on
// request, in global memory within one kernel), at least one writes, and no synchronisation orders them. The result
// does not depend on the execution order of the run: vector clocks track the order established by barriers, `.sync`
// operations, fences and atomics. For threads of the same warp see gpu/checks/hazard_checker.h.
//
// - Block barriers, named barriers and `.sync` operations order their threads; bar.arrive releases but does not
//   acquire.
// - A strong write (atomic, volatile or with a memory order) releases what its thread did before its last fence to
//   threads that read the location and then pass a fence, a barrier or a `.sync` operation. A release or acquire on the
//   instruction needs no fence. Block-scope fences (`.cta`) only count within the block.
// - Fences are cumulative: what a thread has fenced counts as fenced for threads that a barrier or `.sync` operation
//   orders after it.
// - Two strong accesses do not race.
// - Operations on an mbarrier object are strong. An arrival releases what its thread did only to threads that observe
//   completion of its phase.
// - A copy to shared memory (cp.async) is a store by its thread that takes effect when the thread waits for it, or when
//   a thread observes completion of the mbarrier phase it arrives at. An earlier access ordered after the copy
//   instruction, even by the same thread, is reported.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "gpu/checks/race_clocks.h"
#include "gpu/checks/race_shadow.h"
#include "gpu/copies_in_flight.h"
#include "gpu/functional/functional_warp.h"

namespace heddle::gpu {

/// Two racing instructions, and their first occurrence.
struct Race {
  std::string kernel;
  std::string first, second;  ///< the instructions, as shown in messages
  std::string first_thread, second_thread;
  std::string place;  ///< variable or allocation, and address
  bool first_writes = false, second_writes = false;
  bool in_flight = false;  ///< `first` is a copy that was not waited for
  /// Both write the same value, or the write does not change what was read, so no result depends on the order.
  bool harmless = false;
  std::uint64_t times = 0;  ///< pairs of accesses
  std::string text() const;
};

class RaceChecker final : public ExecutionObserver {
 public:
  using Describe = std::function<std::string(std::uint64_t address)>;
  /// global: check global memory too. describe: text for a location in it.
  RaceChecker(bool global, Describe describe) : global_(global), describe_(std::move(describe)) {}

  void started(const isa::WarpState& warp) override;
  void memory(const isa::MicroOp& op, const isa::WarpState& warp, const isa::Addresses& addresses) override;
  void met(const isa::WarpState& warp, std::uint32_t mask) override;
  void fence(const isa::MicroOp& op, const isa::WarpState& warp, std::uint32_t mask) override;
  void copied(const isa::MicroOp& op, const isa::WarpState& warp, const isa::Addresses& addresses) override;
  void copies(const isa::MicroOp& op, const isa::WarpState& warp, std::uint32_t mask) override;
  void arrived(const isa::WarpState& warp, std::uint32_t mask, unsigned barrier) override;
  void opened(const isa::BlockState& block, unsigned barrier, bool everyone) override;
  void passed(const isa::WarpState& warp, std::uint32_t mask, unsigned barrier) override;

  /// In order of first occurrence.
  const std::vector<Race>& races() const { return races_; }

 private:
  static constexpr unsigned kLanes = isa::kWordThreads;
  static constexpr unsigned kBarriers = 16;
  /// Accesses recorded per global location, which bounds the memory used for widely read data.
  static constexpr std::uint32_t kMostAccesses = 64;

  /// Events of each lane of a warp before its last fence: as a view, or already published.
  struct Fenced {
    std::array<View, kLanes> views;
    std::array<SharedPast, kLanes> pasts;
    std::uint32_t fresh = 0;  ///< lanes whose view is valid instead of their past
  };
  /// Pasts released by the last strong writes to a location.
  struct Sync {
    SharedPast device;  ///< before fences of device or system scope
    SharedPast block;   ///< before any fence, for the block `of`
    std::uint32_t of = 0;
    std::uint32_t generation = 0;  ///< incremented by writes that do not extend the earlier release
  };
  /// Acquired by a strong read; takes effect at the next fence.
  struct Pending {
    std::uint64_t key = 0;
    std::uint32_t generation = 0;
    SharedPast past;
  };
  struct WarpClocks {
    std::array<View, kLanes> views;
    std::unordered_map<unsigned, std::vector<Pending>> pending;  ///< by lane
    std::unique_ptr<Fenced> block_fenced, device_fenced;
    CopiesInFlight copies;
  };
  /// An mbarrier object: what arrivals of the current and of the previous phase release.
  struct Phases {
    bool phase = false;
    SharedPast gathering, complete;
  };
  /// Threads that have arrived at a barrier.
  struct Gathering {
    bool open = false, everyone = false;
    Clocks clocks;  ///< empty for a barrier of the whole block, which needs none
    SharedClocks result;
    SharedPast others, block_fenced, device_fenced;
  };
  using Syncs = std::unordered_map<std::uint64_t, Sync>;
  struct BlockClocks {
    std::uint32_t number = 0, phase = 0;
    std::vector<WarpClocks> warps;
    std::array<Gathering, kBarriers> barriers;
    std::vector<Location> shared;
    Syncs syncs;
    std::unordered_map<std::uint64_t, Phases> objects;  ///< by offset in shared memory
    std::vector<std::uint16_t> in_flight;               ///< pending copies to each word; empty before the first
  };
  struct Access {
    const isa::MicroOp* op;
    const isa::WarpState* warp;
    unsigned lane;
    bool shared;
    bool unchanged;  ///< a plain store that leaves every byte as it was
    Stamp stamp;
  };

  BlockClocks& clocks_of(const isa::BlockState& block);
  static Viewer viewer(const BlockClocks& block, const isa::WarpState& warp) { return {block.number, warp.index}; }
  void settle(BlockClocks& block, const isa::WarpState& warp, std::uint32_t mask);
  void learn(BlockClocks& block, const isa::WarpState& warp, unsigned lane, Syncs& syncs, std::uint64_t key, bool now);
  void pass_on(BlockClocks& block, const isa::WarpState& warp, unsigned lane, Syncs& syncs, std::uint64_t key,
               const isa::MicroOp& op);
  SharedPast fenced_past(BlockClocks& block, const isa::WarpState& warp, Fenced* fenced, unsigned lane);
  void meet_fenced(BlockClocks& block, const isa::WarpState& warp, Fenced* fenced, std::uint32_t mask);
  Access access_of(BlockClocks& block, const isa::MicroOp& op, const isa::WarpState& warp, unsigned lane, bool shared,
                   bool writes, bool strong);
  void use_object(BlockClocks& block, const isa::MicroOp& op, const isa::WarpState& warp, unsigned lane,
                  std::uint64_t offset);
  static void count_in_flight(BlockClocks& block, const CopyInFlight& copy, int by);
  static void land(BlockClocks& block, const isa::WarpState& warp, const CopyInFlight& copy, const Stamp& as);
  bool too_early(BlockClocks& block, const Access& access, std::uint64_t address, unsigned bytes);
  void touch(BlockClocks& block, const Access& access, std::uint64_t address, unsigned bytes, const std::byte* value);
  void touch_location(BlockClocks& block, const Access& access, Location& place, std::uint32_t value,
                      std::uint64_t address);
  void compare(BlockClocks& block, const Access& access, const Stamp& earlier, bool harmless, std::uint64_t address);
  enum class Kind : std::uint8_t { plain, harmless, in_flight };
  void report(const Access& access, const Stamp& earlier, unsigned lane, Kind kind, std::uint64_t address);

  bool global_;
  Describe describe_;
  std::unordered_map<const isa::BlockState*, std::unique_ptr<BlockClocks>> blocks_;
  std::uint64_t launch_ = ~std::uint64_t{0};
  GlobalShadow global_locations_;
  Syncs global_syncs_;
  std::map<std::tuple<const isa::Kernel*, std::uint32_t, std::uint32_t, Kind>, std::size_t> found_;
  std::vector<Race> races_;
};

}  // namespace heddle::gpu
