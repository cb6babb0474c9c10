// SPDX-License-Identifier: Apache-2.0
#include "memory/dram/dram_parameters.h"

#include "core/unit.h"

namespace heddle::memory {

void DramParameters::describe(ParameterVisitor& v) {
  geometry.describe(v);
  v("standard", standard, "DRAM standard, with its timings");
  v("scheduler", scheduler, "selection of the request that a bank serves next");
  v("row_policy", row_policy, "when to close a row");
  v("refresh", refresh, "when to refresh banks");
  v("turns", turns, "candidates a bank offers while reads and writes share a queue",
    choices<DramTurns>(
        {{"batched", DramTurns::batched,
          "its oldest row hit of each direction: the data bus keeps its direction while there are row hits for it"},
         {"by_age", DramTurns::by_age, "only its oldest row hit, of either direction"}}));
  v("turn_cap", turn_cap, "row hits of one direction served before an older row hit of the other", unit::kRequests,
    range(1, 4096));
  v("age_cap", age_cap, "wait after which a request is served before all others; 0: no limit", unit::kCycles,
    range(0, 1e9));
  v("queue_entries", queue_entries, "requests a controller can hold; reads only, if there is a write queue",
    unit::kRequests, range(1, 4096));
  v("write_queue_entries", write_queue_entries,
    "entries of a separate write queue, drained in batches; 0: no such queue", unit::kRequests, range(0, 4096));
  v("write_drain_high", write_drain_high, "waiting writes at which a drain starts, during which no reads are served",
    unit::kRequests, range(1, 4096));
  v("write_drain_low", write_drain_low, "waiting writes at which a drain ends", unit::kRequests, range(0, 4095));
  v("write_mode_to_low", write_mode_to_low,
    "writes started for lack of reads continue down to write_drain_low even if reads arrive");
  v("return_entries", return_entries, "read replies that may wait or be in flight", unit::kReplies, range(1, 4096));
}

void DramParameters::check(ParameterChecks& checks) const {
  geometry.check(checks);
  if (write_queue_entries != 0) {
    checks.require(write_drain_high <= write_queue_entries, "write_drain_high", "must not exceed write_queue_entries");
    checks.require(write_drain_low < write_drain_high, "write_drain_low", "must be below write_drain_high");
  }
  const auto part = make(standard);
  const auto policy = part ? make(refresh, part->device(), geometry.ranks, geometry.banks() / geometry.ranks) : nullptr;
  if (!policy || !policy->command()) return;
  const DramDevice device = part->device();
  checks.require(device.refresh_interval != 0, "refresh", "the memory specifies no refresh interval (tREFI)");
  const bool all = *policy->command() == DramCommand::refresh_all;
  checks.require((all ? device.refresh_cycles : device.bank_refresh_cycles) != 0, "refresh",
                 "the memory specifies no duration for this refresh (tRFCab, tRFCpb)");
}

}  // namespace heddle::memory
