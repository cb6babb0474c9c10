// SPDX-License-Identifier: Apache-2.0
// Two-level scheduling: a preset's policy on a table of contexts, and its storage. Source:
// docs/sources/large-warps-and-database-search.md, 2.6, 3.6, 3.7 and 8.
#include <gtest/gtest.h>

#include "large_warp_targets.h"

namespace heddle::studies {
namespace {

using namespace sm;

/// The order policy of a core, alone.
class Policy {
 public:
  Policy(const SmParameters& core, unsigned contexts) : policy_(make(core.order, shape(contexts))) {
    policy_->declare_state(state_, shape(contexts));
    table.valid = ContextSet::first_n(contexts);
  }
  /// The candidate that issues in this cycle, if any.
  ContextId issue(const ContextSet& candidates) {
    policy_->update(table);
    const ContextId chosen = candidates.any() ? policy_->choose(table, candidates) : kNoContext;
    if (chosen != kNoContext) policy_->issued(table, chosen);
    return chosen;
  }
  const Structure& structure(const std::string& name) const {
    for (const Structure* structure : services_.structures.all()) {
      if (structure->name() == "order." + name) return *structure;
    }
    throw std::out_of_range(name);
  }
  /// Bits added to a core by the mechanism.
  double added_by(const std::string& mechanism) const {
    double bits = 0;
    for (const Structure* structure : services_.structures.all())
      bits += !structure->view() && structure->mechanism() == mechanism ? static_cast<double>(structure->bits()) : 0;
    return bits;
  }
  std::uint64_t head() const { return structure("head").reader()(0, 0); }

  ContextTable table;

 private:
  static SchedulerShape shape(unsigned contexts) {
    return {.contexts = contexts, .members = ContextSet::first_n(contexts)};
  }
  Services services_;
  ModuleState state_{services_, "order", "core"};
  std::unique_ptr<OrderPolicy> policy_;
};

unsigned warps_of(const SmParameters& core) { return core.residency.threads / core.warp_size; }

/// Cycles until the first `group` of 16 warps wait for memory. Each runs 20 instructions of arithmetic, a pipeline's
/// length apart, and then a load.
double cycles_to_stall(const SmParameters& core, unsigned group) {
  constexpr unsigned kWarps = 16, kArithmetic = 20;
  Policy policy(core, kWarps);
  std::vector<unsigned> done(kWarps);
  std::vector<Cycle> back(kWarps);
  for (Cycle now = 0; now < 1000; ++now) {
    ContextSet candidates;
    for (unsigned warp = 0; warp < kWarps; ++warp) {
      if (!policy.table.long_latency.test(warp) && back[warp] <= now) candidates.set(warp);
    }
    const ContextId warp = policy.issue(candidates);
    if (warp == kNoContext) continue;
    back[warp] = now + core.pipeline_depth;
    if (++done[warp] > kArithmetic) policy.table.long_latency.set(warp);
    if (policy.table.long_latency.contains(ContextSet::first_n(group))) return static_cast<double>(now + 1);
  }
  ADD_FAILURE() << "some warp never came to its load";
  return 0;
}

double time_to_first_stall() {
  const SmParameters two_level = sm_of("two-level-core"), round_robin = sm_of("barrel-core");
  const double all = cycles_to_stall(round_robin, 16);
  EXPECT_EQ(cycles_to_stall(sm_of("two-level-core", {"sm.two_level_rotating.group_size=16"}), 16), all);
  return cycles_to_stall(two_level, 8) / all;
}

/// Moves of the head until it is the first large warp again, without stalls.
double switches_until_first_again() {
  const SmParameters core = sm_of("large-warp-two-level-core");
  const unsigned warps = warps_of(core);
  Policy policy(core, warps);
  double switches = 0;
  std::uint64_t issued = 0;
  do {
    const std::uint64_t head = policy.head();
    EXPECT_EQ(policy.issue(ContextSet::first_n(warps)), head) << "the head can always issue";
    ++issued;
    switches += policy.head() != head ? 1 : 0;
  } while ((switches == 0 || policy.head() != 0) && issued < 1000000);
  EXPECT_EQ(issued, switches * 32768);
  return switches;
}

/// Bits of a structure of a core's policy.
double bits_of(const std::string& preset, const std::string& structure) {
  const SmParameters core = sm_of(preset);
  return static_cast<double>(Policy(core, warps_of(core)).structure(structure).bits());
}

/// Negligible: less than a hundredth of the source's register file (64 KB).
double storage_is_negligible() {
  const SmParameters core = sm_of("two-level-core");
  const double bits = Policy(core, warps_of(core)).added_by("two_level_rotating");
  EXPECT_GT(bits, 0);
  return bits < 0.01 * 64 * 1024 * 8 ? 1 : 0;
}

}  // namespace

void add_schedule_targets(Evaluations& targets) {
  targets["lw.fig4.6.stall-in-half-time"] = time_to_first_stall;
  targets["lw.ex3.7.head-returns"] = switches_until_first_again;
  targets["lw.cost.2lev-storage"] = storage_is_negligible;
  targets["lw.cost.2lev-head-counter"] = [] { return bits_of("two-level-core", "head"); };
  targets["lw.cost.timeout-counter"] = [] { return bits_of("large-warp-two-level-core", "head_issued"); };
}

}  // namespace heddle::studies
