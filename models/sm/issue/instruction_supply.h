// SPDX-License-Identifier: Apache-2.0
// Supplies contexts with instructions: by fetches that fill instruction buffers or, in the barrel shape, by a look-up
// in the instruction cache when a context is picked.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "core/kernel/call.h"
#include "core/kernel/link.h"
#include "core/statistics/statistics.h"
#include "sm/context_words.h"
#include "sm/issue/fetch_scheme.h"
#include "sm/messages.h"
#include "sm/pipeline/instruction_buffers.h"
#include "sm/sm_context.h"

namespace heddle::sm {

class InstructionSupply {
 public:
  /// scheme: null for contexts in turn.
  InstructionSupply(SmContext& sm, std::unique_ptr<FetchScheme> scheme, LinkOut<FetchRequest>& fetch,
                    CallPort<FetchAtPick>& fetch_at_pick, const StatisticsGroup& group);

  /// A context starts at its PC with nothing fetched.
  void launched(ContextId context) {
    buffers_.flush(context, sm_.contexts[context].pc);
    sm_.contexts.touched.set(context);
  }
  /// The context has no threads left.
  void retired(ContextId context);
  /// Divides the contexts `some` of word w of a set into runs, and calls visit(leader, run) for each: consecutive
  /// members of `some` at one PC of one kernel whose buffers are equal. leader: the lowest of them.
  template <typename Visit>
  void for_each_run(std::size_t w, std::uint64_t some, Visit&& visit) const {
    while (some != 0) {
      const ContextId leader(64 * w + static_cast<std::size_t>(std::countr_zero(some)));
      const Context& first = sm_.contexts[leader];
      const InstructionBuffers::Range range = buffers_[leader];
      std::uint64_t rest = some & (some - 1);
      for (; rest != 0; rest &= rest - 1) {
        const ContextId c(64 * w + static_cast<std::size_t>(std::countr_zero(rest)));
        const Context& other = sm_.contexts[c];
        if (other.pc != first.pc || other.kernel != first.kernel || !(buffers_[c] == range)) break;
      }
      visit(leader, some & ~rest);
      some = rest;
    }
  }
  /// Follows a possible change of the PC of a run of contexts. Returns those whose next instruction is available.
  std::uint64_t follow(ContextId leader, std::uint64_t run);
  /// Instructions arrived. Marks contexts as changed whose next instruction may be among them.
  void arrived(const Fetched& fetched);
  /// Barrel shape: whether the picked context has its instruction; looks it up in the cache if necessary.
  bool at_pick(ContextId context) { return !at_pick_ || look_up_at_pick(context); }
  /// The context's instruction issues, so the next pick fetches again.
  void issued(ContextId context) {
    if (at_pick_) fetched_pc_[context] = kNoPc;
  }
  /// Sends requests for buffers with room. Call once, at the end of each cycle.
  void send_requests();

  // -- for fetch schemes
  /// Whether another request can be sent in this cycle. If not, the stage wakes when one can.
  bool can_request();
  /// Requests the next instructions of the context, for itself and the contexts context + i of `sharing` (bit i) that
  /// want the same ones. store: see FetchRequest. Returns the receivers.
  std::uint8_t request(ContextId context, std::uint8_t sharing = 1, std::uint8_t store = 0);
  /// PC of the next instruction to request.
  std::uint32_t next_pc(ContextId context) const { return buffers_.next_pc(context); }

  /// Whether a request can be sent in the next cycle.
  bool wants_fetch() const {
    const ContextSet wanting = wants_fetch_ - sm_.contexts.branch;
    return wanting.any() && (scheme_ == nullptr || scheme_->wants(*this, wanting));
  }

  bool looks_up_at_pick() const { return at_pick_; }
  const InstructionBuffers& buffers() const { return buffers_; }
  /// Contexts with nothing buffered or requested, among those that want instructions.
  const ContextSet& empty() const { return empty_; }

 private:
  static constexpr std::uint32_t kNoPc = 0xffffffff;
  /// Of the buffers of a shared request's receivers, by position.
  using Generations = std::array<std::uint16_t, FetchRequest::kMaxReceivers>;

  void request_in_turn(ContextSet wanting);
  /// Adds those of the contexts `sharing` that want the same instructions. Returns whether their buffers are equal.
  bool share(FetchRequest& request, std::uint8_t sharing);
  void send(FetchRequest& request);
  void arrived_at_pick(const FetchRequest& request);
  bool follow_at_pick(ContextId context);
  bool look_up_at_pick(ContextId context);
  /// Updates empty_ and wants_fetch_ for a run of contexts.
  void note_room(ContextId leader, std::uint64_t run);
  FetchRequest request_for(ContextId context, std::uint32_t pc, std::size_t count) const;

  SmContext& sm_;
  const std::unique_ptr<FetchScheme> scheme_;
  LinkOut<FetchRequest>& fetch_;
  CallPort<FetchAtPick>& fetch_at_pick_;
  const bool at_pick_;
  InstructionBuffers buffers_;
  const unsigned least_room_;  ///< free entries of a buffer for which a fetch is requested
  ContextSet wants_fetch_, empty_;
  ContextId last_fetch_ = kNoContext;
  std::vector<Generations> shared_;            ///< by FetchRequest::generation of a shared request
  std::vector<std::uint16_t> free_of_shared_;  ///< entries of shared_ not in use
  // Barrel shape.
  ContextSet awaits_line_;  ///< contexts whose fetch missed the instruction cache
  std::array<std::uint32_t, kMaxContexts> awaited_pc_{}, fetched_pc_{};  ///< kNoPc: none
  Counter fetches_;
};

inline void InstructionSupply::note_room(ContextId leader, std::uint64_t run) {
  const unsigned entries = buffers_.room(leader);
  const bool room = entries >= least_room_;
  const bool goes_on = buffers_.next_pc(leader) < sm_.contexts[leader].kernel->ops.size();
  replace(empty_, leader / 64, run, room && entries == buffers_.depth() ? run : 0);
  replace(wants_fetch_, leader / 64, run, room && goes_on ? run : 0);
}

[[gnu::always_inline]] inline std::uint64_t InstructionSupply::follow(ContextId leader, std::uint64_t run) {
  if (at_pick_) {
    std::uint64_t available = 0;
    for_each_in(leader / 64, run, [&](ContextId c, std::uint64_t bit) {
      if (follow_at_pick(c)) available |= bit;
    });
    return available;
  }
  const std::uint32_t pc = sm_.contexts[leader].pc;
  buffers_.follow(leader, run, pc);
  note_room(leader, run);
  return buffers_.holds(leader, pc) ? run : 0;
}

}  // namespace heddle::sm
