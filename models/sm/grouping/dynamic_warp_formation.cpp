// SPDX-License-Identifier: Apache-2.0
// Dynamic warp formation: a pool of warps, each with one PC and at most one thread per lane. A warp that returns from
// the pipeline gives its threads to the youngest warp at the same PC, as far as their lanes are free there; the rest
// remain a warp of their own. There is no stack, so nothing restores the original warps. Source:
// docs/sources/large-warps-and-database-search.md, 2.8; docs/sources/variable-warp-size.md, 10. Which warp issues is
// left to the order policy (oldest, majority, post_dominator_priority).
#include <deque>

#include "sm/grouping/compaction_groups.h"
#include "sm/grouping/warp_slots.h"

namespace heddle::sm {

class DynamicWarpFormation final : public GroupingUnit {
 public:
  struct Parameters {
    unsigned group_threads = 512;
    bool merge_at_branches_only = false;
    void describe(ParameterVisitor& v) {
      v("group_threads", group_threads, "threads of a block that share a pool; a larger block has several pools",
        unit::kThreads, power_of_two(32, 512));
      v("merge_at_branches_only", merge_at_branches_only,
        "warps join others only after branches, not after every instruction", unit::kNone, any());
    }
  };

  static GroupingTraits traits(const Parameters& parameters, const GroupingShape& shape) {
    const unsigned warps = shape.threads / shape.warp_size;
    return {.contexts = warps * contexts_of_warp(shape),
            .granule = shape.warp_size,
            .span = parameters.group_threads,
            .needs = {Feature::hazards_by_thread}};
  }
  DynamicWarpFormation(const Parameters& parameters, const GroupingShape& shape, ContextTable& table)
      : GroupingUnit(table, traits(parameters, shape)),
        parameters_(parameters),
        shape_(re_forms(shape, "dynamic_warp_formation", parameters.group_threads)),
        warps_(shape.threads / shape.warp_size),
        slots_(warps_, contexts_of_warp(shape)),
        pools_(GroupingUnit::traits().contexts),
        members_(shape.issue_slots) {
    if (contexts_of_warp(shape) == 0) {
      fail(ExitCode::configuration, "sm.grouping: {} threads in warps of {} need more than {} contexts", shape.threads,
           shape.warp_size, kMaxContexts);
    }
    for (unsigned c = 0; c < pools_.size(); ++c) members_[c % shape.issue_slots].set(c);
  }

  std::uint16_t group_of(ContextId context) const override { return table_[context].warp.number(); }
  std::unique_ptr<IssueScheme> make_scheme() override { return std::make_unique<IndependentSlots>(members_); }
  std::string name() const override { return "dynamic_warp_formation"; }
  void admit(const isa::Kernel& kernel) const override { refuse_maskless(kernel, name()); }

  void launch(const Placement& placement) override {
    for (std::uint32_t t = 0; t < placement.threads; t += parameters_.group_threads) {
      const unsigned threads = std::min(parameters_.group_threads, placement.threads - t);
      const std::vector<ContextId> contexts = slots_.take(threads, shape_.warp_size);
      const WarpId warp(contexts.front().number());  // a pool goes by the number of its first context
      Pool& pool = pools_[warp];
      pool = {};
      pool.used = true;
      pool.warp = warp;
      pool.block = placement.block_slot;
      pool.contexts = contexts;
      pool.meets.assign(placement.kernel->ops.size() + 1, false);
      for (const isa::MicroOp& op : placement.kernel->ops) {
        if (op.reconvergence_pc < placement.kernel->ops.size()) pool.meets[op.reconvergence_pc] = true;
      }
      for (unsigned i = 0; i < contexts.size(); ++i) {
        const ContextId c = contexts[i];
        first_thread_[c] = placement.first_thread + t;
        table_[c].block = placement.block_slot;
        table_[c].warp = warp;
        table_.passed[c] = 0;
        ThreadSet own;
        if (i < (threads + shape_.warp_size - 1) / shape_.warp_size) own.set_word32(i, ~0u);
        table_.set(c, 0, own & ThreadSet::first_n(threads));
        placement.contexts->push_back(c);
      }
    }
  }
  void release(BlockSlot block_slot) override {
    for (Pool& pool : pools_) {
      if (!pool.used || pool.block != block_slot) continue;
      pool.used = false;
      slots_.give_back(pool.contexts);
    }
  }

