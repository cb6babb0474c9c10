// SPDX-License-Identifier: Apache-2.0
#include "sm/issue/issue_counters.h"

namespace heddle::sm {

IssueCounters::IssueCounters(const StatisticsGroup& group)
    : warp_instructions(group, "warp_instructions", "instructions issued, each counted once for all its packets",
                        unit::kInstructions),
      thread_instructions(group, "thread_instructions",
                          "instructions issued, summed over active threads, including threads with a false guard",
                          unit::kThreadInstructions),
      packets(group, "packets", "packets issued", unit::kInstructions),
      active_lanes(group, "active_lanes", "executing threads, guard applied, summed over packets",
                   unit::kThreadInstructions),
      filled_lanes(group, "filled_lanes",
                   "lanes in which a thread executes, summed over packets: as active_lanes, but a jump token fills at "
                   "most the lanes that exist",
                   unit::kThreadInstructions),
      offered_lanes(group, "offered_lanes",
                    "threads that packets could have held: SIMD width, or warp size if smaller, times waves; a "
                    "packet that fills lanes left free by another offers none",
                    unit::kThreadInstructions),
      longest_ready_wait(group, "longest_ready_wait", "longest time a ready context waited to be chosen",
                         unit::kCycles) {}

}  // namespace heddle::sm
