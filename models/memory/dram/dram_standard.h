// SPDX-License-Identifier: Apache-2.0
// A kind of memory: its timings as parameters and the constraints made of them. One file a standard under standards/.
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
