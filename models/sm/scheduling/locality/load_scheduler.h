// SPDX-License-Identifier: Apache-2.0
// The scheduler of divergence-aware scheduling: follows warps through loops, predicts the lines that each will access
// in a trip, and lets no more of them load than the cache can hold. All that issues in a cycle is seen from the next
// one on.
// Source: docs/sources/cache-conscious-and-divergence-aware.md, 2.5.
#pragma once

#include <array>
#include <memory>
#include <unordered_map>

#include "core/kernel/call.h"
#include "core/kernel/module_state.h"
#include "sm/level_time.h"
#include "sm/scheduling/locality/divergence_parameters.h"
#include "sm/scheduling/locality/footprints.h"
#include "sm/scheduling/locality/load_class_call.h"
#include "sm/sm_site.h"

namespace heddle::sm {

struct Context;
struct ContextTable;

class LoadScheduler final : public sc_core::sc_module {
 public:
  LoadScheduler(sc_core::sc_module_name name, SmSite& site, const DivergenceAwareParameters& parameters,
                unsigned contexts, const std::string& charged_to);

  CallPort<LoadClassCall> classes;

  // -- from the issue stage
  /// Once in every cycle in which the stage works, before anything is chosen.
  void begin_cycle(const ContextTable& contexts);
  /// The context issues its next instruction.
  void issued(const ContextTable& contexts, ContextId context);
  /// The context has no threads any more.
  void finished(const ContextTable& contexts, ContextId context);
  /// Contexts that may not issue loads in this cycle.
  const ContextSet& blocked() const { return admission_.blocked(); }
  /// Whether blocked() changes in the next cycle even if no event occurs.
  bool pending() const { return table_.changed(); }
  /// Counts the cycles before `until`.
  void settle(Cycle until);

 private:
  /// Where a context is.
  struct Place {
    const isa::Kernel* kernel = nullptr;
    std::shared_ptr<const isa::LoopExtents> loops;
    CodeAddress code = 0;
    std::uint32_t last_pc = ~std::uint32_t{0};  ///< issued last
  };
  Place& place_of(const ContextTable& contexts, ContextId context);
  void decide(const ContextTable& contexts);
  void release_waiting(const ContextTable& contexts);
  /// Looks at instructions that have come to the head of their buffer.
  void expect_loads(const ContextTable& contexts);
  void expect_load(const ContextTable& contexts, ContextId context);
  struct Prediction {
    unsigned lines;
    bool of_inner;  ///< of an inner loop that has run, in a trip of the loop around it
  };
  /// The context begins a trip of the loop.
  Prediction enter(ContextId c, const Place& place, const isa::LoopExtent& loop, const Context& context);
  /// Lines that the context accesses in a trip of the loop.
  unsigned lines_of(CodeAddress loop, const Context& context);
  void declare(const std::string& charged_to);

  const DivergenceAwareParameters parameters_;
  const unsigned contexts_, warp_size_;
  const ClockGate& gate_;
  std::unordered_map<const isa::Kernel*, std::shared_ptr<const isa::LoopExtents>> loops_;  ///< of kernels that run
  std::array<Place, kMaxContexts> places_{};
  FootprintTable table_;
  LoadAdmission admission_;
  ContextSet can_issue_load_;  ///< for the waveform
  ContextSet seen_;            ///< contexts whose next instruction was looked at
  std::uint64_t next_age_ = 0;

  StatisticsGroup group_;
  Counter predictions_, kept_inner_, tentative_, let_go_, over_capacity_, irreducible_;
  LevelTime lines_, lines_admitted_, warps_admitted_, warps_blocked_;
  Maximum most_lines_;
  ModuleState state_;
};

}  // namespace heddle::sm
