// SPDX-License-Identifier: Apache-2.0
// Blocks resident on the SM: they arrive, receive contexts, lose threads to exits, and end once none of their packets
// is in flight. Where residency is by granule, so do the granules of each block.
#pragma once

#include <vector>

#include "core/kernel/link.h"
#include "sm/blocks/block_store.h"
#include "sm/hazards/checked_hazards.h"
#include "sm/issue/barrier_unit.h"
#include "sm/issue/instruction_supply.h"
#include "sm/issue/meeting_unit.h"
#include "sm/messages.h"

namespace heddle::sm {

class ResidentBlocks {
 public:
  struct Parts {
    GroupingUnit& grouping;
    HazardTracker& hazards;
    CheckedHazards* checker;  ///< wraps the tracker; null if unchecked
    InstructionSupply& supply;
    WaitingThreads& waiting;
    BarrierUnit& barriers;
    MeetingUnit& meetings;
  };
  ResidentBlocks(SmContext& sm, BlockStore& blocks, const Parts& parts, LinkOut<BlockDone>& finished,
                 const StatisticsGroup& group);

  void launch(const BlockLaunch& message);
  /// A packet of an exit instruction issued: its threads leave the kernel. After the last packet the context's other
  /// threads continue.
  void exited(ContextId context, const Packet& packet);

  // -- a block stays resident while its packets are in flight
  void packet_issued(const Packet& packet) {
    ++in_flight_[packet.block_slot];
    if (by_granule_) ++granules_[packet.block_slot][granule_of(packet)].in_flight;
  }
  void packet_ended(const Packet& packet);

  /// Counts resident threads for the cycles before `until`. Call before statistics are read.
  void settle(Cycle until);
  const Counter& thread_cycles() const { return thread_cycles_; }

 private:
  struct Granule {
    bool resident = false;        ///< started, and not ended
    std::uint32_t in_flight = 0;  ///< packets that have not ended
    std::vector<WarpId> warps;    ///< its machine warps
  };
  /// Gives the block's granules first .. first + count - 1 their contexts.
  void start(BlockSlot block, unsigned first, unsigned count);
  /// Starts what the residency lets start after an end.
  void start_more();
  std::size_t granule_of(const Packet& packet) const {
    return packet.words[0].warp->index * isa::kWordThreads / parts_.grouping.traits().granule;
  }
  /// A packet of the granule has ended: ends the granule if that was its last and all its threads have exited.
  void look_at(BlockSlot block, std::size_t granule);
  /// Points a new context at the ISA warps that hold its threads: aligned words of 32 threads of the block.
  void place(ContextId context);
  /// All threads of the block have exited, and its last packet has ended.
  void end(BlockSlot block);

  SmContext& sm_;
  BlockStore& blocks_;
  const Parts parts_;
  LinkOut<BlockDone>& finished_;
  const bool by_granule_;
  std::vector<ContextId> fresh_;                ///< contexts of the block being launched
  std::vector<ThreadSet> leaving_;              ///< by context: threads of an exit whose packets have not all issued
  std::vector<std::uint32_t> in_flight_;        ///< by block: packets that have not ended
  std::vector<std::vector<Granule>> granules_;  ///< by block; only where residency is by granule
  Cycle counted_to_ = 1;                        ///< cycles before this one are in thread_cycles_
  Counter launched_, ended_, thread_cycles_;
  Maximum most_contexts_;
};

}  // namespace heddle::sm
