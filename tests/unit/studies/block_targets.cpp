// SPDX-License-Identifier: Apache-2.0
// The worked examples of the blocks of interweaving, and what must hold for any inputs. Source:
// docs/sources/branch-and-warp-interweaving.md, 3 (V5, V6, V8), 2.6 and 2.7.
#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <tuple>

#include "interweaving_targets.h"
#include "tests/unit/sm/interweaving_vectors.h"
#include "tests/unit/sm/zero_latency_warp.h"

namespace heddle::studies {
namespace {

using namespace sm;

struct Step final : DependencyStep {
  StepAnswer step(const StepRequest& request) override {
    StepAnswer answer;
    for (unsigned i = 0; i < 6; ++i) answer.entries[i] = product(request.entries[i], request.step);
    return answer;
  }
};

/// Of V5, the number of vectors of which `holds` is true.
template <typename Holds>
double vectors_that(const Holds& holds) {
  Sorter sorter(2);
  double count = 0;
  for (const SorterVector& vector : sorter_vectors()) count += holds(vector, sorted_by(sorter, vector)) ? 1 : 0;
  return count;
}

double as_listed() {
  return vectors_that([](const SorterVector& listed, const SorterVector& sorted) {
    return sorted.out == listed.out && sorted.action == listed.action;
  });
}
double actions(const std::string& action) {
  return vectors_that([&](auto&, const SorterVector& sorted) { return sorted.action.rfind(action, 0) == 0; });
}
double contexts_left(const std::vector<std::string>& in) {
  Sorter sorter(2);
  return static_cast<double>(sorted_by(sorter, {{in.at(0), in.at(1), in.at(2)}, {}, ""}).out.size());
}

double bits_of(unsigned matrix) { return std::popcount(matrix); }

double wrong_bits_of_products() {
  Step step;
  double wrong = 0;
  for (const MoveProduct& product : kProducts) {
    const DependencyMatrix stepped = closure(step, kMoves, product.from, product.to);
    wrong += bits_of(stepped ^ exact(kMoves[product.from], kMoves[product.to]));
  }
  return wrong;
}

/// Bits of the closure of the second sequence that the exact matrix does not have, or the other way round.
double bits_of_false_moves(bool missing) {
  Step step;
  const unsigned stepped = closure(step, kFalseMoves, 0, 2), right = exact(kFalseMoves[0], kFalseMoves[2]);
  return bits_of(missing ? right & ~stepped : stepped & ~right);
}

double missed_dependencies() {
  Step step;
  std::mt19937 random(5);
  double missed = 0;
  for (unsigned round = 0; round < 20'000; ++round) {
    std::vector<ThreadStates> states(4);
    for (ThreadStates& state : states) {
      const unsigned first = random() % 256, second = random() % 256 & ~first;
      state = {first, second, 255u & ~first & ~second};
    }
    missed += bits_of(exact(states[0], states[3]) & ~unsigned{closure(step, states, 0, 3)});
  }
  return missed;
}

/// V8 without latencies: three warps of an instruction each. Both schedulers choose among those that are in the buffers
/// at the beginning of a cycle.
class Conflict {
 public:
  Conflict() : first_(make(sm_of("interweaving-warps").order, SchedulerShape{3, ContextSet::first_n(3)})) {
    // The order of age.
    for (unsigned w = 0; w < 3; ++w) first_->launched(table_, ContextId(w));
    std::uint64_t latched = 0b1001;
    for (ready_ = 0b110; ready_ != 0 && cycles < 10; ++cycles) latched = cycle(latched);
  }
  unsigned cycles = 0;
  unsigned conflicts = 0;         ///< without those where the first scheduler had no other choice
  std::vector<unsigned> seconds;  ///< lanes of the second instruction, by cycle

 private:
  /// Returns the lanes of the instruction latched for the next cycle; 0: none.
  std::uint64_t cycle(std::uint64_t latched) {
    LookupRequest request;
    request.ready = ready_;
    request.same_unit = ~std::uint64_t{0};
    request.free = 0b1111 & ~latched;
    request.lanes = {0b1001, 0b0110, 0b0100};
    const LookupAnswer second = look_up_secondary({3}, request);
    ContextSet candidates;
    for (unsigned w = 0; w < 3; ++w) {
      if ((ready_ >> w & 1) != 0) candidates.set(w);
    }
    const ContextId first = first_->choose(table_, candidates);
    EXPECT_NE(second.hits, 0u);
    seconds.push_back(static_cast<unsigned>(std::popcount(request.lanes[second.best])));
    const bool discarded = first == second.best;
    if (discarded && candidates.count() > 1) ++conflicts;
    ready_ &= ~(std::uint64_t{1} << second.best | std::uint64_t{1} << first);
    return discarded ? 0 : request.lanes[first];
  }

  std::uint64_t ready_ = 0;
  ContextTable table_;
  std::unique_ptr<OrderPolicy> first_;
};

/// Secondary instructions beside a primary one on 1001 with one candidate on 0011.
double beside_an_overlap(bool same_unit) {
  LookupRequest request;
  request.ready = 1;
  request.same_unit = same_unit ? 1 : 0;
  request.free = 0b0110;
  request.lanes[0] = 0b0011;
  return std::popcount(look_up_secondary({2}, request).hits);
}

/// A warp of 64 threads that takes random ways through the tables.
struct RandomWays {
  double overlaps = 0, lost = 0, disordered = 0;

