// SPDX-License-Identifier: Apache-2.0
// Forwards the reports of an SM's stages to its listeners, and derives the state of each context in each cycle from the
// context sets. Exists only if a listener is attached.
#pragma once

#include <array>
#include <vector>

#include "core/kernel/clock_gate.h"
#include "sm/context_table.h"
#include "sm/watch/sm_listener.h"

namespace heddle::sm {

/// Contexts by ContextState; contexts without threads are in no set. busy: ready contexts whose unit accepts nothing.
using ContextsByState = std::array<ContextSet, kContextStates>;
ContextsByState context_states(const ContextTable& contexts, const ContextSet& busy);

class SmWatch final : public PacketEnd {
 public:
  explicit SmWatch(const ClockGate& gate) : gate_(gate) {}
  /// The listener must outlive the SM's last cycle.
  void add(SmListener& listener) { listeners_.push_back(&listener); }

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
  /// Closes open records, up to and including the current cycle. Call before results are written.
  void settle();

 private:
  struct Record {
    ContextSituation situation;
    Cycle since = 0;
  };
  void close(Record& record, Cycle last);
  /// Tells the listeners of a fetch, once for each of its receivers.
  void tell(void (SmListener::*event)(const FetchRequest&, Cycle), const FetchRequest& request);

  const ClockGate& gate_;
  std::vector<SmListener*> listeners_;
  std::uint64_t packets_ = 0;
  ContextSet touched_, issued_;
  ContextsByState in_;
  std::array<Record, kMaxContexts> records_{};
};

}  // namespace heddle::sm
