// SPDX-License-Identifier: Apache-2.0
// A list of instructions behind a call socket: the ignore list of barriers that only cost time, or the list that
// dynamic synchronisation learns.
// Source: docs/sources/dynamic-warp-resizing.md, 2.4 and 2.7.
#pragma once

#include <string>

#include "core/kernel/call.h"
#include "sm/grouping/resizing/pc_table.h"
#include "sm/sm_site.h"

namespace heddle::sm {

class PcListCall : public virtual sc_core::sc_interface {
 public:
  virtual bool look_up(std::uint32_t pc) = 0;
  virtual void insert(std::uint32_t pc) = 0;
  virtual void clear() = 0;
};

class PcList final : public sc_core::sc_module, private PcListCall {
 public:
  /// holds: what is in it, for sentences: "instructions whose barrier is ignored".
  PcList(sc_core::sc_module_name name, SmSite& site, const PcTableShape& shape, const std::string& holds);

  CallExport<PcListCall> calls;
  ModuleState& state() { return state_; }

 private:
  bool look_up(std::uint32_t pc) override;
  void insert(std::uint32_t pc) override;
  void clear() override { table_.clear(); }

  PcTable table_;
  StatisticsGroup group_;
  Counter look_ups_, hits_, inserted_, evicted_;
  Maximum most_;
  ModuleState state_;
  ProbeGroup::SignalId looked_up_, hit_, insert_;
};

}  // namespace heddle::sm
