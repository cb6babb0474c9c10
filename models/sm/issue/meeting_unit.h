// SPDX-License-Identifier: Apache-2.0
// Collectives: instructions that name threads of an ISA warp. Whoever comes first waits, at whatever copy of the
// instruction, until all named threads are there; then it takes effect once.
#pragma once

#include "sm/blocks/rendezvous.h"
#include "sm/issue/waiting_threads.h"

namespace heddle::sm {

class MeetingUnit {
 public:
  MeetingUnit(SmContext& sm, GroupingUnit& grouping, Rendezvous& meetings, WaitingThreads& waiting)
      : contexts_(sm.contexts), grouping_(grouping), meetings_(meetings), waiting_(waiting) {}

  /// Threads of the context arrive at a collective; true when the context may go on at once.
  bool meet(ContextId context, const isa::MicroOp& op, const ThreadSet& threads);
  /// Threads of the ISA warp have left the kernel: meetings that waited for nobody else take effect.
  void exited(const isa::WarpState& warp);
  const Rendezvous& meetings() const { return meetings_; }

 private:
  struct Arrival {
    std::uint32_t waiting = 0;  ///< threads of the ISA warp
    bool joined = false;        ///< others were the last of those that somebody waited for
  };
  Arrival arrive(ContextId context, const isa::MicroOp& op, unsigned word, isa::WarpState& warp, std::uint32_t mask);
  /// All named threads are there: the collective takes effect, and those that waited go on.
  void settle(const Rendezvous::Meeting& meeting);

  ContextTable& contexts_;
  GroupingUnit& grouping_;
  Rendezvous& meetings_;
  WaitingThreads& waiting_;
};

}  // namespace heddle::sm
