// SPDX-License-Identifier: Apache-2.0
// The sub-warp synchroniser: makes sub-warps wait for their partners before large-warp-intensive instructions (LATs),
// with the partner-synch table and the ignore list, and tells which may issue them together.
//
// A sub-warp that is picked at such an instruction passes the barrier as a bubble without an issue slot, unless the
// ignore list holds the instruction; where the barrier is an instruction, its issue does the same. When the barrier
// takes effect, the sub-warp is locked until all its partners are, too, or wait elsewhere, or are gone.
// Source: docs/sources/dynamic-warp-resizing.md, 2.4 to 2.9; decisions.md, dynamic warp resizing.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "sm/context_table.h"
#include "sm/grouping/resizing/parameters.h"
#include "sm/grouping/resizing/partner_rules.h"
#include "sm/grouping/resizing/partner_synch_table.h"
#include "sm/grouping/resizing/pc_list.h"
#include "sm/grouping/resizing/sub_warp_combiner.h"
#include "sm/level_time.h"

namespace heddle::sm {

/// Status of a sub-warp as its scheduler keeps it, in three bits.
enum class SubWarpStatus : std::uint8_t {
  free,
  ready,
  in_pipeline,
  waits_for_memory,
  waits_for_partners,
  combine_ready,
  at_barrier,  ///< or at a collective
  exited,
};

class SubWarpSynchroniser final : public sc_core::sc_module {
 public:
  /// A sub-warp is a context; group g has the contexts g * partners and those that follow.
  struct Shape {
    unsigned groups = 16;
    unsigned partners = 8;
  };
  SubWarpSynchroniser(sc_core::sc_module_name name, SmSite& site, const ResizingParameters& parameters,
                      const Shape& shape, ContextTable& contexts);

  CallPort<PartnerSynchCall> table;
  CallPort<PcListCall> ignored;
  CallPort<MaskMergeCall> combiner;
  /// Null: the compiler says where sub-warps meet.
  CallPort<PcListCall>* learned() { return learned_.get(); }

  // -- from the grouping
  /// A sub-warp starts; without threads it is absent.
  void started(ContextId context);
  /// A sub-warp may have exited, or begun or ceased to wait for others.
  void changed(ContextId context) {
    if (partners_in(locked_, group_of(context)) != 0) dirty_.set(group_of(context));
  }
  /// The sub-warp's instruction has left the pipeline.
  void retired(ContextId context);
  /// A block of the launch with this number starts.
  void launched(std::uint64_t launch);
  /// Lets barriers take effect and releases partners. Call once a cycle, before anything is chosen.
  void begin_cycle();

  // -- from the scheme
  enum class Turn : std::uint8_t {
    alone,     ///< it issues by itself
    together,  ///< it issues with those of its partners that are ready, see combine()
    waits,     ///< it has to wait for its partners, and is parked
  };
  /// The scheduler has picked the sub-warp, whose next instruction is `op`.
  Turn picked(ContextId context, const isa::MicroOp& op);
  /// Whether the sub-warp would issue the instruction if it were picked, rather than wait for its partners.
  bool issues_next(ContextId context, const isa::MicroOp& op) const {
    return combine_ready_.test(context) || alone_.test(context) || !meets_at(op);
  }
  bool is_large_warp_intensive(const isa::MicroOp& op) const {
    return sm::is_large_warp_intensive(op, parameters_.lat);
  }
  /// Whether the instruction is a barrier of partners, and has an effect.
  bool is_barrier(const isa::MicroOp& op) const {
    return op.opcode == isa::Opcode::bar_partner && parameters_.barrier == ResizingParameters::Barrier::real_isa;
  }
  /// The partners that issue their instruction together with this sub-warp, which is combine-ready.
  LargeWarp combine(ContextId context);
  /// Whether all these partners are members of `contexts`.
  bool all_in(const ContextSet& contexts, unsigned group, PartnerMask members) const {
    return (members & ~partners_in(contexts, group)) == 0;
  }
  /// These partners begin to issue as one; 0: they do not, after all.
  void issue_together(unsigned group, PartnerMask members) { together_[group] = members; }
  /// The sub-warp issues its instruction.
  void issued(ContextId context);
  /// The sub-warp has issued the instruction `bar.synch_partner` at this PC of its kernel.
  void reached_barrier(ContextId context, std::uint32_t pc) { pass(context, pc_of(context, pc)); }
  /// The next cycle in which it has work even if no event occurs; kNever: none.
  Cycle next_event() const;
  void settle(Cycle until) { waiting_.settle(until); }

