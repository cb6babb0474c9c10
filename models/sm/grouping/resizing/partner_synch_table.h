// SPDX-License-Identifier: Apache-2.0
// Module of the partner-synch table: the logic of partner_synch.h behind a call socket.
// Source: docs/sources/dynamic-warp-resizing.md, 2.5.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/kernel/call.h"
#include "sm/grouping/resizing/partner_synch.h"
#include "sm/sm_site.h"

namespace heddle::sm {

class PartnerSynchCall : public virtual sc_core::sc_interface {
 public:
  virtual PartnerSynchAnswer update(const PartnerSynchRequest& request) = 0;
};

class PartnerSynchTable final : public sc_core::sc_module, private PartnerSynchCall {
 public:
  PartnerSynchTable(sc_core::sc_module_name name, SmSite& site, const PartnerSynchShape& shape);

  CallExport<PartnerSynchCall> calls;
  ModuleState& state() { return state_; }

 private:
  PartnerSynchAnswer update(const PartnerSynchRequest& request) override;

  std::unique_ptr<PartnerSynch> block_;
  std::vector<PartnerSynchEntry> entries_;  ///< as the block's answers show them, for displays
  StatisticsGroup group_;
  Counter arrivals_, mismatches_, releases_;
  ModuleState state_;
  ProbeGroup::SignalId group_signal_, pc_, locked_, mismatch_, release_;
};

}  // namespace heddle::sm
