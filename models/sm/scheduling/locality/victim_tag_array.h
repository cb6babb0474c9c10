// SPDX-License-Identifier: Apache-2.0
// Victim tag array of an SM, beside its L1 data cache: remembers the lines that each warp has lost from the cache, and
// reports loads that miss one of their own warp's. It holds tags only, in one partition per warp.
// Source: docs/sources/cache-conscious-and-divergence-aware.md, 2.3.1 to 2.3.3 and 9 (Q7, Q8, Q10).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/kernel/cache_events.h"
#include "core/kernel/call.h"
#include "core/kernel/module_state.h"
#include "sm/scheduling/locality/victim_partition.h"
#include "sm/sm_site.h"

namespace heddle::sm {

/// Victim tag array to scheduler. Called in the cycle of the miss; the scheduler acts on it from the next cycle on.
class LostLocality : public virtual sc_core::sc_interface {
 public:
  /// The victim tags of the warp that missed hold the line. last_use: cycle in which the warp accessed it before.
  virtual void lost(const CacheEvent& miss, Cycle last_use) = 0;
};

class VictimTagArray final : public sc_core::sc_module {
 public:
  /// warps: partitions, 1 .. kMaxContexts. charged_to: the mechanism, for the storage cost.
  VictimTagArray(sc_core::sc_module_name name, SmSite& site, const VictimTagParameters& parameters, unsigned warps,
                 const std::string& charged_to);

  CallPort<LostLocality> scheduler;

  /// The warp has no threads any more.
  void warp_ended(WarpId warp);

 private:
  /// The cache is known.
  void built(const L1dShape& l1d, const std::string& charged_to);
  void declare(const L1dShape& l1d, const VictimSetShape& shape, const std::string& charged_to);
  void cache_event(const CacheEvent& event);
  /// Inserts the line that was replaced for the line of this event, if one was.
  void insert_replaced(const CacheEvent& event);
  void probe(const CacheEvent& miss);
  /// The line was written: no warp has lost it for want of room.
  void remove(std::uint64_t line);
  std::uint64_t line_of(const CacheEvent& event) const { return event.address >> line_bits_; }

  const VictimTagParameters parameters_;
  const unsigned warps_;
  SmSite& site_;
  unsigned line_bits_ = 0;
  std::unique_ptr<VictimLookup> lookup_;     ///< null: partitions without limit
  std::vector<VictimPartition> partitions_;  ///< by warp
  UseTimes uses_;                            ///< of lines in the cache, by their owners
  CacheEvent evicted_;                       ///< the eviction just before the present event
  Cycle evicted_use_ = 0;                    ///< last use of that line
  bool just_evicted_ = false;
  std::uint64_t written_ = 0;  ///< line that the event before wrote
  bool just_written_ = false;

  StatisticsGroup group_;
  Counter own_hits_, other_hits_, inserted_, refreshed_, removed_, probes_, hits_;
  Histogram hits_by_warp_;
  ModuleState state_;
  ProbeGroup::SignalId hit_;
};

}  // namespace heddle::sm
