// SPDX-License-Identifier: Apache-2.0
// DRAM standards: timing parameters and the constraints derived from them. One file per standard under standards/.
#pragma once

#include "core/config/mechanism.h"
#include "memory/dram/dram_timing.h"

namespace heddle::memory {

class DramStandard {
 public:
  using MakeArguments = void();
  virtual ~DramStandard() = default;
  virtual DramDevice device() const = 0;
};

}  // namespace heddle::memory