  unsigned group_of(ContextId context) const { return static_cast<unsigned>(context / shape_.partners); }
  unsigned partner_of(ContextId context) const { return static_cast<unsigned>(context % shape_.partners); }
  ContextId context_of(unsigned group, unsigned partner) const { return ContextId(group * shape_.partners + partner); }
  const Shape& shape() const { return shape_; }
  bool combine_ready(ContextId context) const { return combine_ready_.test(context); }
  SubWarpStatus status_of(ContextId context) const;
  /// The large warp in which the sub-warp issues now, in words; empty: it issues by itself.
  std::string company_of(ContextId context) const;
  /// Members of a group in words: "c8-10 c12".
  std::string name_of(unsigned group, PartnerMask members) const;

 private:
  /// A sub-warp on its way through the barrier.
  struct Passing {
    Cycle due;
    ContextId context;
    std::uint32_t pc;
  };
  /// Whether sub-warps meet their partners at the instruction.
  bool meets_at(const isa::MicroOp& op) const {
    return parameters_.barrier == ResizingParameters::Barrier::paper && is_large_warp_intensive(op);
  }
  /// The instruction's number in the program's code, which tells kernels apart.
  std::uint32_t pc_of(ContextId context, std::uint32_t pc) const;
  void pass(ContextId context, std::uint32_t pc);
  void takes_effect(const Passing& barrier);
  PartnerSituation situation_of(unsigned group) const;
  void release(unsigned group, const PartnerRelease& release);
  PartnerMask partners_in(const ContextSet& contexts, unsigned group) const {
    const unsigned first = group * shape_.partners;
    return static_cast<PartnerMask>(contexts.word(first / 64) >> (first % 64) & ((1u << shape_.partners) - 1));
  }
  void count_waiting(int more) {
    waiting_.set(gate_.now(), waiting_.level() + static_cast<std::uint64_t>(static_cast<std::int64_t>(more)));
  }
  /// Keeps the sub-warp from issuing because of its partners, or no longer does.
  void hold(ContextId context, bool holds) {
    contexts_.locked.assign(context, holds);
    contexts_.park(context, holds);
  }
  void declare(const std::string& name);

  const ResizingParameters parameters_;
  const Shape shape_;
  const unsigned instruction_bytes_;
  ContextTable& contexts_;
  const ClockGate& gate_;
  std::unique_ptr<CallPort<PcListCall>> learned_;
  PartnerRules rules_;

  std::deque<Passing> passing_, hits_;  ///< in order; the second: ignored, but after some cycles
  std::vector<std::uint32_t> decoded_;  ///< instructions to learn
  ContextSet dirty_;                    ///< groups with locked sub-warps whose situation may have changed
  ContextSet absent_, bubble_, locked_, combine_ready_;
  ContextSet alone_;                              ///< picked, and need not meet partners
  ContextSet done_;                               ///< have their data, and wait for the rest of their large warp
  std::vector<PartnerMask> together_;             ///< by group: members of the large warp that issues
  std::array<PartnerMask, kMaxContexts> with_{};  ///< by context: its large warp, if that is released as a whole
  std::array<Cycle, kMaxContexts> since_{};       ///< by context: cycle in which it was picked at its barrier
  std::uint64_t launch_ = ~std::uint64_t{0};

  StatisticsGroup group_;
  Counter barriers_, ignored_picks_, learned_picks_, wait_cycles_;
  std::vector<Counter> releases_;  ///< by ReleaseCause
  LevelTime waiting_;
  ModuleState state_;
  ProbeGroup::SignalId passes_, released_, cause_;
};

}  // namespace heddle::sm
