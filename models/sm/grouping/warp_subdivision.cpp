// SPDX-License-Identifier: Apache-2.0
// Dynamic warp subdivision: the paths of a branch become splits that are scheduled independently and reconverge at the
// post-dominator, so that one may wait for memory while another runs. Free lanes are not filled: a split issues alone.
// Sources: docs/sources/large-warps-and-database-search.md, 1.2; docs/sources/variable-warp-size.md, 10.
#include <algorithm>

#include "sm/grouping/compaction_groups.h"
#include "sm/grouping/split_tree.h"
#include "sm/grouping/warp_slots.h"
#include "sm/sm_events.h"

namespace heddle::sm {

class WarpSubdivision final : public GroupingUnit {
 public:
  struct Parameters {
    unsigned splits = 4;
    bool at_branches = true;
    bool merge_equal = true;
    bool at_memory = false;
    unsigned hit_cycles = 4;
    void describe(ParameterVisitor& v) {
      v("splits", splits, "splits of a warp that can be scheduled; others wait for one of these to end",
        unit::kContexts, range(1, 32));
      v("at_branches", at_branches, "the paths of a branch are scheduled concurrently, not one after the other",
        unit::kNone, any());
      v("at_memory", at_memory,
        "threads of a load whose lines have arrived continue as a split; the others follow when theirs arrive",
        unit::kNone, any());
      v("hit_cycles", hit_cycles, "at_memory: cycles after the last line is requested in which hits return",
        unit::kCycles, range(1, 1000));
      v("merge_equal", merge_equal, "splits that happen to be at the same instruction merge", unit::kNone, any());
    }
  };

  static GroupingTraits traits(const Parameters& parameters, const GroupingShape& shape) {
    GroupingTraits traits{.contexts = shape.threads / shape.warp_size * parameters.splits,
                          .granule = shape.warp_size,
                          .span = shape.warp_size,
                          .needs = {Feature::hazards_by_thread}};
    if (parameters.at_memory) {
      traits.needs.add(Feature::load_holds_context);
      traits.return_wait = parameters.hit_cycles;
    }
    return traits;
  }
  WarpSubdivision(const Parameters& parameters, const GroupingShape& shape, ContextTable& table)
      : GroupingUnit(table, traits(parameters, shape)),
        parameters_(parameters),
        shape_(checked(shape, parameters.splits)),
        warps_(shape.threads / shape.warp_size),
        slots_(warps_, shape.warp_size),
        trees_(warps_),
        hidden_(warps_),
        point_(GroupingUnit::traits().contexts, SplitTree::kNone),
        members_(shape.issue_slots) {
    for (unsigned w = 0; w < warps_; ++w) {
      for (unsigned i = 0; i < parameters.splits; ++i) members_[w % shape.issue_slots].set(w * parameters.splits + i);
    }
  }

  std::unique_ptr<IssueScheme> make_scheme() override { return std::make_unique<IndependentSlots>(members_); }
  std::string name() const override { return "warp_subdivision"; }
  void admit(const isa::Kernel& kernel) const override { refuse_maskless(kernel, name()); }

  void launch(const Placement& placement) override {
    slots_.launch(placement, [&](WarpId warp, std::uint32_t first, unsigned threads) {
      trees_[warp].start();
      hidden_[warp].clear();
      for (unsigned i = 0; i < parameters_.splits; ++i) {
        const ContextId c(warp * parameters_.splits + i);
        first_thread_[c] = first;
        point_[c] = SplitTree::kNone;
        table_[c].block = placement.block_slot;
        table_[c].warp = warp;
        table_.park(c, false);
        table_.set(c, 0, i == 0 ? ThreadSet::first_n(threads) : ThreadSet{});
        placement.contexts->push_back(c);
      }
    });
  }
  void release(BlockSlot block_slot) override { slots_.release(block_slot); }

  LanePlan lanes(ContextId, const isa::MicroOp&, const ThreadSet&) const override {
    return {LaneMask::first_n(shape_.simd_width), shape_.warp_size / shape_.simd_width};
  }

