// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/mechanism.h"
#include "memory/dram/dram_parameters.h"

namespace heddle::memory {

class DramBankCall;

struct MemoryControllerParameters {
  DramParameters dram;
  Mechanism<DramBankCall> bank{"timed"};
  unsigned front_latency = 1;
  unsigned back_latency = 0;
  unsigned port_queue = 2;

  void describe(ParameterVisitor& v);
  void check(ParameterChecks& checks) const;
};

}  // namespace heddle::memory
