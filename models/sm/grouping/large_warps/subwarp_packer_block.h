// SPDX-License-Identifier: Apache-2.0
// Module of the sub-warp packer: the logic of sm/grouping/large_warps/subwarp_packer.h behind a call socket. The owning
// grouping calls it for every packet, and again if no unit accepted the last one. It has no process, and its only state
// is the last answer, for the counters; a synthesizable block can replace it.
#pragma once

#include <memory>
#include <systemc>

#include "core/kernel/call.h"
#include "sm/grouping/large_warps/subwarp_packer.h"
#include "sm/sm_site.h"

namespace heddle::sm {

/// Interface to the owner.
class SubwarpPackerCall : public virtual sc_core::sc_interface {
 public:
  virtual SubWarp pack(const PackRequest& request) = 0;
  /// The sub-warp returned last issues.
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
  PackMode mode_asked_ = PackMode::columns;  ///< mode of the last answer
  std::size_t packed_ = 0;                   ///< threads in the last answer
  StatisticsGroup group_;
  Counter subwarps_, threads_, null_subwarps_, tokens_, bubbles_;
  ModuleState state_;
  ProbeGroup::SignalId mode_, lanes_taken_, rows_left_, last_;
};

}  // namespace heddle::sm
