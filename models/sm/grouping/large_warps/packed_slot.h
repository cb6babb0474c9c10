// SPDX-License-Identifier: Apache-2.0
// Issue slot for large warps: issues an instruction packet by packet, one per cycle, as cut by the grouping.
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
    ThreadSet guarded;                ///< those of `left` whose guard holds now
    const ThreadSet* busy = nullptr;  ///< threads in flight
  };
  enum class Cut : std::uint8_t {
    packet,
    bubble,  ///< no packet in this cycle; the context keeps the slot, and `left` holds its remaining threads
  };
  /// Sets `threads` (to execute) and `left` (for later packets; empty: this packet is the last). Called again for the
  /// same threads if the packet could not issue.
  virtual Cut next_packet(ContextId context, const isa::MicroOp& op, const Request& request, ThreadSet& threads,
                          ThreadSet& left) = 0;
  /// The packet last returned by next_packet() issues.
  virtual void packet_issues(const isa::MicroOp& op) = 0;

  /// Which packets of an instruction must have left the pipeline before its context may issue again, in shapes that
  /// limit a context to one instruction in flight.
  enum class Refetch : std::uint8_t {
    first_packet,
    all_packets,
    first_divergent,  ///< branches: the first packet that reveals divergence, else all
  };
  virtual Refetch refetch(const isa::MicroOp& op) const = 0;
};

class PackedSlot final : public IssueScheme {
 public:
  /// cutter: must outlive the scheme. contexts: number in the slot, which holds contexts 0 .. n-1.
  PackedSlot(PacketCutter& cutter, unsigned contexts)
      : cutter_(cutter), members_(ContextSet::first_n(contexts)), missing_(contexts) {}
  SlotShape slot(IssueSlot) const override { return {members_, false}; }
  void attach(IssueKit& kit) override;
  void cycle(IssueKit& kit) override;

 private:
  static constexpr IssueSlot kSlot{0};  ///< the only one

  /// Marks the current context as waiting for memory while its issued packets or all its remaining threads do.
  void look_at_memory(IssueKit& kit) const;
  bool begin(IssueKit& kit, ContextId context);
  /// Issues the next packet of the current instruction. False: none in this cycle.
  bool go_on(IssueKit& kit);
  void complete_plan(IssueKit& kit, PacketPlan& plan);

  PacketCutter& cutter_;
  ContextSet members_;
  std::vector<ThreadSet> missing_;  ///< by context: threads in packets that wait for memory
  // Current instruction.
  ContextId context_ = kNoContext;
  const isa::MicroOp* op_ = nullptr;
  ThreadSet left_;
  bool first_ = false;                            ///< first packet not yet issued
  bool some_take_ = false, some_do_not_ = false;  ///< branches: outcomes seen in the packets so far
  CauseId cause_packet_{}, cause_packing_{};
};

}  // namespace heddle::sm
