// SPDX-License-Identifier: Apache-2.0
// Interface of the interconnect between SMs and memory. A kind is one self-registering file, selected by
// memory.crossbar.kind.
#pragma once

#include <memory>

#include "core/config/mechanism.h"
#include "core/kernel/clock.h"
#include "core/kernel/services.h"
#include "memory/address_map.h"
#include "memory/part.h"

namespace heddle {
class WindowPassage;
}

namespace heddle::memory {

struct CrossbarParameters;

/// The place of an interconnect in the machine, given in addition to its parameters.
struct InterconnectSetting {
  unsigned inputs = 1, outputs = 1;
  std::shared_ptr<const AddressMap> map;  ///< selects the output; may be null with one output
};

/// Construction arguments of an interconnect. Only domain and services outlive the call; copy whatever else is needed.
struct InterconnectSite {
  const char* name;  ///< of the module
  ClockDomain& domain;
  ClockDomain& reply_domain;             ///< for a module of its own that carries the replies; may be the same
  const CrossbarParameters& parameters;  ///< a kind uses what applies to it
  const StatisticsGroup& statistics;     ///< group for its statistics
  Services& services;
  const InterconnectSetting& setting;  ///< its place in the machine
};

class Interconnect : public MemoryPart {
 public:
  using MakeArguments = void(const InterconnectSite&);

  /// Socket of SM i: 0 .. setting.inputs - 1.
  virtual AnyTarget& in(unsigned i) = 0;
  /// Socket to slice or controller i: 0 .. setting.outputs - 1. Requests go to output map->target(address).
  virtual AnyInitiator& out(unsigned i) = 0;
  /// Names the part of a clock from which the requests of socket i come.
  virtual void sent_by(unsigned /*i*/, ClockDomain& /*part*/) {}
  /// For windows of cycles, if its replies are carried by a module of their own. Null: none.
  virtual WindowPassage* passage() { return nullptr; }
};

}  // namespace heddle::memory
