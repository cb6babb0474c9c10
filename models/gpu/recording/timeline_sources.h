// SPDX-License-Identifier: Apache-2.0
// Event sources of a timeline: SMs and memory controllers.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "gpu/recording/in_flight_table.h"
#include "gpu/recording/timeline.h"
#include "memory/dram/dram_channel.h"
#include "memory/main_memory.h"
#include "sm/sm.h"

namespace heddle::gpu {

// Processes of the timeline.
inline constexpr std::uint32_t kGpuProcess = 1, kFirstSm = 10, kFirstPartition = 10'000;

/// Blocks in the slots of an SM; basic blocks and waits of its contexts.
class Timeline::OfSm final : public sm::SmListenerBase {
 public:
  OfSm(Timeline& timeline, sm::Sm& sm, std::uint32_t process);

  void block_begins(BlockSlot slot, const isa::LaunchState& launch, std::uint64_t block, Cycle now) override;
  void block_ends(BlockSlot slot, Cycle now) override;
  void issued(const sm::Packet& packet, const sm::ContextSituation& context, unsigned, Cycle now) override;
  void sent(const sm::Packet& packet, std::uint64_t address, unsigned bytes, bool first, Cycle now) override;
  void ended(std::uint64_t trace_id, Cycle now) override;
  void regrouped(const sm::GroupParts& regrouping, Cycle now) override;
  void state_begins(const sm::ContextSituation& situation, Cycle from, Cycle now) override;
  void waited(const sm::ContextSituation& was_in, Cycle first, Cycle last) override;
  void cut_waits() { sm_.cut_waits(); }
  void finish(Cycle now);

 private:
  /// Shorter waits are not shown.
  static constexpr Cycle kShortestWait = 4;
  // Threads of the process.
  static constexpr std::uint32_t kFirstBlock = 1, kFirstGroup = 500, kFirstWarp = 1'000;

  struct Wait {
    sm::ContextState state;
    std::uint32_t pc;
    Cycle first, last;
  };
  /// A context in a basic block.
  struct Warp {
    const isa::Kernel* kernel = nullptr;
    std::uint32_t block = 0;
    Cycle first = 0;
    std::uint64_t instructions = 0;
    std::vector<Wait> waits;
    bool named = false;
  };
  struct Block {
    bool present = false;
    std::string kernel;
    std::uint64_t launch = 0, block = 0;
    Cycle first = 0;
    bool named = false;
  };

  /// A group of contexts that has shared instructions in one way since `first`.
  struct Group {
    sm::GroupParts now;
    Cycle first = 0;
    bool named = false;
  };

  Track track_of(ContextId context) const { return {process_, kFirstWarp + context.number()}; }
  bool wanted(ContextId context) const { return timeline_.filter_.warp(context); }
  /// The context reaches this instruction at `first`; if it left a basic block, writes that block.
  Warp& at(ContextId context, const isa::Kernel& kernel, std::uint32_t pc, Cycle first);
  void leave(ContextId context, Cycle last);
  void end_group(Group& group, Cycle end);

  Timeline& timeline_;
  sm::Sm& sm_;
  std::uint32_t process_;
  std::vector<Block> blocks_;
  std::vector<Warp> warps_;
  std::unordered_map<unsigned, Group> groups_;
  InFlightTable<LoadsInFlight::Packet> loading_;  ///< by trace id
};

/// Open rows in the banks of a controller.
class Timeline::OfController final : public memory::DramCommandListener {
 public:
  OfController(Timeline& timeline, memory::MainMemory& controller, std::uint32_t process, const ClockDomain& clock);

  void commanded(Cycle now, memory::DramCommand command, unsigned bank, std::uint64_t row,
                 const memory::DramRequest* request) override;
  void finish();

 private:
  struct Bank {
    bool open = false;
    std::uint64_t row = 0;
    double since = 0;
    std::uint64_t reads = 0, writes = 0;
  };
  /// Core cycles, as a fraction, at an edge of the controller's clock.
  double core_time(Cycle now) const { return static_cast<double>(now) * ratio_; }
  void close(unsigned bank, double at);

  Timeline& timeline_;
  memory::MainMemory& controller_;
  std::uint32_t process_;
  double ratio_, last_ = 0;
  unsigned banks_of_rank_;
  std::vector<Bank> banks_;
};

}  // namespace heddle::gpu
