// SPDX-License-Identifier: Apache-2.0
// What happens to the blocks, contexts and instructions of an SM, for those who record it. A listener reads and never
// writes the model; nobody listening costs one test an event.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sm/messages.h"

namespace heddle::sm {

/// What a context does in a cycle in which it does not issue. The names and sentences are those of the account of issue
/// slots, where both have the cause.
enum class ContextState : std::uint8_t {
  none,  ///< it has no threads
  not_chosen,
  unit_busy,
  held,
  packing,
  hazard,
  pipeline,
  branch,
  asleep,
  fetch,
  memory,
  rendezvous,
  parked,
  barrier,
};
inline constexpr std::size_t kContextStates = static_cast<std::size_t>(ContextState::barrier) + 1;
struct ContextStateText {
  const char *name, *sentence;
};
/// By ContextState.
extern const std::array<ContextStateText, kContextStates> kContextStateTexts;

/// The names alone, for waveforms.
const std::vector<std::string>& context_state_names();

/// Where a packet is after it has issued.
enum class Place : std::uint8_t { operands, control, alu, sfu, fp64, shared_memory, memory, writeback };

/// A context, as of the moment.
struct ContextSituation {
  ContextId context = kNoContext;
  std::uint16_t block_slot = 0;
  ContextState state = ContextState::none;
  std::uint32_t pc = 0;                 ///< of its next instruction
  const isa::Kernel* kernel = nullptr;  ///< null without threads
};

/// Events of a cycle come in the order in which stages are called, which tells nothing; events of one packet come in
/// the order in which they happen. Cycles are those of the core clock.
class SmListener {
 public:
  virtual ~SmListener() = default;

  virtual void block_begins(unsigned slot, const isa::LaunchState& launch, std::uint64_t block, Cycle now) = 0;
  virtual void block_ends(unsigned slot, Cycle now) = 0;

  // -- instructions on their way to a context's buffer
  virtual void requested(const FetchRequest& request, Cycle now) = 0;
  /// The line was there; decode begins in the next cycle.
  virtual void fetched(const FetchRequest& request, Cycle now) = 0;
  virtual void decoded(const FetchRequest& request, Cycle now) = 0;

  // -- packets, by Packet::trace_id, which grows by one a packet of the SM
  /// At its issue; what it points to holds for the call. offered_lanes: as the statistic issue.offered_lanes counts.
  virtual void issued(const Packet& packet, const ContextSituation& context, unsigned offered_lanes, Cycle now) = 0;
  virtual void entered(std::uint64_t trace_id, Place place, Cycle now) = 0;
  /// A transaction for the packet was sent. One that serves several packets is told of each, in one row; `first` of
  /// these it is told of first.
  virtual void sent(const Packet& packet, std::uint64_t address, unsigned bytes, bool first, Cycle now) = 0;
  /// Nobody needs the packet any more.
  virtual void ended(std::uint64_t trace_id, Cycle now) = 0;

  // -- contexts
  /// From cycle `from` on, which is the present one or the next, unless it issues then; a later call with the same
  /// `from` takes the place of this one.
  virtual void state_begins(const ContextSituation& now_in, Cycle from, Cycle now) = 0;
  /// The context was in this state in the cycles first .. last, issuing in none of them.
  virtual void waited(const ContextSituation& was_in, Cycle first, Cycle last) = 0;
};

/// For those who want some of the events only.
class SmListenerBase : public SmListener {
 public:
  void block_begins(unsigned, const isa::LaunchState&, std::uint64_t, Cycle) override {}
  void block_ends(unsigned, Cycle) override {}
  void requested(const FetchRequest&, Cycle) override {}
  void fetched(const FetchRequest&, Cycle) override {}
  void decoded(const FetchRequest&, Cycle) override {}
  void issued(const Packet&, const ContextSituation&, unsigned, Cycle) override {}
  void entered(std::uint64_t, Place, Cycle) override {}
  void sent(const Packet&, std::uint64_t, unsigned, bool, Cycle) override {}
  void ended(std::uint64_t, Cycle) override {}
  void state_begins(const ContextSituation&, Cycle, Cycle) override {}
  void waited(const ContextSituation&, Cycle, Cycle) override {}
};

}  // namespace heddle::sm
