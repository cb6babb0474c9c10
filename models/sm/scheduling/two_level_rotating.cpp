// SPDX-License-Identifier: Apache-2.0
// Two-level round robin with a rotating head: groups have priority in order from the head; a group issues when no group
// of higher priority can; the head moves on when all contexts of its group are stalled. Source:
// docs/sources/large-warps-and-database-search.md, 2.6.
#include <optional>
#include <vector>

#include "sm/scheduling/fetch_groups.h"

namespace heddle::sm {

class TwoLevelRotating final : public OrderPolicy {
 public:
  struct Parameters {
    unsigned group_size = 8;
    unsigned timeout = 0;
    void describe(ParameterVisitor& v) {
      v("group_size", group_size, "contexts per fetch group", unit::kContexts, range(1, 512));
      v("timeout", timeout, "instructions of the head group after which the head moves on; 0: never",
        unit::kInstructions, range(0, 1e9));
    }
  };

  TwoLevelRotating(const Parameters& p, const SchedulerShape& shape)
      : parameters_(p), groups_(shape.contexts, p.group_size), last_(groups_.count(), kNoContext) {}

  ContextId choose(const ContextTable&, const ContextSet& candidates) const override {
    for (unsigned i = 0; i < groups_.count(); ++i) {
      const unsigned group = (head_ + i) % groups_.count();
      const ContextSet in_group = candidates & groups_[group];
      if (in_group.any()) return next_in_turn(in_group, last_[group]);
    }
    return kNoContext;
  }

  void issued(const ContextTable&, ContextId context) override {
    const unsigned group = groups_.of(context);
    last_[group] = context;
    if (group != head_) return;
    ++head_issued_;
    if (counters_) counters_->most_as_head.record(head_issued_);
    if (parameters_.timeout == 0 || head_issued_ < parameters_.timeout) return;
    if (counters_) ++counters_->timeouts;
    move((head_ + 1) % groups_.count());
  }

  void update(const ContextTable& contexts) override {
    if (!stalled(contexts, head_)) {
      moved_ = false;
      return;
    }
    for (unsigned i = 1; i < groups_.count(); ++i) {
      const unsigned group = (head_ + i) % groups_.count();
      if (stalled(contexts, group)) continue;
      move(group);
      moved_ = false;
      return;
    }
    // While every group is stalled, move the head once rather than every cycle.
    if (!moved_) move((head_ + 1) % groups_.count());
    moved_ = true;
  }
  void declare_statistics(const StatisticsGroup& group) override { counters_.emplace(group); }
  void declare_state(ModuleState& state, const SchedulerShape& shape) override {
    if (parameters_.timeout != 0) {
      state
          .structure("head_issued", "instructions issued by the head group since the head moved", 1,
                     {{"count", index_bits(std::uint64_t{parameters_.timeout} + 1), 1, 1}})
          .added_by("two_level_rotating");
    }
    state.traced_structure("head", "fetch group of highest priority", 1, {{"group", index_bits(groups_.count()), 1, 1}})
        .added_by("two_level_rotating")
        .read([this](std::size_t, std::size_t) { return std::uint64_t{head_}; });
    state
        .traced_structure("last", "context of each group that issued last", groups_.count(),
                          {{"context", index_bits(shape.contexts), 1, 1}, {"valid", 1, 1, 1}})
        .added_by("two_level_rotating")
        .read([this](std::size_t group, std::size_t field) -> std::uint64_t {
          const bool valid = last_[group] != kNoContext;
          return field == 1 ? valid : valid ? last_[group] : 0;
        });
  }

 private:
  struct Counters {
    explicit Counters(const StatisticsGroup& group)
        : timeouts(group, "timeouts", "moves of the head on timeout", unit::kEvents),
          moves(group, "moves", "moves of the head, including timeouts", unit::kEvents),
          most_as_head(group, "most_as_head", "most instructions a group issued while it was the head",
                       unit::kInstructions) {}
    Counter timeouts, moves;
    Maximum most_as_head;
  };
  bool stalled(const ContextTable& contexts, unsigned group) const {
    return (groups_[group] & (contexts.valid - contexts.long_latency - contexts.waiting_for_others())).none();
  }
  void move(unsigned group) {
    if (counters_) ++counters_->moves;
    head_ = group;
    head_issued_ = 0;
  }
  Parameters parameters_;
  FetchGroups groups_;
  std::vector<ContextId> last_;  ///< by group: context that issued last
  unsigned head_ = 0;
  std::uint64_t head_issued_ = 0;
  bool moved_ = false;
  std::optional<Counters> counters_;
};

HEDDLE_REGISTER(OrderPolicy, TwoLevelRotating, "two_level_rotating",
                "fetch groups in order from a head that moves on when its group is stalled",
                "docs/sources/large-warps-and-database-search.md 2.6");

}  // namespace heddle::sm
