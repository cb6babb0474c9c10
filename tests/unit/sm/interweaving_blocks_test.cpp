// SPDX-License-Identifier: Apache-2.0
// Logic of the blocks of interweaving: sorter of hot contexts, lookup of a second instruction, step of dependencies.
#include <bit>
#include <random>

#include "interweaving_vectors.h"
#include "sm/blocks/block_site.h"

namespace heddle::sm {
namespace {

struct TwoHotSorter final : ContextSorter {
  SortedContexts sort(const SorterRequest& request) override { return sort_contexts({2}, request); }
};
struct Lookup final : SecondaryLookup {
  LookupAnswer look_up(const LookupRequest& request) override { return look_up_secondary({16}, request); }
};
struct Step final : DependencyStep {
  StepAnswer step(const StepRequest& request) override {
    StepAnswer answer;
    for (unsigned i = 0; i < 6; ++i) answer.entries[i] = product(request.entries[i], request.step);
    return answer;
  }
};

SplitContext fixed(SplitContext context) {
  context.fixed = true;
  return context;
}

TEST(ContextSorter, GivesTheVectorsOfTheSource) {
  TwoHotSorter sorter;
  expect_sorter_vectors(sorter);
}

TEST(ContextSorter, TellsOfWhichInputsAnOutputConsists) {
  const SortedContexts sorted =
      sort_contexts({2}, {context_of("30:1000"), context_of("18:0110"), context_of("30:0001")});
  EXPECT_EQ(sorted.sources, (std::array<std::uint8_t, 3>{0b010, 0b101, 0}));
}

TEST(ContextSorter, AFixedContextNeitherMergesNorLeaves) {
  // At one program counter it comes first.
  SortedContexts sorted = sort_contexts({2}, {context_of("20:1000"), fixed(context_of("20:0110")), {}});
  EXPECT_EQ(sorted.contexts[0], fixed(context_of("20:0110")));
  EXPECT_EQ(sorted.contexts[1], context_of("20:1000"));
  // The two others merge past it.
  sorted = sort_contexts({2}, {context_of("20:1000"), fixed(context_of("20:0110")), context_of("20:0001")});
  EXPECT_EQ(sorted.contexts[1], context_of("20:1001"));
  EXPECT_FALSE(sorted.contexts[2].valid);
  // The highest one stays, the next leaves.
  sorted = sort_contexts({2}, {context_of("18:1000"), fixed(context_of("30:0110")), context_of("20:0001")});
  EXPECT_EQ(sorted.contexts[0], context_of("18:1000"));
  EXPECT_EQ(sorted.contexts[1], fixed(context_of("30:0110")));
  EXPECT_EQ(sorted.contexts[2], context_of("20:0001"));
  // Two fixed ones keep their order.
  sorted = sort_contexts({2}, {fixed(context_of("20:1000")), fixed(context_of("20:0110")), context_of("10:0001")});
  EXPECT_EQ(sorted.contexts[0], fixed(context_of("20:1000")));
  EXPECT_EQ(sorted.contexts[1], fixed(context_of("20:0110")));
  EXPECT_EQ(sorted.contexts[2], context_of("10:0001"));
}

TEST(ContextSorter, WithOneHotContextTheHigherOneLeaves) {
  SortedContexts sorted = sort_contexts({1}, {context_of("28:1000"), {}, context_of("18:0111")});
  EXPECT_EQ(sorted.contexts[0], context_of("18:0111"));
  EXPECT_EQ(action_of(sorted, 1), "push 28:1000");
  EXPECT_EQ(sorted.sources, (std::array<std::uint8_t, 3>{0b100, 0b001, 0}));
  sorted = sort_contexts({1}, {fixed(context_of("28:1000")), {}, context_of("18:0111")});
  EXPECT_EQ(action_of(sorted, 1), "push 18:0111");
  sorted = sort_contexts({1}, {context_of("28:1000"), {}, context_of("28:0111")});
  EXPECT_EQ(sorted.contexts[0], context_of("28:1111"));
  EXPECT_EQ(action_of(sorted, 1), "");
  EXPECT_EQ(action_of(sort_contexts({1}, {}), 1), "pop");
}

TEST(ContextSorter, LosesNoThreadAndKeepsTheOrder) {
  std::mt19937 random(7);
  for (unsigned round = 0; round < 20'000; ++round) {
    SorterRequest request;
    std::uint64_t all = 0;
    for (unsigned i = 0; i < 3; ++i) {
      const std::uint64_t threads = (std::uint64_t{random()} << 32 | random()) & ~all;
      request[i] = {random() % 4 != 0, i < 2 && random() % 4 == 0, static_cast<std::uint32_t>(random() % 4),
                    random() % 8 == 0 ? 0 : threads};
      if (request[i].valid) all |= request[i].threads;
    }
    const SortedContexts sorted = sort_contexts({2}, request);
    std::uint64_t left = 0;
    for (unsigned k = 0; k < 3; ++k) {
      EXPECT_EQ(left & sorted.contexts[k].threads, 0u) << "a thread twice";
      left |= sorted.contexts[k].threads;
      EXPECT_EQ(sorted.contexts[k].valid, sorted.contexts[k].threads != 0);
    }
    ASSERT_EQ(left, all);
    if (sorted.contexts[1].valid) {
      ASSERT_LE(sorted.contexts[0].pc, sorted.contexts[1].pc);
    }
    ASSERT_FALSE(sorted.contexts[2].fixed) << "only those may leave whose program counter is known";
  }
}

TEST(SecondaryLookup, GivesTheVectorsOfTheSource) {
  Lookup lookup;
  expect_lookup_vectors(lookup);
}

TEST(SecondaryLookup, TiesGoToTheNextWayInCyclicOrder) {
  LookupRequest request;
  request.ready = 0b1010'0000'0000'0110;
  request.free = ~std::uint64_t{0};
  for (unsigned way = 0; way < 16; ++way) request.lanes[way] = 0xf0;
  const auto best = [&](unsigned first) {
    request.first = first;
    return look_up_secondary({16}, request).best;
  };
  EXPECT_EQ(best(0), 1u);
  EXPECT_EQ(best(1), 1u);
  EXPECT_EQ(best(2), 2u);
  EXPECT_EQ(best(3), 13u);
  EXPECT_EQ(best(14), 15u);
  EXPECT_EQ(best(15), 15u);
  request.ready &= 0x7fff;
  EXPECT_EQ(best(14), 1u) << "round the end";
  request.lanes[2] = 0x1f0;
  EXPECT_EQ(best(14), 2u) << "more lanes come before the order";
}

TEST(SecondaryLookup, AWayWithoutLanesFitsWhereNothingBetterDoes) {
  LookupRequest request;
  request.ready = request.same_unit = 0b11;
  request.lanes[0] = 0b1;
  EXPECT_EQ(look_up_secondary({16}, request), (LookupAnswer{0b10, 1})) << "no lane is free, and it needs none";
}

TEST(DependencyStep, GivesTheVectorsOfTheSource) {
  Step step;
  expect_step_vectors(step);
}

TEST(DependencyStep, NeverMissesADependency) {
  std::mt19937 random(3);
  unsigned more = 0;
  for (unsigned round = 0; round < 20'000; ++round) {
    ThreadStates states[4];
    for (ThreadStates& state : states) {
      const unsigned first = random() % 256, second = random() % 256 & ~first;
      state = {first, second, 255u & ~first & ~second};
    }
    DependencyMatrix matrix = exact(states[0], states[1]);
    for (unsigned t = 1; t < 3; ++t) matrix = product(matrix, exact(states[t], states[t + 1]));
    const DependencyMatrix wanted = exact(states[0], states[3]);
    ASSERT_EQ(wanted & ~matrix, 0);
    more += matrix != wanted ? 1 : 0;
  }
  EXPECT_GT(more, 0u) << "contexts at one place look alike, which the exact masks tell apart";
}

}  // namespace
}  // namespace heddle::sm
