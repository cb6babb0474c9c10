// SPDX-License-Identifier: Apache-2.0
// What the issue of instructions counts.
#pragma once

#include <cstdint>

#include "core/statistics/statistics.h"
#include "isa/classify.h"

namespace heddle::sm {

struct IssueCounters {
  explicit IssueCounters(const StatisticsGroup& group);

  /// Counts an instruction that this number of contexts issues, with `threads` active threads in all.
  void instruction(isa::Opcode opcode, unsigned contexts, std::uint32_t threads) {
    if (!is_counted(opcode)) return;
    warp_instructions += contexts;
    thread_instructions += threads;
  }

  Counter warp_instructions, thread_instructions, packets, active_lanes, filled_lanes, offered_lanes;
  Maximum longest_ready_wait;
};

}  // namespace heddle::sm
