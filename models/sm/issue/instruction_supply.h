// SPDX-License-Identifier: Apache-2.0
// Where contexts get their instructions: fetches that fill instruction buffers or, in the barrel shape, a look-up of
// the instruction cache when a context is picked.
#pragma once

#include <array>

#include "core/kernel/call.h"
#include "core/kernel/link.h"
#include "core/statistics/statistics.h"
#include "sm/messages.h"
#include "sm/pipeline/instruction_buffers.h"
#include "sm/sm_context.h"

namespace heddle::sm {

class InstructionSupply {
 public:
  InstructionSupply(SmContext& sm, LinkOut<FetchRequest>& fetch, CallPort<FetchAtPick>& fetch_at_pick,
                    const StatisticsGroup& group);

  /// A context begins at its program counter with nothing fetched.
  void launched(ContextId context) { buffers_.flush(context, sm_.contexts[context].pc); }
  /// The context has no threads any more.
  void retired(ContextId context);
  /// The context's program counter may have changed: whether its next instruction is there.
  bool follow(ContextId context);
  /// Instructions arrived. True when the context may have its next instruction because of it.
  bool arrived(const Fetched& fetched);
  /// Barrel shape: whether the context that was picked has its instruction; asks the cache when it must.
  bool at_pick(ContextId context);
  /// The context's instruction issues: the next pick fetches anew.
  void issued(ContextId context) { fetched_pc_[context] = kNoPc; }
  /// Sends requests for buffers with room. Once a cycle, at its end.
  void send_requests();
  /// Whether a request can be sent in the next cycle.
  bool wants_fetch() const { return (wants_fetch_ - sm_.contexts.branch).any(); }

  bool looks_up_at_pick() const { return at_pick_; }
  const InstructionBuffers& buffers() const { return buffers_; }

 private:
  static constexpr std::uint32_t kNoPc = 0xffffffff;
  /// Whether the context's buffer has room for another fetch of its kernel's instructions.
  void note_room(ContextId context);
  FetchRequest request_for(ContextId context, std::uint32_t pc, std::size_t count) const;

  SmContext& sm_;
  LinkOut<FetchRequest>& fetch_;
  CallPort<FetchAtPick>& fetch_at_pick_;
  const bool at_pick_;
  InstructionBuffers buffers_;
  ContextSet wants_fetch_;
  ContextId last_fetch_ = kNoContext;
  // Barrel shape.
  ContextSet awaits_line_;  ///< contexts whose fetch missed the instruction cache
  std::array<std::uint32_t, kMaxContexts> awaited_pc_{}, fetched_pc_{};  ///< kNoPc: none
  Counter fetches_;
};

}  // namespace heddle::sm