  void advanced(ContextId context) override {
    go(context, {table_[context].pc + 1, point_[context], table_[context].threads});
  }
  void branched(ContextId context, const isa::MicroOp& op, const std::vector<Path>& paths) override {
    const SplitTree::Split split = split_of(context);
    if (paths.size() == 1) {
      go(context, {paths.front().pc, split.point, split.threads});
      return;
    }
    const WarpId warp = table_[context].warp;
    const std::uint32_t point = trees_[warp].open(split, op.reconvergence_pc);
    clear(context);
    // The first path keeps the context; the others get a context or wait for one, in order.
    std::vector<SplitTree::Split> runnable;
    for (const Path& path : paths) {
      const SplitTree::Split part{path.pc, point, path.threads};
      if (trees_[warp].arrives(part)) {
        trees_[warp].arrive(part);
      } else {
        runnable.push_back(part);
      }
    }
    if (!runnable.empty()) show(context, runnable.front());
    for (std::size_t i = runnable.size(); i-- > 1;) hidden_[warp].push_back(runnable[i]);
    settle(warp);
  }
  void exited(ContextId context, const ThreadSet& threads) override {
    const WarpId warp = table_[context].warp;
    const ThreadSet staying = table_[context].threads - threads;
    trees_[warp].leave(threads);
    if (staying.any()) {
      go(context, {table_[context].pc + 1, point_[context], staying});
    } else {
      clear(context);
    }
    settle(warp);
  }

  void retired(ContextId context) override {
    const WarpId warp = table_[context].warp;
    if (table_.parked.test(context)) {
      arrive(context);
    } else if (parameters_.merge_equal && table_.valid.test(context)) {
      join_equal(context);
    }
    settle(warp);
  }
  void subscribe(SmEvents& events) override {
    if (!parameters_.at_memory) return;
    events.returned.add([this](const Packet& packet, const ThreadSet& threads) { returned(packet, threads); });
  }
  void returned(const Packet& packet, const ThreadSet& threads) {
    // The remaining threads keep the context, which waits for the packet.
    const ContextId context = packet.context;
    const ThreadSet ahead = threads & table_[context].threads, rest = table_[context].threads - threads;
    if (!table_.valid.test(context) || ahead.none() || rest.none()) return;
    for (ContextId c : contexts_of(table_[context].warp)) {
      if (table_.valid.test(c) || table_.pipeline.test(c)) continue;
      const SplitTree::Split split = split_of(context);
      table_.set(context, split.pc, rest);
      show(c, {split.pc, split.point, ahead});
      table_.park(c, table_.parked.test(context));
      if (table_.parked.test(c)) arrive(c);
      return;
    }
  }
  void waiting_changed(ContextId context, const ThreadSet&) override { let_others_in(table_[context].warp); }
  bool part_waiting(ContextId context, const ThreadSet& waiting) override {
    const WarpId warp = table_[context].warp;
    SplitTree::Split split = split_of(context);
    table_.set(context, split.pc, split.threads - waiting);
    split.threads = waiting;
    hidden_[warp].insert(hidden_[warp].begin(), split);
    bring_in(warp, parameters_.at_branches);
    return true;
  }
  void waiting_paths(ContextId context, std::vector<Path>& paths) const override {
    const WarpId warp = table_[context].warp;
    for (ContextId c : contexts_of(warp)) {
      if (!table_.valid.test(c)) continue;
      if (c != context) return;  // report once per warp
      break;
    }
    for (const SplitTree::Split& split : hidden_[warp]) paths.push_back({split.pc, split.threads});
    trees_[warp].for_each_waiting([&](std::uint32_t pc, const ThreadSet& threads) { paths.push_back({pc, threads}); });
  }

  void declare_state(ModuleState& state) override {
    const std::size_t warp_size = shape_.warp_size;
    state
        .structure("splits", "splits that can be scheduled", point_.size(),
                   {{"pc", 32, 1, 1}, {"threads", shape_.warp_size, 1, 1}, {"point", index_bits(warp_size), 1, 1}})
        .added_by("warp_subdivision");
    state
        .structure("waiting", "splits of each warp that wait for a context", warps_ * warp_size,
                   {{"pc", 32, 1, 1}, {"threads", shape_.warp_size, 1, 1}, {"point", index_bits(warp_size), 1, 1}})
        .added_by("warp_subdivision");
    state
        .structure("points", "meeting points of the splits of each warp", warps_ * warp_size,
                   {{"pc", 32, 1, 1},
                    {"expected", shape_.warp_size, 1, 1},
                    {"arrived", shape_.warp_size, 1, 1},
                    {"outer", index_bits(warp_size), 1, 1}})
        .added_by("warp_subdivision");
    state
        .traced_structure("depth", "number of meeting points of each warp", warps_,
                          {{"points", index_bits(warp_size + 1), 1, 1}})
        .is_view()
        .read([this](std::size_t warp, std::size_t) { return std::uint64_t{trees_[warp].depth()}; });
  }

