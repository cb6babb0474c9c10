// SPDX-License-Identifier: Apache-2.0
// Two levels with exclusive fetch groups: only the current group issues until none of its contexts can; then another
// group becomes current. Greedy-then-oldest or round robin within and between groups.
// Source: docs/sources/cache-conscious-and-divergence-aware.md, 2.1 and decision Q31.
#include <string>

#include "sm/scheduling/fetch_groups.h"

namespace heddle::sm {

class TwoLevelExclusive final : public OrderPolicy {
 public:
  struct Parameters {
    unsigned group_size = 2;
    std::string inside = "gto", between = "gto";
    void describe(ParameterVisitor& v) {
      v("group_size", group_size, "contexts per fetch group", unit::kContexts, range(1, 512));
      v("inside", inside, "order within the current group", unit::kNone, names({"gto", "lrr"}),
        "docs/sources/cache-conscious-and-divergence-aware.md, decision Q31");
      v("between", between, "next group: that of the oldest context that can issue, or the next in turn", unit::kNone,
        names({"gto", "lrr"}), "docs/sources/cache-conscious-and-divergence-aware.md, decision Q31");
    }
  };

  TwoLevelExclusive(const Parameters& p, const SchedulerShape& shape)
      : groups_(shape.contexts, p.group_size), greedy_inside_(p.inside == "gto"), oldest_between_(p.between == "gto") {}

  ContextId choose(const ContextTable& contexts, const ContextSet& candidates) const override {
    ContextSet group = candidates & groups_[current_];
    if (group.none()) group = candidates & groups_[next_group(contexts, candidates)];
    if (!greedy_inside_) return next_in_turn(group, last_);
    return greedy_ != kNoContext && group.test(greedy_) ? greedy_ : oldest_of(contexts, group);
  }
  void issued(const ContextTable&, ContextId context) override {
    greedy_ = last_ = context;
    current_ = groups_.of(context);
  }
  void finished(const ContextTable&, ContextId context) override {
    if (greedy_ == context) greedy_ = kNoContext;
  }
  void declare_state(ModuleState& state, const SchedulerShape& shape) override {
    declare_context_register(state, shape, "last", "the context that issued last: the next in turn follows it", last_);
    declare_context_register(state, shape, "greedy", "the context that goes on while it can: the last, unless it ended",
                             greedy_);
    state.traced_structure("current", "current fetch group", 1, {{"group", index_bits(groups_.count()), 1, 1}})
        .read([this](std::size_t, std::size_t) { return std::uint64_t{current_}; });
  }

 private:
  unsigned next_group(const ContextTable& contexts, const ContextSet& candidates) const {
    if (oldest_between_) return groups_.of(oldest_of(contexts, candidates));
    unsigned group = current_;
    do {
      group = (group + 1) % groups_.count();
    } while (!candidates.intersects(groups_[group]));
    return group;
  }
  FetchGroups groups_;
  bool greedy_inside_, oldest_between_;
  unsigned current_ = 0;
  ContextId last_ = kNoContext, greedy_ = kNoContext;
};

HEDDLE_REGISTER(OrderPolicy, TwoLevelExclusive, "two_level_exclusive",
                "only one fetch group issues until none of its contexts can",
                "docs/sources/cache-conscious-and-divergence-aware.md 2.1");

}  // namespace heddle::sm
