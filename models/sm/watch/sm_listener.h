// SPDX-License-Identifier: Apache-2.0
// Events of the blocks, contexts and instructions of an SM, for recorders. A listener only reads the model. Without a
// listener an event costs one test.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sm/messages.h"

namespace heddle::sm {

/// State of a context in a cycle in which it does not issue. This is the only table of such words: the causes of the
/// issue-slot account, waveforms, the pipeline view, the timeline and profiles take their names from it.
enum class ContextState : std::uint8_t {
  none,  ///< no threads
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
  partner_wait,
};
inline constexpr std::size_t kContextStates = static_cast<std::size_t>(ContextState::partner_wait) + 1;
struct ContextStateText {
  const char *name, *sentence;
};
/// By ContextState.
extern const std::array<ContextStateText, kContextStates> kContextStateTexts;
inline const char* name_of(ContextState state) { return kContextStateTexts[static_cast<std::size_t>(state)].name; }

/// Only the names, for waveforms.
const std::vector<std::string>& context_state_names();

/// Location of an issued packet.
enum class PipelineStage : std::uint8_t { operands, control, alu, sfu, fp64, shared_memory, memory, writeback };

/// Snapshot of a context.
struct ContextSituation {
  ContextId context = kNoContext;
  BlockSlot block_slot;
  ContextState state = ContextState::none;
  std::uint32_t pc = 0;                 ///< PC of the next instruction
  const isa::Kernel* kernel = nullptr;  ///< null without threads
};

/// How the contexts of a group share instructions, such as the narrow warps that were launched as one gang.
struct GroupParts {
  unsigned group = 0;            ///< number in the SM
  ContextId first = kNoContext;  ///< lowest context of the group
  std::string name;              ///< of the group
  std::string how;               ///< in short: sizes of the parts that share; empty: the group has no threads any more
  std::string parts;             ///< in full
};

/// Events of a cycle arrive in the order in which stages are called, which has no meaning; events of a packet arrive in
/// the order in which they happen. Cycles are core clock cycles.
class SmListener {
 public:
  virtual ~SmListener() = default;

  /// Whether it shows the ways of instructions. Otherwise it may not hear of fetches and of the stages that packets
  /// enter, and of the end of a packet of fixed latency as early as its result is read.
  virtual bool follows_instructions() const = 0;

  virtual void block_begins(BlockSlot slot, const isa::LaunchState& launch, std::uint64_t block, Cycle now) = 0;
  virtual void block_ends(BlockSlot slot, Cycle now) = 0;

  // -- instruction fetch; a request that several contexts share is reported once for each, as `context`
  virtual void requested(const FetchRequest& request, Cycle now) = 0;
  /// The line is available; decode begins in the next cycle.
  virtual void fetched(const FetchRequest& request, Cycle now) = 0;
  virtual void decoded(const FetchRequest& request, Cycle now) = 0;

  // -- packets, identified by Packet::trace_id, which increases by one per packet of the SM
  /// Called at issue; pointers in the packet are valid during the call. offered_lanes: as in issue.offered_lanes.
  virtual void issued(const Packet& packet, const ContextSituation& context, unsigned offered_lanes, Cycle now) = 0;
  virtual void entered(std::uint64_t trace_id, PipelineStage stage, Cycle now) = 0;
  /// A transaction for the packet was sent. A transaction that serves several packets is reported once for each, in
  /// succession; `first` marks the first report.
  virtual void sent(const Packet& packet, std::uint64_t address, unsigned bytes, bool first, Cycle now) = 0;
  /// The last holder dropped the packet.
  virtual void ended(std::uint64_t trace_id, Cycle now) = 0;

  /// The contexts of a group share instructions in this way from now on. Parts that change in one cycle are reported
  /// together.
  virtual void regrouped(const GroupParts& regrouping, Cycle now) = 0;

  // -- contexts
  /// The context is in this state from cycle `from`, the current or the next one, unless it issues then. A later call
  /// with the same `from` replaces this one.
  virtual void state_begins(const ContextSituation& now_in, Cycle from, Cycle now) = 0;
  /// The context was in this state in cycles first .. last and did not issue in any of them.
  virtual void waited(const ContextSituation& was_in, Cycle first, Cycle last) = 0;
};

/// Base for listeners that need only some of the events.
class SmListenerBase : public SmListener {
 public:
  bool follows_instructions() const override { return false; }
  void block_begins(BlockSlot, const isa::LaunchState&, std::uint64_t, Cycle) override {}
  void block_ends(BlockSlot, Cycle) override {}
  void requested(const FetchRequest&, Cycle) override {}
  void fetched(const FetchRequest&, Cycle) override {}
  void decoded(const FetchRequest&, Cycle) override {}
  void issued(const Packet&, const ContextSituation&, unsigned, Cycle) override {}
  void entered(std::uint64_t, PipelineStage, Cycle) override {}
  void sent(const Packet&, std::uint64_t, unsigned, bool, Cycle) override {}
  void ended(std::uint64_t, Cycle) override {}
  void regrouped(const GroupParts&, Cycle) override {}
  void state_begins(const ContextSituation&, Cycle, Cycle) override {}
  void waited(const ContextSituation&, Cycle, Cycle) override {}
};

}  // namespace heddle::sm
