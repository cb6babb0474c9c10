// SPDX-License-Identifier: Apache-2.0
// Issues a gang's instruction as one packet (PacketPlan::company), for operations that allow it, and does for all of
// its warps at once what issue does for one.
#pragma once

#include <array>
#include <unordered_map>
#include <vector>

#include "isa/branches.h"
#include "sm/grouping/ganging/access_credits.h"
#include "sm/grouping/ganging/joined_hazards.h"
#include "sm/grouping/ganging/lock_step_warps.h"
#include "sm/issue/issue_kit.h"

namespace heddle::sm {

class GangPackets final {
 public:
  /// gangs: false: each warp issues alone.
  GangPackets(IssueKit& kit, LockStepWarps& warps, bool gangs);
  ~GangPackets() { warps_.issue_with(nullptr); }

  /// Whether warps may issue this operation as one packet: nothing could delay a packet of one of them on its way to
  /// the unit, and no stage or tracker looks at single warps.
  bool may_join(const isa::MicroOp& op) const {
    return (op.lane_function != nullptr || op.opcode == isa::Opcode::special || isa::is_branch(op) || is_access(op)) &&
           joins_[static_cast<std::size_t>(parts_.units.unit_of(op))];
  }
  /// The same for a plan of such an operation: a member of an access that accesses nothing completes before the others.
  bool may_join(const PacketPlan& plan) const { return !is_access(*plan.op) || all_take_part(plan); }
  /// Issues the whole instruction of the plan's company, and charges the cause for their slots. threads: of all of them
  /// together, those with a false guard included. since: the first cycle in which one of them was ready. The plan must
  /// have been placed, and its operation must pass may_join().
  void issue(const PacketPlan& plan, CauseId cause, std::uint32_t threads, Cycle since);
  /// Issues a planned packet of one warp.
  void issue_one(const PacketPlan& plan) {
    Packet& packet = kit_.issue(plan);
    if (parts_.units.unit_of(*plan.op) == isa::Unit::memory) credits_.take(packet);
  }
  /// Whether the unit has room for packets of so many warps.
  bool has_room(isa::Unit unit, unsigned warps) {
    if (unit == isa::Unit::control) return true;
    return parts_.units.link(unit).room() >= warps &&
           (unit != isa::Unit::memory || credits_.suffice(warps, kit_.now()));
  }
  /// Takes away those whose next instruction is for the memory stage.
  void remove_accesses(ContextSet& contexts) const { parts_.units.remove_waiting(contexts, isa::Unit::memory); }
  /// Call if has_room() said no in this cycle and nothing has issued since. Wakes the issue stage when there may be
  /// room.
  void await_room(isa::Unit unit, unsigned warps) {
    LinkOut<PacketHandle>& link = parts_.units.link(unit);
    if (link.room() < warps) link.wait_for_room();
    if (unit == isa::Unit::memory && !credits_.suffice(warps, kit_.now()) && !credits_.await(warps)) kit_.stay();
  }

  // -- for the grouping
  /// Whether packets are being issued whose warps go on together afterwards.
  bool in_lock_step() const { return in_lock_step_; }
  /// The branch of a warp has resolved. True: its company has gone on to the target, all together. False: the grouping
  /// moves this warp, and then calls resolve_others().
  bool branched(ContextId first);
  /// Resolves the branches of the rest of the company.
  void resolve_others(ContextId first);
  /// See GroupingUnit::shown_as().
  Packet* shown_as(Packet& packet);

 private:
  static constexpr std::uint32_t kNoPc = ~0u;
  static constexpr std::uint64_t kSeveralLines = ~std::uint64_t{0};
  /// A load or store of one memory. Not a load from local memory: its lines are known only in the memory stage.
  static bool is_access(const isa::MicroOp& op) {
    const bool load = op.opcode == isa::Opcode::ld && op.space != isa::Space::local;
    return op.unit == isa::Unit::memory && (load || op.opcode == isa::Opcode::st) && op.space != isa::Space::generic;
  }
  /// Whether packets pass from issue to this unit without delay.
  bool passes_freely(isa::Unit unit) const;
  /// Threads of a member, by position in its context.
  std::uint64_t threads_of(const ThreadSet& threads, unsigned member) const {
    return threads.word(0) >> (member * span()) & ((std::uint64_t{1} << span()) - 1);
  }
  unsigned span() const { return sm_.parameters.warp_size; }
  /// Whether each member has a thread that executes.
  bool all_take_part(const PacketPlan& plan) const;
  /// Whether a load or store may be one packet on this machine.
  bool accesses_join() const;
  /// Size of a line of the operation's memory, in bytes; 0: there are no lines, or they are not known yet.
  unsigned line_bytes_of(const isa::MicroOp& op) const;
  /// Where all threads of the company go from its branch; kNoPc: to several places, or one must look at each.
  std::uint32_t common_target(ContextId first, std::uint8_t company) const;
  /// Issues one packet for the plan, and charges the cause.
  void send(const PacketPlan& plan, CauseId cause);
  /// The same, but for an access to several lines, which go and return in different cycles: a packet for each run of
  /// members with one line, and one for each member with several.
  void send_by_line(const PacketPlan& plan, CauseId cause);
  /// The part of the plan that is of some of its members, bit i for context + i.
  PacketPlan part_of(const PacketPlan& plan, std::uint8_t members) const;
  /// Counts the instructions, and tells policies and profiles of them.
  void begin_instructions(const PacketPlan& plan, std::uint32_t threads, Cycle since);

  IssueKit& kit_;
  const IssueKitParts& parts_;
  SmContext& sm_;
  LockStepWarps& warps_;
  std::array<bool, static_cast<std::size_t>(isa::Unit::count)> joins_{};  ///< by unit
  JoinedHazards hazards_;
  AccessCredits credits_;
  isa::Addresses addresses_;                                      ///< of the access that issues
  std::unordered_map<const Packet*, std::vector<Packet>> shown_;  ///< Packet::shown_as
  bool in_lock_step_ = false;
  std::array<std::uint8_t, kMaxContexts> branched_;  ///< by first context: company whose branch is to resolve
};

}  // namespace heddle::sm
