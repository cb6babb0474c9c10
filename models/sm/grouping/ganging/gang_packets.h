// SPDX-License-Identifier: Apache-2.0
// A gang's instruction as one packet (PacketPlan::company): for which operations that is the same as a packet for each
// of its warps, and what the issue does for all of them at once.
#pragma once

#include <array>
#include <vector>

#include "isa/branches.h"
#include "sm/grouping/ganging/lock_step_warps.h"
#include "sm/issue/issue_kit.h"

namespace heddle::sm {

class GangPackets final : private PacketDivider {
 public:
  GangPackets(IssueKit& kit, LockStepWarps& warps);
  ~GangPackets() override;

  /// Whether no stage, tracker or observer tells the packets of separate contexts from a shared one for this operation,
  /// and nothing can delay them on their way to its unit. The packet of a load or store is divided where it cannot go
  /// on whole.
  bool may_join(const isa::MicroOp& op) const {
    return (op.lane_function != nullptr || op.opcode == isa::Opcode::special || isa::is_branch(op) || is_access(op)) &&
           joins_[static_cast<std::size_t>(parts_.units.unit_of(op))] && sm_.watch == nullptr &&
           !sm_.events.issued.any() && !sm_.services.probes.attached();
  }
  /// The same for a plan of such an operation: a member of an access that accesses nothing completes before the others.
  bool may_join(const PacketPlan& plan) const { return !is_access(*plan.op) || all_take_part(plan); }
  /// Issues the whole instruction of the plan's company, and charges the cause for their slots. threads: of all of them
  /// together, those with a false guard included. since: the first cycle in which one of them was ready. The plan must
  /// have been placed, and its operation must pass may_join().
  void issue(const PacketPlan& plan, CauseId cause, std::uint32_t threads, Cycle since);
  /// The branch of the company whose first context this is resolves (IssueScheme::due).
  void resolve(ContextId first);

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
  /// Bytes of the lines that a load waits for; 0: it waits for none, or is no load.
  unsigned line_waited_for(const isa::MicroOp& op) const;
  /// Sends one packet for the plan, and charges the cause.
  Packet& send(const PacketPlan& plan, CauseId cause);
  /// The same, but for a load of several lines, which return in different cycles: a packet for each run of members that
  /// wait for one line, and one for each member that waits for several.
  void send_by_line(const PacketPlan& plan, CauseId cause);
  /// The part of the plan that is of some of its members, bit i for context + i.
  PacketPlan part_of(const PacketPlan& plan, std::uint8_t members) const;
  /// Counts the instructions, and tells policies and profiles of them.
  void begin_instructions(const PacketPlan& plan, std::uint32_t threads, Cycle since);
  void divide(Packet& whole, std::vector<PacketHandle>& parts) override;
  void wait_for_branch(const Packet& packet);
  /// Where all threads of the company go; kNoPc: to several places, or one must look at each.
  std::uint32_t common_target(ContextId first, std::uint8_t company) const;

  IssueKit& kit_;
  const IssueKitParts& parts_;
  SmContext& sm_;
  LockStepWarps& warps_;
  std::array<bool, static_cast<std::size_t>(isa::Unit::count)> joins_{};  ///< by unit
  isa::Addresses addresses_;                                              ///< of the load that issues
  std::array<std::uint8_t, kMaxContexts> branched_{};  ///< by first context: company whose branch is to resolve
};

}  // namespace heddle::sm
