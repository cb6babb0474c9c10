// SPDX-License-Identifier: Apache-2.0
// Forwards the reports of an SM's stages to its listeners, and derives the state of each context in each cycle from the
// context sets. Exists only if a listener is attached.
#pragma once

#include <array>
#include <vector>

#include "core/kernel/clock_gate.h"
#include "core/kernel/module_state.h"
#include "sm/context_table.h"
#include "sm/watch/sm_listener.h"

namespace heddle::sm {

/// ContextState of the contexts of a word of sets, by its bits: bit i of plane k is bit k of the state of context i.
inline constexpr unsigned kStatePlanes = index_bits(kContextStates);
using StatePlanes = std::array<std::uint64_t, kStatePlanes>;
/// Of word w. busy: ready contexts whose unit accepts nothing.
StatePlanes context_states(const ContextTable& contexts, const ContextSet& busy, std::size_t w);
inline ContextState state_of(const StatePlanes& planes, unsigned bit) {
  unsigned state = 0;
  for (unsigned k = 0; k < kStatePlanes; ++k) state |= static_cast<unsigned>(planes[k] >> bit & 1) << k;
  return static_cast<ContextState>(state);
}

class SmWatch final : public PacketEnd {
 public:
  explicit SmWatch(const ClockGate& gate) : gate_(gate) {}
  /// The listener must outlive the SM's last cycle.
  void add(SmListener& listener) {
    listeners_.push_back(&listener);
    if (listener.follows_instructions()) followers_.push_back(&listener);
  }
  /// Whether any listener does.
  bool follows_instructions() const { return !followers_.empty(); }

  // -- from the stages
  void block_begins(BlockSlot slot, const isa::LaunchState& launch, std::uint64_t block);
  void block_ends(BlockSlot slot);
  void requested(const FetchRequest& request);
  void fetched(const FetchRequest& request);
  void decoded(const FetchRequest& request);
  /// Assigns the packet's trace_id.
  void issued(Packet& packet, const Context& context, unsigned offered_lanes);
  void entered(const Packet& packet, PipelineStage stage);
  void sent(const Packet& packet, std::uint64_t address, unsigned bytes, bool first);
  void ended(const Packet& packet) override;
  void regrouped(const GroupParts& regrouping);

  // -- contexts
  /// The context's PC or threads may have changed.
  void touched(ContextId context) { touched_.set(context); }
  /// Call at the end of every cycle in which the issue stage worked. busy: as for context_states().
  void end_cycle(const ContextTable& contexts, const ContextSet& busy);
  /// Reports the waits of the present up to and including the current cycle. What follows of them is a wait of its own.
  void cut_waits();

 private:
  struct Record {
    ContextSituation situation;
    Cycle since = 0;
  };
  void close(Record& record, Cycle last);
  /// The context may have another state, PC or threads than before.
  void update(ContextId c, const Context& context, Cycle now);
  /// Tells the listeners of a fetch, once for each of its receivers.
  void tell(void (SmListener::*event)(const FetchRequest&, Cycle), const FetchRequest& request);

  const ClockGate& gate_;
  std::vector<SmListener*> listeners_, followers_;  ///< all; those that follow instructions
  std::uint64_t packets_ = 0;
  ContextSet touched_, issued_;
  std::array<StatePlanes, ContextSet::kWords> in_{};  ///< by word of contexts
  std::array<Record, kMaxContexts> records_{};
};

}  // namespace heddle::sm
