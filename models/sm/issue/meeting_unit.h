// SPDX-License-Identifier: Apache-2.0
// Collectives: instructions that name threads of an ISA warp. Threads that arrive early wait, at any copy of the
// instruction, until all named threads have arrived; then it takes effect once.
#pragma once

#include "sm/blocks/rendezvous.h"
#include "sm/issue/waiting_threads.h"

namespace heddle::sm {

class MeetingUnit {
 public:
  MeetingUnit(SmContext& sm, GroupingUnit& grouping, Rendezvous& meetings, WaitingThreads& waiting)
      : contexts_(sm.contexts), grouping_(grouping), meetings_(meetings), waiting_(waiting) {}

  /// Threads of the context arrive at a collective. True if the context may proceed immediately.
  bool meet(ContextId context, const isa::MicroOp& op, const ThreadSet& threads);
  /// Threads of the ISA warp have exited: meetings that waited only for them take effect.
  void exited(const isa::WarpState& warp);
  const Rendezvous& meetings() const { return meetings_; }

 private:
  struct Arrival {
    std::uint32_t waiting = 0;  ///< threads of the ISA warp that must wait
    bool joined = false;        ///< the arrival completed a meeting at which others waited
  };
  Arrival arrive(ContextId context, const isa::MicroOp& op, unsigned word, isa::WarpState& warp, std::uint32_t mask);
  /// All named threads have arrived: the collective takes effect and the waiting threads proceed.
  void settle(const Rendezvous::Meeting& meeting);

  ContextTable& contexts_;
  GroupingUnit& grouping_;
  Rendezvous& meetings_;
  WaitingThreads& waiting_;
};

}  // namespace heddle::sm
