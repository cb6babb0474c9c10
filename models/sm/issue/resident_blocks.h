// SPDX-License-Identifier: Apache-2.0
// The blocks on the SM: they arrive, get contexts, lose threads to exits, and end once nothing of them is in flight.
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
    CheckedHazards* checker;  ///< the tracker, where it is checked
    InstructionSupply& supply;
    WaitingThreads& waiting;
    BarrierUnit& barriers;
    MeetingUnit& meetings;
  };
  ResidentBlocks(SmContext& sm, BlockStore& blocks, const Parts& parts, LinkOut<BlockDone>& finished,
                 const StatisticsGroup& group);

  void launch(const BlockLaunch& message);
  /// A packet of an instruction that leaves the kernel: its threads are gone. Behind the last packet the context's
  /// other threads go on.
  void exited(ContextId context, const Packet& packet);

  // -- packets in flight keep their block
  void packet_issued(const Packet& packet) { ++in_flight_[packet.block_slot]; }
  void packet_ended(const Packet& packet);

  /// Counts the threads that blocks have taken in the cycles before `until`; before statistics are read.
  void settle(Cycle until);
  const Counter& thread_cycles() const { return thread_cycles_; }

 private:
  /// Contexts' threads start at first_thread of the block, whose ISA warps are aligned words of 32 of its threads.
  void place(ContextId context);
  void look_at(std::uint16_t block);

  SmContext& sm_;
  BlockStore& blocks_;
  const Parts parts_;
  LinkOut<BlockDone>& finished_;
  std::vector<ContextId> fresh_;          ///< contexts of the block being launched
  std::vector<ThreadSet> leaving_;        ///< by context: threads whose exit has issued in part
  std::vector<std::uint32_t> in_flight_;  ///< by block: packets whose end is still to come
  Cycle counted_to_ = 1;                  ///< cycles before this one are in thread_cycles_
  Counter launched_, ended_, thread_cycles_;
  Maximum most_contexts_;
};

}  // namespace heddle::sm
