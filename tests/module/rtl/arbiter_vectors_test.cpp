// SPDX-License-Identifier: Apache-2.0
// rtl/two_level_round_robin.sv against the order policy two_level_rotating, cycle by cycle on random machines.
#include <bit>

#include "TwoLevelRoundRobinCounter8.h"
#include "core/config/configuration.h"
#include "rtl/two_level_arbiter.h"
#include "sm/scheduling/order_policy.h"
#include "stand.h"
#ifndef HEDDLE_COVERED
#include "TwoLevelRoundRobin32x1.h"
#include "TwoLevelRoundRobin32x32.h"
#include "TwoLevelRoundRobin32x8.h"
#include "TwoLevelRoundRobin4x1.h"
#endif

namespace heddle::rtl {
namespace {

class ArbiterVectors : public BlockTest {
 protected:
  std::unique_ptr<sm::OrderPolicy> model(unsigned contexts, unsigned group_size, unsigned timeout) {
    struct Root {
      Mechanism<sm::OrderPolicy> order{"two_level_rotating"};
      void describe(ParameterVisitor& v) { v("order", order, "policy"); }
    } root;
    Configuration configuration(root);
    configuration.set("order=two_level_rotating");
    configuration.set("two_level_rotating.group_size=" + std::to_string(group_size));
    configuration.set("two_level_rotating.timeout=" + std::to_string(timeout));
    return make(root.order, sm::SchedulerShape{.contexts = contexts, .members = ContextSet::first_n(contexts)});
  }

  template <typename Arbiter, unsigned kContexts, unsigned kGroupSize>
  void compare(std::uint32_t timeout) {
    const auto policy = model(kContexts, kGroupSize, timeout);
    TwoLevelArbiterOf<Arbiter, kContexts, kGroupSize> arbiter(timeout);
    const std::uint32_t all = kContexts == 32 ? ~0u : (1u << kContexts) - 1;
    sm::ContextTable contexts;
    contexts.valid = ContextSet::of_word(all);
    std::uint32_t stalled = 0;
    rounds([&] {
      // Stalls last several cycles, so that sometimes whole groups are stalled.
      if (random_() % 4 == 0) stalled = static_cast<std::uint32_t>(random_() % 3 == 0 ? word() : word() | word());
      contexts.long_latency = ContextSet::of_word(stalled & all);
      contexts.barrier = ContextSet::of_word(word() & word() & word() & all);
      policy->update(contexts);
      const ContextSet running = contexts.valid - contexts.long_latency - contexts.barrier;
      arbiter.cycle(static_cast<std::uint32_t>(running.word(0)));
      std::uint32_t candidates = static_cast<std::uint32_t>(word()) & all;
      // Some chosen contexts cannot issue; the policy is asked again without them.
      for (unsigned asked = 0; candidates != 0 && asked < 3; ++asked) {
        const ContextId expected = policy->choose(contexts, ContextSet::of_word(candidates));
        const std::uint32_t grant = arbiter.grant(candidates);
        ASSERT_EQ(grant, 1u << expected) << candidates << " head " << arbiter.head();
        if (random_() % 4 != 0) {
          policy->issued(contexts, expected);
          arbiter.issued(grant);
          break;
        }
        candidates &= ~grant;
      }
      if (candidates == 0) {
        ASSERT_EQ(arbiter.grant(0), 0u);
      }
    });
  }
};

TEST_F(ArbiterVectors, ANarrowCounter) {
  for (const std::uint32_t timeout : {0u, 1u, 6u, 9u, 15u}) compare<TwoLevelRoundRobinCounter8, 32, 8>(timeout);
}
#ifndef HEDDLE_COVERED
TEST_F(ArbiterVectors, GroupsOfEight) { compare<TwoLevelRoundRobin32x8, 32, 8>(0); }
TEST_F(ArbiterVectors, GroupsOfEightWithATimeout) { compare<TwoLevelRoundRobin32x8, 32, 8>(5); }
TEST_F(ArbiterVectors, FourContextsEachAGroup) { compare<TwoLevelRoundRobin4x1, 4, 1>(0); }
TEST_F(ArbiterVectors, FourContextsEachAGroupWithATimeout) { compare<TwoLevelRoundRobin4x1, 4, 1>(3); }
TEST_F(ArbiterVectors, EveryContextAGroup) { compare<TwoLevelRoundRobin32x1, 32, 1>(7); }
TEST_F(ArbiterVectors, OneGroupIsRoundRobin) { compare<TwoLevelRoundRobin32x32, 32, 32>(0); }
#endif

}  // namespace
}  // namespace heddle::rtl