  explicit RandomWays(bool head_swap) : hot_({.warps = 1, .head_swap = head_swap}, sorter_, cold_, nobody_) {
    hot_.start(kWarp, live_);
    unsigned most = 0;
    for (unsigned cycles = 0; live_ != 0 && cycles < 20'000; ++cycles) {
      cold_.cycle();
      SplitContext fresh;
      const HotContexts::Row row = hot_.row(kWarp);
      for (unsigned slot = 0; slot < 2; ++slot) {
        if (!row[slot].valid) continue;
        if (row[slot].pc == kLast) live_ &= ~row[slot].threads;
        // One divergence a cycle.
        const SplitContext split = execute(hot_, kWarp, slot, way(row[slot].pc, !fresh.valid));
        if (split.valid) fresh = split;
      }
      hot_.settle(kWarp, fresh, {});
      check(hot_.row(kWarp));
      most = std::max(most, cold_.length(kWarp));
    }
    EXPECT_EQ(live_, 0u) << "some thread did not end";
    EXPECT_GT(most, 2u) << "ways were cold";
  }

 private:
  static constexpr std::uint32_t kLast = 200;
  /// The next counter; for some threads, now and then, another one, mostly behind it.
  NextCounter way(std::uint32_t pc, bool may_branch) {
    if (pc == kLast) return [](std::uint32_t, unsigned) { return kExit; };
    const auto any = [this](std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); };
    std::uint32_t target = pc + 1;
    if (may_branch && any(3) == 0) target = any(4) == 0 ? any(pc + 1) : std::min(kLast, pc + any(20));
    const std::uint32_t number = any(7);
    return [=](std::uint32_t, unsigned thread) { return thread % 7 == number ? target : pc + 1; };
  }
  void check(const HotContexts::Row& row) {
    std::uint64_t seen = 0;
    const auto add = [&](const SplitContext& split) {
      overlaps += std::popcount(seen & split.threads);
      seen |= split.threads;
    };
    for (const SplitContext& split : row) {
      if (split.valid) add(split);
    }
    cold_.for_each(kWarp, add);
    lost += std::popcount(seen ^ live_);
    disordered += row[1].valid && !(row[0].valid && row[0].pc < row[1].pc) ? 1 : 0;
  }

  std::mt19937 random_{11};
  NobodyWaits nobody_;
  Sorter sorter_{2};
  ColdContexts cold_{{.warps = 1, .entries = 128}, nobody_};
  HotContexts hot_;
  std::uint64_t live_ = ~std::uint64_t{0};
};

/// Sum over both variants of the tables.
double violations(double RandomWays::*kind) { return RandomWays(true).*kind + RandomWays(false).*kind; }

}  // namespace

void add_block_targets(Evaluations& targets) {
  targets["bwi.v5.vectors"] = as_listed;
  targets["bwi.v5.push-count"] = [] { return actions("push"); };
  targets["bwi.v5.pop-count"] = [] { return actions("pop"); };
  const struct {
    const char* name;
    std::vector<std::string> in;
  } inputs[] = {{"keep", {"10:1001", "20:0110", ""}},
                {"swap", {"30:1001", "20:0110", ""}},
                {"merge-two", {"20:1001", "20:0110", ""}},
                {"push-third", {"18:1000", "20:0110", "28:0001"}},
                {"push-first", {"28:1000", "20:0110", "18:0001"}},
                {"merge-12", {"20:1000", "20:0110", "30:0001"}},
                {"merge-23", {"18:1000", "30:0110", "30:0001"}},
                {"merge-13", {"30:1000", "18:0110", "30:0001"}},
                {"merge-all", {"40:1000", "40:0110", "40:0001"}},
                {"drop-first", {"40:0000", "20:0110", ""}},
                {"drop-both", {"10:0000", "20:0000", ""}}};
  for (const auto& input : inputs) {
    targets[std::string("bwi.v5.") + input.name + "-contexts"] = [in = input.in] { return contexts_left(in); };
  }
  // The sorter compares every pair of its inputs.
  targets["bwi.cost.sorter-comparators"] = [] {
    constexpr std::size_t kInputs = std::tuple_size<SorterRequest>();
    return kInputs * (kInputs - 1) / 2;
  };

  targets["bwi.v6.products-exact"] = wrong_bits_of_products;
  targets["bwi.v6.false-bits"] = [] { return bits_of_false_moves(false); };
  targets["bwi.v6.missing-bits"] = [] { return bits_of_false_moves(true); };
  targets["bwi.inv.no-missed-dependency"] = missed_dependencies;

  targets["bwi.v8.conflicts"] = [] { return Conflict().conflicts; };
  targets["bwi.v8.cycles"] = [] { return Conflict().cycles; };
  targets["bwi.v8.first-pick-lanes"] = [] { return Conflict().seconds.at(0); };
  targets["bwi.v8.overlap"] = [] { return beside_an_overlap(true); };
  targets["bwi.v8.overlap-other-group"] = [] { return beside_an_overlap(false); };

  targets["bwi.inv.disjoint"] = [] { return violations(&RandomWays::overlaps); };
  targets["bwi.inv.union"] = [] { return violations(&RandomWays::lost); };
  targets["bwi.inv.pc-order"] = [] { return violations(&RandomWays::disordered); };
}

}  // namespace heddle::studies
