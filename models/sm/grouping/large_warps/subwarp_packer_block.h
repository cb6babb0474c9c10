// SPDX-License-Identifier: Apache-2.0
// The module of the sub-warp packer: the logic of sm/grouping/large_warps/subwarp_packer.h behind a call socket. A
// grouping owns it and asks it for every packet it cuts, again where no unit took the last. It has no process, and of
// state its last answer for the counters alone; a synthesizable block can stand in its place.
#pragma once

#include <memory>
#include <systemc>

#include "core/kernel/call.h"
#include "sm/grouping/large_warps/subwarp_packer.h"
#include "sm/sm_site.h"

namespace heddle::sm {

/// What its owner asks.
class SubwarpPackerCall : public virtual sc_core::sc_interface {
 public:
  virtual SubWarp pack(const PackRequest& request) = 0;
  /// The sub-warp of the last answer issues.
  virtual void goes() = 0;
};

class SubwarpPackerBlock final : public sc_core::sc_module, private SubwarpPackerCall {
 public:
  SubwarpPackerBlock(sc_core::sc_module_name name, SmSite& sm, const PackerShape& shape);

  CallExport<SubwarpPackerCall> call;

 private:
  SubWarp pack(const PackRequest& request) override;
  void goes() override;
  void show(const PackRequest& request, const SubWarp& packed);

  PackerShape shape_;
  std::unique_ptr<SubwarpPacker> unit_;
  PackMode mode_asked_ = PackMode::columns;  ///< of the last answer
  std::size_t packed_ = 0;                   ///< threads of it
  StatisticsGroup group_;
  Counter subwarps_, threads_, null_subwarps_, tokens_, bubbles_;
  ModuleState state_;
  ProbeGroup::SignalId mode_, lanes_taken_, rows_left_, last_;
};

}  // namespace heddle::sm
