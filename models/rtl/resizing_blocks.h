// SPDX-License-Identifier: Apache-2.0
// The blocks of dynamic warp resizing, compared in lockstep: their requests and answers, also as port values.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "rtl/lockstep.h"
#include "sm/grouping/resizing/mask_merge.h"
#include "sm/grouping/resizing/partner_synch.h"

namespace heddle::rtl {

struct PartnerSynchPorts {
  using Unit = sm::PartnerSynch;
  using Request = sm::PartnerSynchRequest;
  using Answer = sm::PartnerSynchAnswer;
  using Shape = sm::PartnerSynchShape;
  static Answer ask(Unit& unit, const Request& request) { return unit.update(request); }
  static std::vector<PortValue> inputs(const sm::PartnerSynchShape& shape, const sm::PartnerSynchRequest& request);
  static std::vector<PortValue> outputs(const sm::PartnerSynchShape& shape, const sm::PartnerSynchAnswer& answer);
};

struct MaskMergePorts {
  using Unit = sm::MaskMerge;
  using Request = sm::MergeRequest;
  using Answer = sm::LargeWarp;
  using Shape = sm::MaskMergeShape;
  static Answer ask(Unit& unit, const Request& request) { return unit.merge(request); }
  static std::vector<PortValue> inputs(const sm::MaskMergeShape& shape, const sm::MergeRequest& request);
  static std::vector<PortValue> outputs(const sm::MaskMergeShape& shape, const sm::LargeWarp& warp);
};

class PartnerSynchLockstep : public sm::PartnerSynch {
 public:
  PartnerSynchLockstep(const sm::PartnerSynchShape& shape, const sm::BlockSite& site,
                       std::unique_ptr<sm::PartnerSynch> model, std::unique_ptr<sm::PartnerSynch> rtl)
      : both_(shape, site, std::move(model), std::move(rtl)) {}
  sm::PartnerSynchAnswer update(const sm::PartnerSynchRequest& request) override { return both_.ask(request); }

 private:
  LockstepHistory<PartnerSynchPorts> both_;
};

class MaskMergeLockstep : public sm::MaskMerge {
 public:
  MaskMergeLockstep(const sm::MaskMergeShape& shape, const sm::BlockSite& site, std::unique_ptr<sm::MaskMerge> model,
                    std::unique_ptr<sm::MaskMerge> rtl)
      : both_(shape, site, std::move(model), std::move(rtl)) {}
  sm::LargeWarp merge(const sm::MergeRequest& request) override { return both_.ask(request); }

 private:
  LockstepHistory<MaskMergePorts> both_;
};

}  // namespace heddle::rtl
