// SPDX-License-Identifier: Apache-2.0
// Architectural effects. Registers and memory of the SM's own change when an instruction issues; what other SMs can see
// is gathered, and applied at the end of the cycle (sm/effects.h).
#pragma once

#include "core/kernel/call.h"
#include "isa/prefix_operations.h"
#include "sm/blocks/async_copies.h"
#include "sm/blocks/rendezvous.h"
#include "sm/prefix_sum/prefix_sum_block.h"
#include "sm/sm_context.h"

namespace heddle::sm {

class InstructionEffects {
 public:
  /// meetings: of the SM, whose collectives have taken effect before their threads issue them.
  InstructionEffects(SmContext& sm, Rendezvous& meetings, CallPort<PrefixSumCall>& prefix_sum)
      : sm_(sm), meetings_(meetings), prefix_sum_(prefix_sum) {}

  /// The packet's instruction takes effect for its threads. A memory instruction gets its addresses.
  void execute(Packet& packet);
  /// A memory packet that sends again what another sent: its addresses, for the packet's threads. No effect.
  void replay(Packet& packet, const Packet& of);
  /// A packet's end: a copy to shared memory is complete. True when a context may go on because of it.
  bool ended(const Packet& packet);
  /// Whether the context's next instruction waits for copies to shared memory.
  bool waits_for_copies(ContextId context) const;
  /// Threads of `all` that execute the context's instruction: its guard applied.
  ThreadSet guarded(ContextId context, const isa::MicroOp& op, const ThreadSet& all) const;

 private:
  void start_memory(Packet& packet);
  /// Shared and local memory, at once. Effects on the rest of memory are gathered: true.
  bool access_memory(const isa::MicroOp& op, isa::WarpState& warp, const isa::Addresses& addresses);
  /// What the threads of a packet's word have of the sums of predicates, of which the network is asked.
  isa::PrefixShares shares_of(const isa::MicroOp& op, const PacketWord& word);

  SmContext& sm_;
  Rendezvous& meetings_;
  CallPort<PrefixSumCall>& prefix_sum_;
  AsyncCopies copies_;
};

}  // namespace heddle::sm
