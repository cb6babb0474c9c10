// SPDX-License-Identifier: Apache-2.0
// Supplies contexts with instructions: by fetches that fill instruction buffers or, in the barrel shape, by a look-up
// in the instruction cache when a context is picked.
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

  /// A context starts at its PC with nothing fetched.
  void launched(ContextId context) { buffers_.flush(context, sm_.contexts[context].pc); }
  /// The context has no threads left.
  void retired(ContextId context);
  /// Follows a possible change of the context's PC. True if its next instruction is available.
  bool follow(ContextId context);
  /// Instructions arrived. True if they may include the context's next instruction.
  bool arrived(const Fetched& fetched);
  /// Barrel shape: whether the picked context has its instruction; looks it up in the cache if necessary.
  bool at_pick(ContextId context);
  /// The context's instruction issues, so the next pick fetches again.
  void issued(ContextId context) { fetched_pc_[context] = kNoPc; }
  /// Sends requests for buffers with room. Call once, at the end of each cycle.
  void send_requests();
  /// Whether a request can be sent in the next cycle.
  bool wants_fetch() const { return (wants_fetch_ - sm_.contexts.branch).any(); }

  bool looks_up_at_pick() const { return at_pick_; }
  const InstructionBuffers& buffers() const { return buffers_; }

 private:
  static constexpr std::uint32_t kNoPc = 0xffffffff;
  /// Updates wants_fetch_: whether the context's buffer has room for another fetch within its kernel.
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
