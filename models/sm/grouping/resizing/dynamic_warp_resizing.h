// SPDX-License-Identifier: Apache-2.0
// Sub-warps as wide as the datapath, each with a stack of its own. Before large-warp-intensive instructions they wait
// for their partners, the sub-warps of an aligned window of the block, and issue those together, so that their accesses
// coalesce as those of one large warp.
// Source: docs/sources/dynamic-warp-resizing.md, 2.
#pragma once

#include <memory>
#include <vector>

#include "sm/grouping/reconvergence_stack.h"
#include "sm/grouping/resizing/sub_warp_synchroniser.h"

namespace heddle::sm {

class DynamicWarpResizing final : public StackWarps {
 public:
  using Parameters = ResizingParameters;
  static GroupingTraits traits(const Parameters& p, const GroupingShape& shape);
  /// Throws Error(kConfiguration) if the groups do not fit the machine.
  DynamicWarpResizing(const Parameters& p, const GroupingShape& shape, ContextTable& table);
  ~DynamicWarpResizing() override;
  std::string name() const override { return "dynamic_warp_resizing"; }

  void build(SmSite& site) override;
  void subscribe(SmEvents& events) override;
  std::unique_ptr<IssueScheme> make_scheme() override;

  void advanced(ContextId context) override;
  void exited(ContextId context, const ThreadSet& threads) override;
  void retired(ContextId context) override { synchroniser_->retired(context); }
  void waiting_changed(ContextId context, const ThreadSet& awaited) override;
  bool begin_cycle() override {
    synchroniser_->begin_cycle();
    return false;
  }
  std::string company_of(ContextId context) const override { return synchroniser_->company_of(context); }
  const char* role_of(const isa::MicroOp& op) const override;
  void declare_state(ModuleState& state) override;

  // -- for the scheme
  SmSite& site() const { return *site_; }
  SubWarpSynchroniser& synchroniser() const { return *synchroniser_; }
  const std::vector<ContextSet>& slot_members() const { return members_; }

 private:
  void started(ContextId context, const ThreadSet& threads) override;

  const Parameters parameters_;
  const SubWarpSynchroniser::Shape partners_;
  std::unique_ptr<PcList> ignore_list_, learned_;
  std::unique_ptr<PartnerSynchTable> table_of_partners_;
  std::unique_ptr<SubWarpCombiner> combiner_;
  std::unique_ptr<SubWarpSynchroniser> synchroniser_;
  SmSite* site_ = nullptr;
};

}  // namespace heddle::sm
