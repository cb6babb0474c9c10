// SPDX-License-Identifier: Apache-2.0
// Dynamic load classifier: follows the loads of one warp of each loop, and learns from them whether the loop has
// intra-warp locality, which of its loads diverge, and which share a line. It hears of loads from the memory stage and
// the L1 data cache; what it hears in a cycle counts from the next one on.
// Source: docs/sources/cache-conscious-and-divergence-aware.md, 2.7 and 9 (Q18, Q19).
#pragma once

#include <vector>

#include "core/kernel/cache_events.h"
#include "core/kernel/call.h"
#include "core/kernel/module_state.h"
#include "sm/scheduling/locality/divergence_parameters.h"
#include "sm/scheduling/locality/load_class_call.h"
#include "sm/scheduling/locality/load_detectors.h"
#include "sm/scheduling/locality/victim_tag_array.h"
#include "sm/sm_site.h"

namespace heddle::sm {

class LoadClassifier final : public sc_core::sc_module, private LoadClassCall, private LostLocality {
 public:
  LoadClassifier(sc_core::sc_module_name name, SmSite& site, const DivergenceAwareParameters& parameters,
                 unsigned contexts, const std::string& charged_to);

  CallExport<LoadClassCall> call;
  CallExport<LostLocality> lost_locality;

 private:
  void lost(const CacheEvent& miss, Cycle last_use) override;
  void runs(const isa::Kernel&, CodeAddress) override {}
  void trip_begins(const LoopTrip& trip) override;
  void ended(ContextId context) override;
  unsigned lines(CodeAddress loop, unsigned threads) override;
  void settle() override { catch_up(); }

  // -- what was heard in a cycle
  struct Coalesced {
    WarpId warp;
    std::uint32_t pc, threads, lines;
  };
  struct LookUp {
    WarpId warp;
    std::uint32_t pc;
    std::uint64_t line, access;
    bool own;  ///< hit on a line that the warp itself brought in
  };
  struct Step {  ///< of a sampling warp: its next instruction, or a trip
    ContextId context = kNoContext;
    std::uint32_t pc = 0;
    LoopTrip trip;  ///< if it has a loop
  };
  /// A load on its way through the cache.
  struct Load {
    CodeAddress loop, load;
    WarpId warp;
    std::uint32_t pc = 0;
    std::uint32_t left = 0;    ///< lines not looked up yet
    std::uint64_t access = 0;  ///< group of its transactions; 0: none was looked up
    bool own = false, lost = false;
  };

  void coalesced(const Packet& packet, std::size_t transactions);
  void looked_up(const CacheEvent& event);
  void issued(const Packet& packet);
  /// Applies what was heard in earlier cycles.
  void catch_up();
  void apply(const Coalesced& coalesced);
  void apply(const LookUp& look_up, bool lost);
  void apply(const Step& step);
  void begin_sampling(const LoopTrip& trip);
  void report(const Load& load);
  void find_sampled();
  /// The entry of the loop that contains the instruction and is sampled by the warp; null: none.
  SamplingTable::Entry* sampled(WarpId warp, std::uint32_t pc);
  void declare(unsigned contexts, const std::string& charged_to);

  const DivergenceAwareParameters parameters_;
  const ClockGate& gate_;
  const SmId sm_;
  unsigned line_bits_ = 7;

  Cycle heard_at_ = kNever;  ///< cycle of what was heard
  std::vector<Coalesced> coalesced_;
  std::vector<LookUp> look_ups_;
  std::vector<std::uint64_t> lost_;  ///< accesses
  std::vector<Step> steps_;

  SamplingTable loops_;
  LoadClasses classes_;
  DivergenceDetector divergence_;
  RepetitionDetector repetitions_;
  std::vector<Load> loads_;
  ContextSet sampling_warps_, sampling_contexts_;

  StatisticsGroup group_;
  Counter samplings_, followed_, captured_, lost_loads_, no_entry_;
  ModuleState state_;
};

}  // namespace heddle::sm
