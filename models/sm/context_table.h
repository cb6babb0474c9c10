// SPDX-License-Identifier: Apache-2.0
// The contexts as the issue stage, the policies and the vetoes see them. The grouping unit writes program counters and
// thread sets; the issue stage maintains one set of contexts per state. The sets are updated when something changes
// and never recomputed by scanning.
#pragma once

#include <array>
#include <cstdint>

#include "core/bits.h"
#include "core/kernel/clock.h"
#include "isa/image.h"
#include "sm/context_words.h"
#include "sm/packet.h"

namespace heddle::sm {

/// Why a context's next instruction cannot read its registers yet.
enum class Wait : std::uint8_t { none, hazard, memory };

/// One context. On most machines the fields that an instruction touches fit in one host cache line.
struct alignas(64) Context {
  const isa::MicroOp* next = nullptr;  ///< next instruction if buffered; kept by the issue stage
  // Where its threads' state lives; set by the issue stage at each launch.
  const isa::Kernel* kernel = nullptr;
  isa::WarpState* words = nullptr;  ///< ISA warps of the block that hold its threads
  std::uint32_t pc = 0;
  std::uint32_t lane_count = 0;
  BlockSlot block;
  WarpId warp;
  std::uint16_t group = 0;         ///< contexts that sticky policies keep together: a block's, or fewer
  std::uint8_t word_count = 0;     ///< length of `words`
  std::uint8_t shift = 0;          ///< position of the first thread in its ISA warp, for narrow warps
  std::uint64_t code_address = 0;  ///< LaunchState::code_address
  ThreadSet threads;

  /// Threads in `some`, by position in the context's ISA warp `w`.
  std::uint32_t word_mask(const ThreadSet& some, unsigned w) const { return some.word32(w) << shift; }
};

/// Threads that wait for others, by machine warp and position in it. Most warps have none, which one set of warps tells
/// without a look at each.
class StalledThreads {
 public:
  const ThreadSet& operator[](WarpId warp) const { return threads_[warp]; }
  bool any(WarpId warp) const { return warps_.test(warp); }
  bool any() const { return any_; }
  void set(WarpId warp, const ThreadSet& all) {
    threads_[warp] = all;
    warps_.assign(warp, all.any());
    any_ = warps_.any();
  }
  void add(WarpId warp, const ThreadSet& some) { set(warp, threads_[warp] | some); }
  void remove(WarpId warp, const ThreadSet& some) {
    if (any(warp)) set(warp, threads_[warp] - some);
  }

 private:
  ContextSet warps_;  ///< that have any; a machine has no more warps than contexts
  bool any_ = false;  ///< whether there are any
  std::array<ThreadSet, kMaxContexts> threads_{};
};

struct ContextTable {
  Context& operator[](std::size_t c) { return contexts[c]; }
  const Context& operator[](std::size_t c) const { return contexts[c]; }
  /// A warp or slot is not a context.
  template <typename Tag>
  requires(!std::same_as<Identifier<Tag>, ContextId>) Context& operator[](Identifier<Tag>) const = delete;

  // -- written by the grouping unit, through set() and at launch
  std::array<Context, kMaxContexts> contexts{};
  ContextSet valid;   ///< has threads, or runs empty
  ContextSet parked;  ///< held by the grouping until related contexts reach the same point
  ContextSet locked;  ///< subset of parked: waits for its partners before it accesses memory
  /// Post-dominators passed by a context's threads; kept by groupings that count them.
  std::array<std::uint32_t, kMaxContexts> passed{};

  /// Smaller is older: by assignment, then by thread. Apart from the contexts, because policies compare those of many.
  std::array<std::uint64_t, kMaxContexts> age{};
  std::uint64_t next_age = 0;  ///< age of the next new context, from a launch or from warp re-formation

  // -- kept by the issue stage
  ContextSet buffered;      ///< next instruction is decoded
  ContextSet hazard;        ///< next instruction waits for a register
  ContextSet long_latency;  ///< waits for memory
  ContextSet away;          ///< subset of long_latency: blocked on an outstanding miss that no hazard shows
  ContextSet barrier;       ///< waits at a block barrier
  ContextSet branch;        ///< issued a branch that has not resolved
  ContextSet asleep;        ///< in nanosleep; also in `branch`, since its PC is known only when it wakes
  ContextSet rendezvous;    ///< waits for other threads of its ISA warp
  ContextSet pipeline;      ///< its instruction is still in the pipeline (barrel, one_in_flight)
  ContextSet in_sequence;   ///< in the middle of an instruction issued as several packets
  ContextSet held;          ///< withheld by a veto
  ContextSet ready;         ///< valid, buffered, and waiting for nothing

  // Waiting threads, by machine warp and position: a waiting path keeps waiting wherever the grouping moves it.
  StalledThreads at_barrier, at_meeting;
  /// Whether a path of these threads is stalled. A path at a meeting may retry once other threads have joined it.
  bool waits(WarpId of_warp, const ThreadSet& some) const {
    return some.intersects(at_barrier[of_warp]) || at_meeting_alone(of_warp, some);
  }
  bool at_meeting_alone(WarpId of_warp, const ThreadSet& some) const {
    return some.any() && at_meeting[of_warp].contains(some);
  }

  /// Contexts that proceed only once others have reached the same point.
  ContextSet waiting_for_others() const { return barrier | rendezvous | parked; }

  void park(ContextId c, bool parks) {
    if (parked.test(c) == parks) return;
    parked.assign(c, parks);
    changed.set(c);
  }

  ContextSet changed;  ///< PC or threads changed since the issue stage last looked
  ContextSet touched;  ///< those or their instruction buffers did since the issue stage's last cycle began

  /// runs_empty: the context keeps issuing without threads; its instructions have no effect.
  void set(ContextId c, std::uint32_t new_pc, const ThreadSet& new_threads, bool runs_empty = false) {
    Context& context = contexts[c];
    if (context.threads != new_threads || valid.test(c) != (runs_empty || context.lane_count != 0)) {
      context.threads = new_threads;
      context.lane_count = static_cast<std::uint32_t>(new_threads.count());
      valid.assign(c, runs_empty || context.lane_count != 0);
    } else if (context.pc == new_pc) {
      return;
    }
    context.pc = new_pc;
    changed.set(c);
  }
};

}  // namespace heddle::sm
