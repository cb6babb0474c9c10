// SPDX-License-Identifier: Apache-2.0
// What the issue stage, the policies and the vetoes see of the contexts. The grouping unit writes program counters and
// thread sets; the issue stage keeps the sets by state. Sets are updated where something changes and never found by
// scanning.
#pragma once

#include <array>
#include <cstdint>

#include "core/bits.h"
#include "core/kernel/clock.h"
#include "isa/image.h"
#include "sm/packet.h"

namespace heddle::sm {

/// What a context's next instruction waits for in the register file.
enum class Wait : std::uint8_t { none, hazard, memory };

/// One context. What an instruction of most machines looks at lies in one line of the host's cache.
struct alignas(64) Context {
  const isa::MicroOp* next = nullptr;  ///< next instruction where buffered; kept by the issue stage
  // Where its threads live; kept by the issue stage from launch to launch.
  const isa::Kernel* kernel = nullptr;
  isa::WarpState* words = nullptr;  ///< ISA warps of the block in which its threads lie
  std::uint64_t age = 0;            ///< smaller is older: order of assignment, then of thread
  std::uint32_t pc = 0;
  std::uint32_t lane_count = 0;
  std::uint16_t block = 0;      ///< block slot
  std::uint16_t warp = 0;       ///< the machine's warp, for hazards and line ownership
  std::uint16_t group = 0;      ///< contexts that sticky policies keep together: those of a block, or fewer
  std::uint8_t word_count = 0;  ///< of `words`
  std::uint8_t shift = 0;       ///< place in its ISA warp of the context's first thread, where warps are narrow
  ThreadSet threads;

  /// Threads of the context, by their place in ISA warp `w` of it.
  std::uint32_t word_mask(const ThreadSet& some, unsigned w) const { return some.word32(w) << shift; }
};

struct ContextTable {
  Context& operator[](std::size_t c) { return contexts[c]; }
  const Context& operator[](std::size_t c) const { return contexts[c]; }

  // -- written by the grouping unit, through set() and at launch
  std::array<Context, kMaxContexts> contexts{};
  ContextSet valid;   ///< has threads, or runs without any
  ContextSet parked;  ///< the grouping holds it until others of its own come to the same place
  /// Post-dominators that a context's threads have passed; by groupings that count them.
  std::array<std::uint32_t, kMaxContexts> passed{};

  std::uint64_t next_age = 0;  ///< of the next context that comes; of launches, and of groupings that make warps anew

  // -- kept by the issue stage
  ContextSet buffered;      ///< its next instruction is decoded
  ContextSet hazard;        ///< next instruction waits for a register
  ContextSet long_latency;  ///< waits for memory
  ContextSet away;          ///< of those: blocked on an outstanding miss, which no hazard says
  ContextSet barrier;       ///< waits at a block barrier
  ContextSet branch;        ///< issued a branch that has not resolved
  ContextSet asleep;        ///< executes nanosleep; in `branch` too, as its program counter is settled when it wakes
  ContextSet rendezvous;    ///< waits for threads of its ISA warp
  ContextSet pipeline;      ///< its instruction has not left the pipeline (barrel, one in flight)
  ContextSet in_sequence;   ///< its instruction is being issued as several packets
  ContextSet held;          ///< some veto takes it from the candidates
  ContextSet ready;         ///< valid, buffered and nothing to wait for

  // Threads that wait, by machine warp and place in it: a waiting path keeps waiting wherever the grouping puts it.
  std::array<ThreadSet, kMaxContexts> at_barrier{};
  std::array<ThreadSet, kMaxContexts> at_meeting{};
  /// Whether a path of these threads stands still. One that others joined on their way to a meeting can try again.
  bool waits(std::uint16_t of_warp, const ThreadSet& some) const {
    return some.intersects(at_barrier[of_warp]) || at_meeting_alone(of_warp, some);
  }
  bool at_meeting_alone(std::uint16_t of_warp, const ThreadSet& some) const {
    return some.any() && at_meeting[of_warp].contains(some);
  }

  /// Contexts that go on only when others have come to where they are.
  ContextSet waiting_for_others() const { return barrier | rendezvous | parked; }

  void park(ContextId c, bool parks) {
    if (parked.test(c) == parks) return;
    parked.assign(c, parks);
    changed.set(c);
  }

  ContextSet changed;  ///< program counter or threads changed since the issue stage looked

  /// runs_empty: the context goes on without threads, issuing instructions that nobody executes.
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