  LanePlan lanes(ContextId, const isa::MicroOp&, const ThreadSet& threads) const override {
    LaneMask lanes;
    lanes.set_word(0, home_lanes(threads));
    return {lanes, 1};
  }

  void advanced(ContextId context) override { move(context, table_[context].pc + 1, table_[context].threads); }

  void branched(ContextId context, const isa::MicroOp&, const std::vector<Path>& paths) override {
    Pool& pool = pool_with(context);
    const std::uint32_t passed = table_.passed[context];
    table_.set(context, 0, {});
    for (const Path& path : paths) insert(pool, {path.pc, path.threads, passed + (pool.meets[path.pc] ? 1u : 0u)});
    take_in(pool);
  }

  void exited(ContextId context, const ThreadSet& threads) override {
    const ThreadSet staying = table_[context].threads - threads;
    if (staying.any()) {
      move(context, table_[context].pc + 1, staying);
    } else {
      table_.set(context, 0, {});
      take_in(pool_with(context));
    }
  }

  void retired(ContextId context) override {
    if (table_.branch.test(context)) return;
    Pool& pool = pool_with(context);
    if (!table_.valid.test(context)) take_in(pool);
    let_hidden_in(pool);
    if (parameters_.merge_at_branches_only || !table_.valid.test(context)) return;
    const Entry entry{table_[context].pc, table_[context].threads, table_.passed[context]};
    const ThreadSet rest = join_youngest(pool, entry, context);
    if (rest.none()) {
      table_.set(context, 0, {});
      take_in(pool);
      return;
    }
    table_.set(context, entry.pc, rest);
    table_.age[context] = table_.next_age++;
  }

  void waiting_changed(ContextId context, const ThreadSet&) override { let_hidden_in(pool_with(context)); }
  bool part_waiting(ContextId context, const ThreadSet& waiting) override {
    const std::uint32_t pc = table_[context].pc;
    table_.set(context, pc, table_[context].threads - waiting);
    insert(pool_with(context), {pc, waiting, table_.passed[context]});
    return true;
  }
  void waiting_paths(ContextId context, std::vector<Path>& paths) const override {
    const Pool& pool = pools_[table_[context].warp];
    if (context != pool.contexts.front()) return;
    for (const Entry& entry : pool.hidden) paths.push_back({entry.pc, entry.threads});
  }

  void declare_state(ModuleState& state) override {
    Structure& entries = state.structure("pool", "warps of the pools", pools_.size(),
                                         {{"pc", 32, 1, 1, true},
                                          {"lanes", shape_.warp_size, 1, 1},
                                          {"threads", shape_.warp_size * index_bits(shape_.threads), 1, 1},
                                          {"age", 16, 1, 1}});
    entries.added_by("dynamic_warp_formation");
    entries.occupied([this](std::size_t c) { return table_.valid.test(c); });
    entries.read([this](std::size_t c, std::size_t field) -> std::uint64_t {
      return field == 0   ? table_[c].pc
             : field == 1 ? home_lanes(table_[c].threads)
             : field == 3 ? table_.age[c] & 0xffff
                          : 0;
    });
    state.structure("passed", "number of post-dominators each warp has passed", pools_.size(), {{"count", 16, 1, 1}})
        .added_by("dynamic_warp_formation");
  }

 private:
  static unsigned contexts_of_warp(const GroupingShape& shape) {
    return std::min(shape.warp_size, kMaxContexts / std::max(1u, shape.threads / shape.warp_size));
  }
  struct Entry {
    std::uint32_t pc;
    ThreadSet threads;
    std::uint32_t passed;
  };
  struct Pool {
    bool used = false;
    WarpId warp;
    BlockSlot block;
    std::vector<ContextId> contexts;
    std::vector<bool> meets;   ///< by PC: the reconvergence point of some branch
    std::deque<Entry> hidden;  ///< warps without a context, in order
  };