 private:
  /// The contexts of a warp, by number.
  struct ContextRange {
    ContextId first, last;
    struct Iterator {
      ContextId at;
      ContextId operator*() const { return at; }
      Iterator& operator++() {
        ++at;
        return *this;
      }
      bool operator!=(const Iterator& other) const { return at != other.at; }
    };
    Iterator begin() const { return {first}; }
    Iterator end() const { return {last}; }
  };
  ContextRange contexts_of(WarpId warp) const {
    return {ContextId(warp * parameters_.splits), ContextId((warp + 1) * parameters_.splits)};
  }
  SplitTree::Split split_of(ContextId c) const { return {table_[c].pc, point_[c], table_[c].threads}; }

  void show(ContextId context, const SplitTree::Split& split) {
    point_[context] = split.point;
    table_.set(context, split.pc, split.threads);
  }
  void clear(ContextId context) {
    table_.park(context, false);
    table_.set(context, 0, {});
  }
  void go(ContextId context, const SplitTree::Split& split) {
    show(context, split);
    if (!trees_[table_[context].warp].arrives(split)) return;
    // In shapes that limit a context to one instruction in flight, it arrives once that has left the pipeline.
    table_.park(context, true);
    if (table_.pipeline.test(context)) return;
    arrive(context);
    settle(table_[context].warp);
  }
  void arrive(ContextId context) {
    trees_[table_[context].warp].arrive(split_of(context));
    clear(context);
  }

  /// Continues splits whose threads have all met, then gives free contexts to waiting splits, or those of splits that
  /// wait for them.
  void settle(WarpId warp) {
    SplitTree::Split met;
    while (trees_[warp].take_complete(met)) {
      if (trees_[warp].arrives(met)) {
        trees_[warp].arrive(met);
      } else {
        hidden_[warp].push_back(met);
      }
    }
    bring_in(warp, parameters_.at_branches || !runs(warp));
    let_others_in(warp);
  }
  /// Whether a split of the warp has a context.
  bool runs(WarpId warp) const {
    for (ContextId c : contexts_of(warp)) {
      if (table_.valid.test(c)) return true;
    }
    return false;
  }
  /// Whether all splits with a context are stalled.
  bool stands(WarpId warp) const {
    for (ContextId c : contexts_of(warp)) {
      if (table_.valid.test(c) && !table_.parked.test(c) && !table_.waits(warp, table_[c].threads)) {
        return false;
      }
    }
    return true;
  }
  void bring_in(WarpId warp, bool more) {
    for (ContextId c : contexts_of(warp)) {
      if (!more || hidden_[warp].empty()) return;
      if (table_.valid.test(c) || table_.pipeline.test(c)) continue;
      show(c, hidden_[warp].back());
      hidden_[warp].pop_back();
      more = parameters_.at_branches;
    }
  }
  /// If all splits with a context are stalled, swaps in one that can run: the others may be waiting for it.
  void let_others_in(WarpId warp) {
    const auto next = std::find_if(hidden_[warp].rbegin(), hidden_[warp].rend(),
                                   [&](const SplitTree::Split& split) { return !table_.waits(warp, split.threads); });
    if (next == hidden_[warp].rend() || !stands(warp)) return;
    for (ContextId c : contexts_of(warp)) {
      if (!table_.valid.test(c) || table_.parked.test(c) || table_.pipeline.test(c)) continue;
      const SplitTree::Split split = *next;
      *next = split_of(c);
      show(c, split);
      return;
    }
  }
  /// Merges a context into another of the warp that is at the same PC and meeting point.
  void join_equal(ContextId context) {
    const WarpId warp = table_[context].warp;
    if (table_.branch.test(context)) return;
    for (ContextId c : contexts_of(warp)) {
      if (c == context || !table_.valid.test(c) || table_[c].pc != table_[context].pc || point_[c] != point_[context] ||
          table_.branch.test(c) || table_.parked.test(c) ||
          table_.waits(warp, table_[c].threads) != table_.waits(warp, table_[context].threads)) {
        continue;
      }
      table_.set(c, table_[c].pc, table_[c].threads | table_[context].threads);
      clear(context);
      return;
    }
  }

  Parameters parameters_;
  GroupingShape shape_;
  unsigned warps_;
  WarpSlots slots_;
  std::vector<SplitTree> trees_;
  std::vector<std::vector<SplitTree::Split>> hidden_;  ///< by warp; the last one is next
  std::vector<std::uint32_t> point_;                   ///< by context
  std::vector<ContextSet> members_;
};

HEDDLE_REGISTER(GroupingUnit, WarpSubdivision, "warp_subdivision",
                "both paths of a branch are scheduled independently and reconverge at the post-dominator",
                "docs/sources/variable-warp-size.md 10");

}  // namespace heddle::sm
