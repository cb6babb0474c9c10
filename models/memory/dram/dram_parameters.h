// SPDX-License-Identifier: Apache-2.0
// Parameters of a memory channel: part, policies and queues.
#pragma once

#include "core/config/mechanism.h"
#include "memory/address_map.h"
#include "memory/dram/dram_refresh.h"
#include "memory/dram/dram_scheduler.h"
#include "memory/dram/dram_standard.h"

namespace heddle::memory {

/// Candidates a bank offers while reads and writes share a queue.
enum class DramTurns : std::uint8_t {
  batched,  ///< its oldest row hit of each direction
  by_age    ///< its oldest row hit
};

struct DramParameters {
  ChannelGeometry geometry;
  Mechanism<DramStandard> standard{"gddr5"};
  Mechanism<DramScheduler> scheduler{"fr_fcfs"};
  Mechanism<RowPolicy> row_policy{"open"};
  Mechanism<RefreshPolicy> refresh{"none"};
  DramTurns turns = DramTurns::batched;
  unsigned turn_cap = 256, age_cap = 10000;
  unsigned queue_entries = 64;
  unsigned write_queue_entries = 0;
  unsigned write_drain_high = 48, write_drain_low = 16;
  bool write_mode_to_low = false;
  unsigned return_entries = 116;

  void describe(ParameterVisitor& v);
  void check(ParameterChecks& checks) const;
};

}  // namespace heddle::memory
