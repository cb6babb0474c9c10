// SPDX-License-Identifier: Apache-2.0
// Statistics of a run outside the machine.
#pragma once

#include "core/statistics/statistics.h"

namespace heddle::runtime {

/// Counters of the host side: the statistics owner "host".
struct HostStatistics {
  explicit HostStatistics(Statistics& statistics) : owner(statistics, "host", "host") {}

  StatisticsOwner owner;
  StatisticsGroup launches{owner, "launches"}, functional{owner, "functional"}, copies{owner, "copies"};
  Counter timed{launches, "timed", "kernels run cycle by cycle", unit::kKernels};
  Counter untimed{launches, "functional", "kernels run functionally, without time", unit::kKernels};
  Counter thread_instructions{functional, "thread_instructions",
                              "instructions of threads in kernels run functionally, guarded-off threads included",
                              unit::kThreadInstructions};
  Counter warp_instructions{functional, "warp_instructions",
                            "instructions of warps of 32 threads in kernels run functionally", unit::kInstructions};
  Counter to_device{copies, "to_device", "bytes copied from host memory to the device", unit::kBytes};
  Counter to_host{copies, "to_host", "bytes copied from the device to host memory", unit::kBytes};
  Counter on_device{copies, "on_device", "bytes copied within the device", unit::kBytes};
};

}  // namespace heddle::runtime
