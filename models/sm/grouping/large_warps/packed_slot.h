// SPDX-License-Identifier: Apache-2.0
// One slot that issues an instruction packet by packet, one a cycle, as its grouping cuts it: large warps.
#pragma once

#include <vector>

#include "core/statistics/slot_account.h"
#include "isa/branches.h"
#include "isa/execute.h"
#include "sm/issue/issue_scheme.h"
#include "sm/issue/packet_plan.h"

namespace heddle::sm {

/// Cuts instructions into packets.
class PacketCutter {
 public:
  virtual ~PacketCutter() = default;

  /// One request for a packet of a context's instruction.
  struct Request {
    ThreadSet left;                   ///< threads not yet in a packet, guard not applied
    ThreadSet guarded;                ///< of them those whose guard holds now
    const ThreadSet* busy = nullptr;  ///< threads in flight
  };
  enum class Cut : std::uint8_t {
    packet,
    bubble,  ///< nothing in this cycle; the context keeps the slot, and `left` is what is left of it
  };
  /// Fills `threads` (to execute) and `left` (what further packets are for; none: this is the last). Asked again for
  /// the same threads where the packet did not go.
  virtual Cut next_packet(ContextId context, const isa::MicroOp& op, const Request& request, ThreadSet& threads,
                          ThreadSet& left) = 0;
  /// The packet that next_packet() named last issues.
  virtual void packet_issues(const isa::MicroOp& op) = 0;

  /// Which packets of an instruction must be through before its context may issue again, where the shape keeps a
  /// context to one instruction.
  enum class Refetch : std::uint8_t {
    first_packet,
    all_packets,
    first_divergent,  ///< of a branch: the first that shows that the threads part, or all
  };
  virtual Refetch refetch(const isa::MicroOp& op) const = 0;
};

class PackedSlot final : public IssueScheme {
 public:
  /// cutter: outlives the scheme. contexts: those of the slot, which are numbers 0 .. n-1.
  PackedSlot(PacketCutter& cutter, unsigned contexts)
      : cutter_(cutter), members_(ContextSet::first_n(contexts)), missing_(contexts) {}
  SlotShape slot(unsigned) const override { return {members_, false}; }
  void attach(IssueKit& kit) override;
  void cycle(IssueKit& kit) override;

 private:
  /// Whether a context whose instruction is being cut waits for memory with all that is left of it.
  void look_at_memory(IssueKit& kit) const;
  bool begin(IssueKit& kit, ContextId context);
  /// The next packet of the instruction under way. False: it has none in this cycle.
  bool go_on(IssueKit& kit);
  void complete_plan(IssueKit& kit, PacketPlan& plan);

  PacketCutter& cutter_;
  ContextSet members_;
  std::vector<ThreadSet> missing_;  ///< by context: threads in packets that wait for memory
  // The instruction under way.
  ContextId context_ = kNoContext;
  const isa::MicroOp* op_ = nullptr;
  ThreadSet left_;
  bool first_ = false;                            ///< its first packet is still to come
  bool some_take_ = false, some_do_not_ = false;  ///< of a branch: threads in its packets so far
  CauseId cause_packet_{}, cause_packing_{};
};

}  // namespace heddle::sm
