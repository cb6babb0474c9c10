// SPDX-License-Identifier: Apache-2.0
// Narrow warps on slices of the datapath, each with a stack of its own. Warps of 32 consecutive threads begin as a gang
// that runs in lock step; the ganging unit splits it where they diverge, and slices schedule the warps left alone.
// Source: docs/sources/variable-warp-size.md, 2.2, 2.3 and 2.6.
#pragma once

#include <memory>
#include <vector>

#include "sm/grouping/ganging/lock_step_warps.h"
#include "sm/grouping/ganging/warp_ganging_unit.h"
#include "sm/grouping/reconvergence_stack.h"

namespace heddle::sm {

/// Threads of an original gang.
inline constexpr unsigned kGangThreads = 32;

class L0Outputs;

class VariableWarps final : public StackWarps, public LockStepWarps {
 public:
  using Parameters = GangingParameters;
  static GroupingTraits traits(const Parameters& p, const GroupingShape& shape);
  /// Throws Error(kConfiguration) if the slices do not fit the machine.
  VariableWarps(const Parameters& p, const GroupingShape& shape, ContextTable& table);
  ~VariableWarps() override;
  std::string name() const override { return "variable_warps"; }

  void build(SmSite& site) override;
  std::unique_ptr<IssueScheme> make_scheme() override;
  std::unique_ptr<FetchScheme> make_fetch_scheme() override;
  InstructionStores instruction_stores() override;

  LanePlan lanes(ContextId context, const isa::MicroOp& op, const ThreadSet& threads) const override;
  void advanced(ContextId context) override;
  void go_on_together(ContextId first, std::uint8_t company, std::uint32_t pc) override;
  void branched(ContextId context, const isa::MicroOp& op, const std::vector<Path>& paths) override;
  Packet* shown_as(Packet& packet) override;
  void exited(ContextId context, const ThreadSet& threads) override;
  void waiting_changed(ContextId context, const ThreadSet& awaited) override;
  std::string company_of(ContextId context) const override;

  // -- for the schemes
  const Parameters& parameters() const { return parameters_; }
  SmSite& site() const { return *site_; }
  const ContextTable& contexts() const { return table_; }
  unsigned slices() const { return slice_count_; }
  /// Lanes of these slices.
  const LaneMask& lanes_of(SliceMask slices) const { return lanes_of_[slices]; }
  /// Of a warp's packet.
  unsigned waves() const { return lanes_[0].waves; }
  const std::vector<ContextSet>& slice_members() const { return members_; }
  WarpGangingUnit& unit() const { return *unit_; }
  Slice& slice(unsigned number) const { return *slices_[number]; }

 private:
  void started(ContextId context, const ThreadSet& threads) override;
  void branched_alone(ContextId context, const isa::MicroOp& op, const std::vector<Path>& paths);
  /// The context's PC was `from`: signals a change other than to the next instruction.
  void moved(ContextId context, std::uint32_t from);
  bool barrel() const { return site_->parameters.shape == PipelineShape::barrel; }
  bool ganged() const { return unit_ != nullptr && parameters_.mode == GangingParameters::Mode::mixed; }

  const Parameters parameters_;
  const unsigned slice_count_;
  std::vector<LanePlan> lanes_;     ///< by slice
  std::vector<LaneMask> lanes_of_;  ///< by SliceMask
  std::unique_ptr<WarpGangingUnit> unit_;
  std::vector<std::unique_ptr<Slice>> slices_;
  std::unique_ptr<L0Outputs> l0_outputs_;
  std::vector<Path> ordered_;  ///< of a branch, in a vector that keeps its memory
  SmSite* site_ = nullptr;
};

}  // namespace heddle::sm
