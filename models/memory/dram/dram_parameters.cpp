// SPDX-License-Identifier: Apache-2.0
#include "memory/dram/dram_parameters.h"

#include "core/unit.h"

namespace heddle::memory {

void DramParameters::describe(ParameterVisitor& v) {
  geometry.describe(v);
  v("standard", standard, "kind of memory, with its timings");
  v("scheduler", scheduler, "which waiting request a bank serves next");
  v("row_policy", row_policy, "when a row is closed");
  v("refresh", refresh, "when banks are refreshed");
  v("turns", turns, "what a bank offers while reads and writes share a queue",
    choices<DramTurns>(
        {{"batched", DramTurns::batched,
          "its oldest row hit of each direction: the data bus stays with one while banks have hits of it"},
         {"by_age", DramTurns::by_age, "its oldest row hit alone, of either direction"}}));
  v("turn_cap", turn_cap, "row hits of one direction that go before an older row hit of the other", unit::kRequests,
    range(1, 4096));
  v("age_cap", age_cap, "a request that has waited so long goes before all others; 0: no limit", unit::kCycles,
    range(0, 1e9));
  v("queue_entries", queue_entries, "requests a controller holds and chooses from; reads only with a queue for writes",
    unit::kRequests, range(1, 4096));
  v("write_queue_entries", write_queue_entries,
    "writes that wait apart until many are served in a row; 0: no such queue", unit::kRequests, range(0, 4096));
  v("write_drain_high", write_drain_high, "with this many writes waiting they are served, and no reads",
    unit::kRequests, range(1, 4096));
  v("write_drain_low", write_drain_low, "until so few are left", unit::kRequests, range(0, 4095));
  v("write_mode_to_low", write_mode_to_low,
    "writes that began to go because no read waited go on until write_drain_low are left, though reads came");
  v("return_entries", return_entries, "replies to reads that may wait or be on their way", unit::kReplies,
    range(1, 4096));
}

void DramParameters::check(ParameterChecks& checks) const {
  geometry.check(checks);
  if (write_queue_entries != 0) {
    checks.require(write_drain_high <= write_queue_entries, "write_drain_high", "is above write_queue_entries");
    checks.require(write_drain_low < write_drain_high, "write_drain_low", "must be below write_drain_high");
  }
  const auto part = make(standard);
  const auto policy = part ? make(refresh, part->device(), geometry.ranks, geometry.banks() / geometry.ranks) : nullptr;
  if (!policy || !policy->command()) return;
  const DramDevice device = part->device();
  checks.require(device.refresh_interval != 0, "refresh", "the memory states no refresh interval (tREFI)");
  const bool all = *policy->command() == DramCommand::refresh_all;
  checks.require((all ? device.refresh_cycles : device.bank_refresh_cycles) != 0, "refresh",
                 "the memory states no time for such a refresh (tRFCab, tRFCpb)");
}

}  // namespace heddle::memory
