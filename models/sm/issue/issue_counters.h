// SPDX-License-Identifier: Apache-2.0
// What the issue of instructions counts.
#pragma once

#include "core/statistics/statistics.h"

namespace heddle::sm {

struct IssueCounters {
  explicit IssueCounters(const StatisticsGroup& group);

  Counter warp_instructions, thread_instructions, partner_barriers, packets, active_lanes, filled_lanes, offered_lanes;
  Maximum longest_ready_wait;
};

}  // namespace heddle::sm
