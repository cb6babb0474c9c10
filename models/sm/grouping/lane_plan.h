// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/bits.h"

namespace heddle::sm {

/// Physical lanes used by the threads of a context, and the number of waves.
struct LanePlan {
  LaneMask lanes;
  unsigned waves = 1;
};

}  // namespace heddle::sm
