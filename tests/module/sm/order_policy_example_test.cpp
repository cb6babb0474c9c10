// SPDX-License-Identifier: Apache-2.0
// The example of docs/guide-order-policy.md: one short linked-in file is a policy like any other.
#include <fstream>
#include <sstream>

#include "core/error.h"
#include "sm_fixture.h"

namespace heddle {
namespace {

std::string text_of(const std::string& file) {
  std::ifstream in(std::string(HEDDLE_DOCS) + "/" + file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

class OrderPolicyExample : public SmTest {
 protected:
  /// Cycles of a vector addition on one SM of `small` with these settings; the result is checked.
  Cycle cycles_with(const std::vector<std::string>& settings) {
    parameters_ = parameters_of("small", settings);
    parameters_.sm_classes.front().count = 1;
    build();
    const std::size_t n = 4000;
    std::vector<float> a(n, 1), b(n, 2), c(n);
    const Cycle cycles = run(kernel(".param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pn", kVectorAdd), {16},
                             {256}, {address(a.data()), address(b.data()), address(c.data()), n});
    EXPECT_EQ(c, std::vector<float>(n, 3));
    return cycles;
  }
};

TEST_F(OrderPolicyExample, RunsUnderItsName) { EXPECT_GT(cycles_with({"sm.order=memory_first"}), 0u); }

TEST_F(OrderPolicyExample, TakesItsParameter) {
  EXPECT_GT(cycles_with({"sm.order=memory_first", "sm.memory_first.greedy=false"}), 0u);
}

TEST_F(OrderPolicyExample, RefusesAParameterItHasNot) {
  EXPECT_THROW(cycles_with({"sm.order=memory_first", "sm.memory_first.gready=false"}), Error);
}

TEST_F(OrderPolicyExample, DecidesWhoIssues) {
  sm::SmParameters chosen;
  chosen.order.choose("memory_first");
  const auto policy = make(chosen.order, sm::SchedulerShape{.contexts = 4, .members = ContextSet::first_n(4)});
  ASSERT_NE(policy, nullptr);
  isa::MicroOp add, load;
  add.unit = isa::Unit::alu;
  load.unit = isa::Unit::memory;
  sm::ContextTable contexts;
  contexts[0].next = contexts[1].next = contexts[3].next = &add;
  contexts[2].next = &load;
  for (std::size_t c = 0; c < 4; ++c) contexts.age[c] = c;
  EXPECT_EQ(policy->choose(contexts, ContextSet::first_n(4)), 2);
  contexts[2].next = &add;
  EXPECT_EQ(policy->choose(contexts, ContextSet::first_n(4)), 0);
  policy->issued(contexts, ContextId(3));
  EXPECT_EQ(policy->choose(contexts, ContextSet::first_n(4)), 3);
  policy->finished(contexts, ContextId(3));
  EXPECT_EQ(policy->choose(contexts, ContextSet::first_n(4)), 0) << "another warp may be there now";
}

TEST_F(OrderPolicyExample, IsOneFileOfFewerThanSixtyLinesAndTheGuideShowsItWhole) {
  const std::string example = text_of("examples/memory_first.cpp");
  EXPECT_LT(std::count(example.begin(), example.end(), '\n'), 60);
  EXPECT_NE(example.find("HEDDLE_REGISTER"), std::string::npos);
  EXPECT_NE(text_of("guide-order-policy.md").find("```cpp\n" + example + "```"), std::string::npos);
}

}  // namespace
}  // namespace heddle