  Pool& pool_with(ContextId context) { return pools_[table_[context].warp]; }
  bool waits(const Pool& pool, const ThreadSet& threads) const { return table_.waits(pool.warp, threads); }

  void move(ContextId context, std::uint32_t pc, const ThreadSet& threads) {
    if (pool_with(context).meets[pc]) ++table_.passed[context];
    table_.set(context, pc, threads);
  }
  void show(ContextId context, const Entry& entry) {
    table_.set(context, entry.pc, entry.threads);
    table_.passed[context] = entry.passed;
    table_.age[context] = table_.next_age++;
  }

  /// Threads join the youngest warp in the pool that is at their PC and waits as they do. Returns the threads whose
  /// lanes are taken there. Only one warp is tried, so older ones keep their free lanes.
  ThreadSet join_youngest(const Pool& pool, const Entry& entry, ContextId own) {
    ContextId youngest = kNoContext;
    const bool waiting = waits(pool, entry.threads);
    for (ContextId c : pool.contexts) {
      if (c == own || !table_.valid.test(c) || table_[c].pc != entry.pc || table_.pipeline.test(c) ||
          table_.branch.test(c) || waits(pool, table_[c].threads) != waiting) {
        continue;
      }
      if (youngest == kNoContext || table_.age[c] > table_.age[youngest]) youngest = c;
    }
    if (youngest == kNoContext) return entry.threads;
    const ThreadSet joining = in_lanes(entry.threads, ~home_lanes(table_[youngest].threads));
    table_.set(youngest, entry.pc, table_[youngest].threads | joining);
    table_.passed[youngest] = std::min(table_.passed[youngest], entry.passed);
    return entry.threads - joining;
  }

  void insert(Pool& pool, Entry entry) {
    entry.threads = join_youngest(pool, entry, kNoContext);
    if (entry.threads.none()) return;
    const ContextId free = free_context(pool);
    if (free != kNoContext) {
      show(free, entry);
    } else {
      pool.hidden.push_back(entry);
    }
  }
  /// A context became free: gives it to the first hidden warp, even a waiting one.
  void take_in(Pool& pool) {
    if (pool.hidden.empty()) return;
    if (const ContextId free = free_context(pool); free != kNoContext) {
      show(free, pool.hidden.front());
      pool.hidden.pop_front();
    }
    let_hidden_in(pool);
  }
  /// If every shown warp is stalled, shows a hidden one that can run: the others may be waiting for it.
  void let_hidden_in(Pool& pool) {
    const auto next = std::find_if(pool.hidden.begin(), pool.hidden.end(),
                                   [&](const Entry& entry) { return !waits(pool, entry.threads); });
    if (next == pool.hidden.end()) return;
    for (ContextId c : pool.contexts) {
      if (table_.valid.test(c) && !waits(pool, table_[c].threads)) return;
    }
    for (ContextId c : pool.contexts) {
      if (!table_.valid.test(c) || table_.pipeline.test(c)) continue;
      const Entry entry = *next;
      *next = {table_[c].pc, table_[c].threads, table_.passed[c]};
      show(c, entry);
      return;
    }
  }
  ContextId free_context(const Pool& pool) const {
    for (ContextId c : pool.contexts) {
      if (!table_.valid.test(c) && !table_.pipeline.test(c)) return c;
    }
    return kNoContext;
  }

  Parameters parameters_;
  GroupingShape shape_;
  unsigned warps_;
  ContextSlots slots_;
  std::vector<Pool> pools_;  ///< by machine warp
  std::vector<ContextSet> members_;
};

HEDDLE_REGISTER(GroupingUnit, DynamicWarpFormation, "dynamic_warp_formation",
                "a pool of warps; threads join the youngest warp at their program counter, each in its home lane",
                "docs/sources/large-warps-and-database-search.md 2.8");

}  // namespace heddle::sm
