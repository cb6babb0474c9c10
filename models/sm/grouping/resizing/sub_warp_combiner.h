// SPDX-License-Identifier: Apache-2.0
// Module of the sub-warp combiner: the logic of mask_merge.h behind a call socket.
// Source: docs/sources/dynamic-warp-resizing.md, 2.8.
#pragma once

#include <memory>
#include <string>

#include "core/kernel/call.h"
#include "sm/grouping/resizing/mask_merge.h"
#include "sm/sm_site.h"

namespace heddle::sm {

class MaskMergeCall : public virtual sc_core::sc_interface {
 public:
  /// first: number of the group's first sub-warp, for displays.
  virtual LargeWarp merge(const MergeRequest& request, unsigned first) = 0;
};

class SubWarpCombiner final : public sc_core::sc_module, private MaskMergeCall {
 public:
  SubWarpCombiner(sc_core::sc_module_name name, SmSite& site, const MaskMergeShape& shape);

  CallExport<MaskMergeCall> calls;

 private:
  LargeWarp merge(const MergeRequest& request, unsigned first) override;
  void show(const MergeRequest& request, unsigned first, const LargeWarp& warp);

  const MaskMergeShape shape_;
  std::unique_ptr<MaskMerge> block_;
  ModuleState state_;
  ProbeGroup::SignalId selected_, members_, size_, mask_;
};

}  // namespace heddle::sm
