// SPDX-License-Identifier: Apache-2.0
// Toolkit for issue schemes: the contexts a slot can pick from, the policies' choice, and the issue of a planned packet
// with all its consequences. Nothing here is virtual.
#pragma once

#include <algorithm>

#include "sm/issue/barrier_unit.h"
#include "sm/issue/branch_unit.h"
#include "sm/issue/context_states.h"
#include "sm/issue/issue_account.h"
#include "sm/issue/issue_counters.h"
#include "sm/issue/loop_notes.h"
#include "sm/issue/meeting_unit.h"
#include "sm/issue/packet_plan.h"
#include "sm/issue/packet_timing.h"
#include "sm/issue/resident_blocks.h"

namespace heddle::sm {

class PacketSignals;

/// What the kit works with; all of the issue stage.
struct IssueKitParts {
  GroupingUnit& grouping;
  HazardTracker& hazards;
  IssueUnits& units;
  SlotPolicies& policies;
  InstructionSupply& supply;
  InstructionEffects& effects;
  ContextStates& states;
  PacketTiming& timing;
  BranchUnit& branches;
  BarrierUnit& barriers;
  MeetingUnit& meetings;
  ResidentBlocks& blocks;
  IssueEvents& events;
  LoopNotes& notes;
  IssueAccount& account;
};

class IssueKit {
 public:
  using Parts = IssueKitParts;
  IssueKit(SmContext& sm, const Parts& parts, const StatisticsGroup& group);

  // -- state
  Cycle now() const { return sm_.gate.now(); }
  ContextTable& contexts() { return sm_.contexts; }
  SmEvents& events() { return sm_.events; }
  IssueAccount& account() { return parts_.account; }
  const IssueCounters& counters() const { return counters_; }
  IssueCounters& counters() { return counters_; }
  isa::Unit unit_of(const isa::MicroOp& op) const { return parts_.units.unit_of(op); }
  ThreadSet guarded(ContextId context, const isa::MicroOp& op, const ThreadSet& threads) const {
    return parts_.effects.guarded(context, op, threads);
  }

  // -- a cycle
  /// Call before any slot chooses.
  void begin();
  /// Whether the stage must run in the next cycle because a slot had something it could issue.
  bool worked() const { return worked_; }
  /// Keeps the stage awake for the next cycle, for example during a sequence of packets.
  void stay() { worked_ = true; }

  // -- a slot
  /// The `members` that could issue now: ready, not held by a veto, and with a unit that accepts packets.
  ContextSet candidates(const ContextSet& members);
  /// The same, without a look at the units: for instructions that reach theirs in a later cycle.
  ContextSet ready(const ContextSet& members) const;
  /// Offers the candidates to `attempt`, ranked by `order`, until it returns true for one. Returns that context, or
  /// kNoContext. Charges the slot; an attempt that issues something else may override the charge.
  template <typename Order, typename Attempt>
  ContextId pick(IssueSlot slot, const Order& order, const ContextSet& candidates, Attempt&& attempt) {
    return pick_from<false>(slot, order, candidates, attempt);
  }
  /// The same for contexts whose unit may accept nothing. Looks at the chosen context's unit only, so the order must
  /// rank: taking a context away leaves its choice among the others as it was.
  template <typename Order, typename Attempt>
  ContextId pick_then_unit(IssueSlot slot, const Order& order, const ContextSet& ready, Attempt&& attempt) {
    return pick_from<true>(slot, order, ready, attempt);
  }
  const OrderPolicy& order(IssueSlot slot) const { return parts_.policies.order(slot); }
  void charge(IssueSlot slot, CauseId cause) { parts_.account.charge(slot, cause); }

