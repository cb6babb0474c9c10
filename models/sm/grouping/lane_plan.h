// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/bits.h"

namespace heddle::sm {

/// Which physical lanes the threads of a context use, and for how many cycles.
struct LanePlan {
  LaneMask lanes;
  unsigned waves = 1;
};

}  // namespace heddle::sm
