// SPDX-License-Identifier: Apache-2.0
// Environment of a block whose implementation is chosen by the configuration: model, RTL, or both in lockstep.
#pragma once

#include <string>

#include "core/kernel/clock.h"
#include "core/kernel/services.h"
#include "sm/sm_site.h"

namespace heddle::sm {

struct BlockSite {
  std::string path;                       ///< dotted instance name: "sm0.packer"
  Services& services;                     ///< probes, results folder
  const ClockDomain& clock;               ///< clock of the block
  StatisticsOwner* statistics = nullptr;  ///< of the SM; null: nothing is counted
  std::string name{};                     ///< of the block in the SM, such as "packer"
};

/// Site of block `name` of an SM.
inline BlockSite block_site(const SmSite& sm, const std::string& name) {
  return {sm.path(name), sm.services, sm.gate.domain(), &sm.statistics, name};
}

}  // namespace heddle::sm
