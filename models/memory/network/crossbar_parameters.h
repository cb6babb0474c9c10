// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/mechanism.h"
#include "memory/network/switch_network.h"

namespace heddle::memory {

class Interconnect;

struct CrossbarParameters {
  Mechanism<Interconnect> kind{"crossbar"};
  NetworkParameters request, reply;
  unsigned port_queue = 2;

  void describe(ParameterVisitor& v);
};

}  // namespace heddle::memory
