// SPDX-License-Identifier: Apache-2.0
// What joins SMs and memory, as a machine sees it. A kind is one file that registers itself; memory.crossbar.kind
// chooses it.
#pragma once

#include <memory>

#include "core/config/mechanism.h"
#include "core/kernel/clock.h"
#include "core/kernel/services.h"
#include "memory/address_map.h"
#include "memory/part.h"

namespace heddle::memory {

struct CrossbarParameters;

/// What an interconnect is told beside its parameters.
struct InterconnectSetting {
  unsigned inputs = 1, outputs = 1;
  std::shared_ptr<const AddressMap> map;  ///< chooses the output; may be null with one output
};

/// What a machine builds an interconnect from. Only domain and services outlive the call: copy what is needed of the
/// rest.
struct InterconnectSite {
  const char* name;  ///< of the module
  ClockDomain& domain;
  const CrossbarParameters& parameters;  ///< of the key; a kind takes of them what it has use for
  const StatisticsGroup& statistics;     ///< where it counts
  Services& services;
  const InterconnectSetting& setting;  ///< where it stands
};

class Interconnect : public MemoryPart {
 public:
  using MakeArguments = void(const InterconnectSite&);

  /// Of SM i: 0 .. setting.inputs - 1.
  virtual AnyTarget& in(unsigned i) = 0;
  /// To slice or controller i: 0 .. setting.outputs - 1. Requests go to output map->target(address).
  virtual AnyInitiator& out(unsigned i) = 0;
};

}  // namespace heddle::memory
