// SPDX-License-Identifier: Apache-2.0
// Finds races between warps: two threads of different warps access a place of shared memory (or, when asked for, of
// global memory within one kernel), one of them writes, and nothing orders the two. What was found does not depend on
// the order in which the run happened to execute them: order is what barriers, meetings, fences and atomic operations
// make, kept by vector clocks. Threads of one warp: gpu/hazard_checker.h.
//
// - A barrier of the block, a named barrier and a meeting (`.sync` operation) order their threads; bar.arrive passes on
//   what its threads did and learns nothing.
// - A strong write (atomic operation, volatile or with a memory order) passes on what its thread did before its last
//   fence, to threads that read there and then pass a fence, a barrier or a meeting. A release or acquire on the
//   instruction does without the fence. Fences of the block (`.cta`) count within the block only.
// - What a thread has fenced counts as fenced for all whom a barrier or a meeting orders behind it.
// - Two strong accesses do not race.
// - Operations on an mbarrier object are strong. An arrival passes on what its thread did to those who find its phase
//   complete, and to nobody else.
// - A copy to shared memory (cp.async) is a store of its thread that takes place when that thread waits for it, or when
//   somebody finds the phase complete of an mbarrier object at which it was to arrive. Who is ordered behind the copy
//   instruction and touches its place before that, the thread itself included, is told so.
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

#include "gpu/copies_in_flight.h"
#include "gpu/functional_warp.h"
#include "gpu/race_clocks.h"
#include "gpu/race_shadow.h"

namespace heddle::gpu {

/// Two instructions that race, and the first time they did.
struct Race {
  std::string kernel;
  std::string first, second;  ///< the instructions, as messages write them
  std::string first_thread, second_thread;
  std::string place;  ///< variable or allocation, and address
  bool first_writes = false, second_writes = false;
  bool in_flight = false;  ///< `first` is a copy that nothing had waited for
  /// Both write one value, or the write leaves what the reader saw: no result depends on the order.
  bool harmless = false;
  std::uint64_t times = 0;  ///< pairs of accesses
  std::string text() const;
};

class RaceChecker final : public ExecutionObserver {
 public:
  using Describe = std::function<std::string(std::uint64_t address)>;
  /// global: look at global memory too. describe: words for a place of it.
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
  /// Accesses to one place of global memory that are remembered, lest data that everybody reads take all memory.
  static constexpr std::uint32_t kMostAccesses = 64;

  /// What the lanes of a warp had done when they last passed a fence: as a view, or already in published form.
  struct Fenced {
    std::array<View, kLanes> views;
    std::array<SharedPast, kLanes> pasts;
    std::uint32_t fresh = 0;  ///< lanes whose view counts, not their past
  };
  /// What the last strong writes of a place passed on.
  struct Sync {
    SharedPast device;  ///< behind fences that count everywhere
    SharedPast block;   ///< behind any fence, for the block `of`
    std::uint32_t of = 0;
    std::uint32_t generation = 0;  ///< counts writes that are no continuation of those before
  };
  /// Learnt by a strong read, and not used before the next fence.
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
  /// An mbarrier object: what the arrivals passed on of the phase it is in, and of the one before.
  struct Phases {
    bool phase = false;
    SharedPast gathering, complete;
  };
  /// Threads that have come to a barrier.
  struct Gathering {
    bool open = false, everyone = false;
    Clocks clocks;  ///< empty at a barrier of the whole block, which needs none
    SharedClocks result;
    SharedPast others, block_fenced, device_fenced;
  };
  using Syncs = std::unordered_map<std::uint64_t, Sync>;
  struct BlockClocks {
    std::uint32_t number = 0, phase = 0;
    std::vector<WarpClocks> warps;
    std::array<Gathering, kBarriers> barriers;
    std::vector<Place> shared;
    Syncs syncs;
    std::unordered_map<std::uint64_t, Phases> objects;  ///< by offset in shared memory
    std::vector<std::uint16_t> in_flight;  ///< copies to each word that nothing has waited for; empty before the first
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
  void touch_place(BlockClocks& block, const Access& access, Place& place, std::uint32_t value, std::uint64_t address);
  void compare(BlockClocks& block, const Access& access, const Stamp& earlier, bool harmless, std::uint64_t address);
  enum class Kind : std::uint8_t { plain, harmless, in_flight };
  void report(const Access& access, const Stamp& earlier, unsigned lane, Kind kind, std::uint64_t address);

  bool global_;
  Describe describe_;
  std::unordered_map<const isa::BlockState*, std::unique_ptr<BlockClocks>> blocks_;
  std::uint64_t launch_ = ~std::uint64_t{0};
  GlobalShadow global_places_;
  Syncs global_syncs_;
  std::map<std::tuple<const isa::Kernel*, std::uint32_t, std::uint32_t, Kind>, std::size_t> found_;
  std::vector<Race> races_;
};

}  // namespace heddle::gpu
