// SPDX-License-Identifier: Apache-2.0
// Architectural effects. Registers and SM-private memory change when an instruction issues; effects visible to other
// SMs are queued and applied at the end of the cycle (sm/effects.h).
#pragma once

#include "core/kernel/call.h"
#include "isa/branches.h"
#include "isa/prefix_operations.h"
#include "sm/blocks/async_copies.h"
#include "sm/blocks/rendezvous.h"
#include "sm/prefix_sum/prefix_sum_block.h"
#include "sm/sm_context.h"

namespace heddle::sm {

class InstructionEffects {
 public:
  /// meetings: those of the SM. A collective takes effect before its threads issue it.
  InstructionEffects(SmContext& sm, Rendezvous& meetings, CallPort<PrefixSumCall>& prefix_sum)
      : sm_(sm), meetings_(meetings), prefix_sum_(prefix_sum) {}

  /// Executes the packet's instruction for its threads. Generates addresses for memory instructions.
  void execute(Packet& packet);
  /// Sets up a memory packet that repeats the accesses of `of` for its own threads. No architectural effect.
  void replay(Packet& packet, const Packet& of);
  /// The packet has ended, completing its copies to shared memory. True when a context may proceed as a result.
  bool ended(const Packet& packet);
  /// Whether copies to shared memory are under way, so that a context may wait for them.
  bool any_copies() const { return copies_.any(); }
  /// Whether the context's next instruction must wait for copies to shared memory.
  bool waits_for_copies(ContextId context) const { return any_copies() && copies_pending(context); }
  /// Threads of `all` whose guard lets them execute the context's instruction.
  ThreadSet guarded(ContextId context, const isa::MicroOp& op, const ThreadSet& all) const {
    // Threads that fall through execute the branch, too.
    return !op.guard.present() || isa::is_branch(op) ? all : look_at_guard(context, op, all);
  }

 private:
  ThreadSet look_at_guard(ContextId context, const isa::MicroOp& op, const ThreadSet& all) const;
  bool copies_pending(ContextId context) const;
  void start_memory(Packet& packet);
  /// Accesses shared and local memory immediately. True if effects on other memory remain to be queued.
  bool access_memory(const isa::MicroOp& op, isa::WarpState& warp, const isa::Addresses& addresses);
  /// Asks the prefix-sum network for the predicate sums of the threads in a packet's word.
  isa::PrefixShares shares_of(const isa::MicroOp& op, const PacketWord& word);

  SmContext& sm_;
  Rendezvous& meetings_;
  CallPort<PrefixSumCall>& prefix_sum_;
  AsyncCopies copies_;
};

}  // namespace heddle::sm