  // -- an instruction
  /// Plans a packet of the context's instruction for some of its threads, on the lanes assigned by the grouping.
  PacketPlan plan(IssueSlot slot, ContextId context, const isa::MicroOp& op, const ThreadSet& threads) const;
  /// Plans the context's whole next instruction as one packet.
  PacketPlan whole(IssueSlot slot, ContextId context) const {
    const Context& of = sm_.contexts[context];
    return plan(slot, context, *of.next, guarded(context, *of.next, of.threads));
  }
  /// Finds a unit instance with the plan's lanes free. False: none in this cycle.
  bool place(PacketPlan& plan) const {
    plan.instance = parts_.units.find(parts_.units.unit_of(*plan.op), plan.lanes.lanes, now());
    return plan.instance >= 0;
  }
  /// As place(), for an instance that is idle or whose pass begins in this cycle: packets of a row start together.
  bool place_in_row(PacketPlan& plan) {
    const isa::Unit unit = parts_.units.unit_of(*plan.op);
    plan.instance = takes(unit) ? parts_.units.find_in_row(unit, plan.lanes.lanes, now()) : -1;
    return plan.instance >= 0;
  }
  /// Whether the unit accepts a packet in this cycle.
  bool takes(isa::Unit unit) { return parts_.units.takes(unit, now()); }
  /// Whether an instance of the unit is idle in cycle `at`, as far as is known now.
  bool idle(isa::Unit unit, Cycle at) const { return parts_.units.idle(unit, at); }
  /// If the context's next instruction is a collective, its threads arrive there. False: they must wait for others, and
  /// the arrival has used the slot.
  bool arrives(IssueSlot slot, ContextId context, const ThreadSet& guarded);
  /// Starts the issue of the context's instruction, which is counted once however many packets it has. more: packets
  /// follow in later cycles. threads: number that execute it, including those with a false guard.
  void begin_instruction(ContextId context, bool more) {
    begin_instruction(context, more, sm_.contexts[context].lane_count);
  }
  void begin_instruction(ContextId context, bool more, std::uint32_t threads);
  /// Call before issuing the last packet of an instruction that began with `more`.
  void end_sequence(ContextId context) { sm_.contexts.in_sequence.reset(context); }
  /// Issues the planned packet: effects, cost, events, and the context's next PC. The plan must have been placed.
  Packet& issue(const PacketPlan& plan);
  /// The same for a packet that reaches its unit in a later cycle: all but cost and latency take effect now. Its plan
  /// need not have been placed. Only for normal packets of an execution unit, in shapes with instruction buffers.
  Packet& latch(const PacketPlan& plan);
  /// Sends a latched packet to its unit. The plan must have been placed.
  void send(Packet& packet, const PacketPlan& plan);
  /// Issues a whole instruction that passed place(): arrives(), begin_instruction(), issue(). True if it uses the slot.
  bool issue_whole(const PacketPlan& plan);

  // -- for schemes that carry out some of an issue themselves
  const Parts& parts() const { return parts_; }
  SmContext& sm() { return sm_; }

  /// Sets the signals that display issued packets; null: none.
  void show_with(PacketSignals* signals) { signals_ = signals; }

 private:
  /// look_at_unit: `some` may hold contexts whose unit accepts nothing; they are passed over.
  template <bool look_at_unit, typename Order, typename Attempt>
  ContextId pick_from(IssueSlot slot, const Order& order, ContextSet some, Attempt&& attempt);
  /// The slot's order policy chose a context that it was not offered. Throws Error(kInternal).
  [[noreturn]] void fail_choice(IssueSlot slot, ContextId chosen) const;
  // issue(), for the calls that are made for every packet.
  Packet& carry_out(const PacketPlan& plan);
  Packet& make(const PacketPlan& plan);
  Packet& begin_each(const PacketPlan& plan);
  /// Takes lanes, sets the latency and sends the packet to its execution unit, if it needs one.
  void start(Packet& packet, const PacketPlan& plan, isa::Unit unit);
  Cycle control_latency(const PacketPlan& plan) const;
  /// Advances a context of a normal packet: PC, barriers, exits.
  void go_on(Packet& packet, const PacketPlan& plan, ContextId context);

  SmContext& sm_;
  const Parts parts_;
  const std::uint32_t own_lanes_;  ///< of a context in a word, before its shift
  PacketSignals* signals_ = nullptr;
  std::uint64_t next_issue_id_ = 1;
  bool worked_ = false;
  CauseId waves_{};
  IssueCounters counters_;
};

inline ContextSet IssueKit::ready(const ContextSet& members) const {
  // Contexts changed by an earlier slot of this cycle have no decoded instruction yet.
  ContextSet set = sm_.contexts.ready;
  set &= members;
  if (set.none()) return set;
  set -= sm_.contexts.changed;
  set -= sm_.contexts.held;
  return set;
}

template <bool look_at_unit, typename Order, typename Attempt>
ContextId IssueKit::pick_from(IssueSlot slot, const Order& order, ContextSet some, Attempt&& attempt) {
  if (look_at_unit && parts_.units.passing(now())) some.clear();
  if (!look_at_unit && some.any()) stay();
  while (some.any()) {
    const ContextId c = order.choose(sm_.contexts, some);
    if (c == kNoContext) {
      charge(slot, parts_.account.held());
      return kNoContext;
    }
    if (!some.test(c)) fail_choice(slot, c);
    if constexpr (look_at_unit) {
      const isa::Unit unit = unit_of(*sm_.contexts[c].next);
      if (!takes(unit)) {
        parts_.units.remove_waiting(some, unit);
        continue;
      }
      stay();
    }
    if (!parts_.supply.at_pick(c)) {
      charge(slot, parts_.account.fetch());
      return kNoContext;
    }
    charge(slot, parts_.account.issued());
    if (attempt(c)) return c;
    some.reset(c);
  }
  charge(slot, parts_.units.passing(now()) ? waves_ : parts_.account.blame(parts_.policies.shape(slot).members));
  return kNoContext;
}

}  // namespace heddle::sm
