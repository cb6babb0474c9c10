// SPDX-License-Identifier: Apache-2.0
// Thread block compaction: the warps of a block share one reconvergence stack. They wait for each other at every
// branch; threads that go the same way are then packed into fewer warps, one warp per cycle, each thread in its home
// lane. Where the paths reconverge, the original warps are restored. Source:
// docs/sources/large-warps-and-database-search.md, 2.7; docs/sources/variable-warp-size.md, 10.
#include <deque>

#include "sm/grouping/compaction_groups.h"
#include "sm/grouping/large_warps/packer_owner.h"
#include "sm/grouping/reconvergence_stack.h"

namespace heddle::sm {

class ThreadBlockCompaction final : public GroupingUnit, public PackerOwner {
 public:
  struct Parameters {
    unsigned group_threads = 256;
    bool jumps_meet = false;
    void describe(ParameterVisitor& v) {
      v("group_threads", group_threads, "threads of a block that share a stack; a larger block has several stacks",
        unit::kThreads, power_of_two(32, 512));
      v("jumps_meet", jumps_meet, "warps also wait for each other at unconditional jumps", unit::kNone, any());
    }
  };

  static GroupingTraits traits(const Parameters& parameters, const GroupingShape& shape) {
    return {.contexts = shape.threads / shape.warp_size,
            .granule = shape.warp_size,
            .span = parameters.group_threads,
            .needs = {Feature::hazards_by_thread}};
  }
  ThreadBlockCompaction(const Parameters& parameters, const GroupingShape& shape, ContextTable& table)
      : GroupingUnit(table, traits(parameters, shape)),
        PackerOwner({parameters.group_threads / shape.warp_size, shape.warp_size}),
        parameters_(parameters),
        shape_(distinct(re_forms(shape, "thread_block_compaction", parameters.group_threads), 1)),
        warps_(shape.threads / shape.warp_size),
        slots_(warps_, 1),
        groups_(warps_),
        members_(shape.issue_slots) {
    for (unsigned w = 0; w < warps_; ++w) members_[w % shape.issue_slots].set(w);
  }

  void build(SmSite& site) override { build_packer(site); }
  std::uint16_t group_of(ContextId context) const override { return table_[context].warp.number(); }
  std::unique_ptr<IssueScheme> make_scheme() override { return std::make_unique<IndependentSlots>(members_); }
  std::string name() const override { return "thread_block_compaction"; }
  void admit(const isa::Kernel& kernel) const override { refuse_maskless(kernel, name()); }

  void launch(const Placement& placement) override {
    for (std::uint32_t t = 0; t < placement.threads; t += parameters_.group_threads) {
      const unsigned threads = std::min(parameters_.group_threads, placement.threads - t);
      const std::vector<ContextId> contexts = slots_.take(threads, shape_.warp_size);
      const WarpId warp(contexts.front().number());  // a group goes by the number of its first context
      Group& group = groups_[warp];
      group = {};
      group.used = true;
      group.warp = warp;
      group.block = placement.block_slot;
      group.contexts = contexts;
      group.stack.start(0, ThreadSet::first_n(threads));
      for (unsigned i = 0; i < contexts.size(); ++i) {
        const ContextId c = contexts[i];
        first_thread_[c] = placement.first_thread + t;
        table_[c].block = placement.block_slot;
        table_[c].warp = warp;
        table_.park(c, false);
        table_.set(c, 0, ThreadSet::first_n(threads) & row(i));
        placement.contexts->push_back(c);
      }
    }
  }
  void release(BlockSlot block_slot) override {
    for (Group& group : groups_) {
      if (!group.used || group.block != block_slot) continue;
      group.used = false;
      slots_.give_back(group.contexts);
    }
  }

  LanePlan lanes(ContextId, const isa::MicroOp&, const ThreadSet& threads) const override {
    LaneMask lanes;
    lanes.set_word(0, home_lanes(threads));
    return {lanes, 1};
  }

  void advanced(ContextId context) override { go(context, table_[context].pc + 1, table_[context].threads); }

  void branched(ContextId context, const isa::MicroOp& op, const std::vector<Path>& paths) override {
    if (op.opcode == isa::Opcode::bra && !op.guard.present() && !parameters_.jumps_meet) {
      go(context, paths.front().pc, table_[context].threads);
      return;
    }
    Group& group = group_with(context);
    for (const Path& path : paths) {
      const auto same =
          std::find_if(group.paths.begin(), group.paths.end(), [&](const Path& w) { return w.pc == path.pc; });
      if (same != group.paths.end()) {
        same->threads |= path.threads;
      } else if (op.opcode == isa::Opcode::bra && path.pc == op.target) {
        group.paths.insert(group.paths.begin(), path);  // the taken path runs first, whichever warp reports it
      } else {
        group.paths.push_back(path);
      }
    }
    group.branch = &op;
    arrive(group, context);
  }

  void exited(ContextId context, const ThreadSet& threads) override {
    Group& group = group_with(context);
    const ThreadSet staying = table_[context].threads - threads;
    const ThreadSet running = group.stack.threads;
    for (Path& path : group.paths) path.threads -= threads;
    group.arrived -= threads;
    group.stack.remove(threads);
    const bool gone = (running - threads).none();
    if (staying.any()) {
      go(context, table_[context].pc + 1, staying);
    } else {
      table_.set(context, 0, {});
    }
    if (gone) {
      start_path(group);
    } else {
      go_on(group);
    }
  }

  void retired(ContextId context) override {
    Group& group = group_with(context);
    if (!group.late.test(context)) return;
    group.late.reset(context);
    arrive(group, context);
  }

  bool begin_cycle() override {
    if (forming_.empty()) return false;
    Group& group = groups_[forming_.front()];
    form_next(group);
    if (group.to_form.none()) forming_.pop_front();
    return true;
  }

  void waiting_changed(ContextId context, const ThreadSet& awaited) override { give_way(group_with(context), awaited); }
  void waiting_paths(ContextId context, std::vector<Path>& paths) const override {
    const Group& group = groups_[table_[context].warp];
    // Report once per group, for its first context with threads.
    for (ContextId c : group.contexts) {
      if (!table_.valid.test(c)) continue;
      if (c == context) group.stack.waiting_paths(paths);
      return;
    }
  }

  void declare_state(ModuleState& state) override {
    // As many entries as the source gives a warp's stack. The two masks hold the threads that have reached a branch.
    const unsigned threads = parameters_.group_threads;
    const std::size_t groups = std::max<std::size_t>(1, shape_.threads / threads);
    state
        .structure("stack", "pending paths of each group", groups * shape_.warp_size,
                   {{"pc", 32, 1, 1},
                    {"reconvergence_pc", 32, 1, 1},
                    {"threads", threads, 1, 1},
                    {"warps", index_bits(threads / shape_.warp_size + 1), 1, 1}})
        .added_by("thread_block_compaction");
    state
        .structure("branch_masks", "threads of a group by branch direction, until its last warp arrives", groups * 2,
                   {{"threads", threads, 1, 1}})
        .added_by("thread_block_compaction");
    state
        .structure("rows", "row of the thread in each lane of each warp", std::size_t{warps_} * shape_.warp_size,
                   {{"row", index_bits(threads / shape_.warp_size), 1, 1}})
        .added_by("thread_block_compaction");
    state
        .traced_structure("depth", "pending paths of the group whose first context this is", warps_,
                          {{"paths", index_bits(threads + 1), 1, 1}})
        .is_view()
        .read([this](std::size_t c, std::size_t) { return std::uint64_t{groups_[c].stack.depth()}; });
  }

 private:
  /// A path that stepped aside, with the state of its warps at that time.
  struct Aside {
    ThreadSet threads;
    struct Warp {
      std::uint32_t pc;
      ThreadSet threads;
      bool parked;
    };
    std::vector<Warp> warps;
    ThreadSet arrived;
    std::vector<Path> paths;
    const isa::MicroOp* branch;
  };
  struct Group {
    bool used = false;
    WarpId warp;
    BlockSlot block;
    std::vector<ContextId> contexts;
    StackState stack;                      ///< its PC is where the warps of the active path started
    ThreadSet arrived;                     ///< threads of the active path at its branch or meeting point
    std::vector<Path> paths;               ///< of the arrived threads, if at a branch
    const isa::MicroOp* branch = nullptr;  ///< null: the arrived threads are at the meeting point
    ContextSet late;                       ///< arrived contexts whose last instruction is still in the pipeline
    ThreadSet to_form;                     ///< threads of the active path not yet in a warp
    std::vector<Aside> aside;
  };

  Group& group_with(ContextId context) { return groups_[table_[context].warp]; }
  ThreadSet row(unsigned number) const {
    ThreadSet threads;
    threads.set_word32(number, ~0u);
    return threads;
  }

  void go(ContextId context, std::uint32_t pc, const ThreadSet& threads) {
    Group& group = group_with(context);
    table_.set(context, pc, threads);
    if (pc == group.stack.reconvergence_pc()) arrive(group, context);
  }

  /// The context's threads have reached the branch or meeting point of their path. In shapes that limit a context to
  /// one instruction in flight, they count only once that instruction has left the pipeline.
  void arrive(Group& group, ContextId context) {
    table_.park(context, true);
    if (table_.pipeline.test(context)) {
      group.late.set(context);
      return;
    }
    group.arrived |= table_[context].threads;
    go_on(group);
  }

  /// A warp of the active path has stopped running: proceeds if it was the last one.
  void go_on(Group& group) {
    settle(group);
    give_way(group, ThreadSet::everything());
  }

  void settle(Group& group) {
    if (group.to_form.any() || group.arrived.none() || !group.arrived.contains(group.stack.threads)) return;
    if (group.branch != nullptr) {
      std::erase_if(group.paths, [](const Path& path) { return path.threads.none(); });
      const std::uint32_t meets = group.branch->reconvergence_pc;
      if (group.paths.size() == 1 && group.paths.front().pc != group.stack.reconvergence_pc()) {
        // All threads go the same way, so the warps stay as they are.
        const std::uint32_t pc = group.paths.front().pc;
        clear_arrivals(group);
        group.stack.pc = pc;
        for (ContextId c : group.contexts) {
          if (!table_.valid.test(c)) continue;
          table_.park(c, false);
          table_.set(c, pc, table_[c].threads);
        }
        return;
      }
      group.stack.split(group.paths, meets);
    } else {
      group.stack.go(group.stack.reconvergence_pc());
    }
    start_path(group);
  }

  void clear_arrivals(Group& group) {
    group.arrived.clear();
    group.paths.clear();
    group.branch = nullptr;
  }

  /// Starts the stack's new active path: restores its warps if it had stepped aside, else forms warps from its threads,
  /// one per cycle.
  void start_path(Group& group) {
    clear_arrivals(group);
    group.to_form.clear();
    for (ContextId c : group.contexts) {
      table_.park(c, false);
      table_.set(c, 0, {});
    }
    if (group.stack.threads.none()) return;
    const auto saved = std::find_if(group.aside.begin(), group.aside.end(),
                                    [&](const Aside& aside) { return aside.threads.contains(group.stack.threads); });
    if (saved == group.aside.end()) {
      group.to_form = group.stack.threads;
      forming_.push_back(group.warp);
      return;
    }
    const Aside path = *saved;
    group.aside.erase(saved);
    group.arrived = path.arrived & group.stack.threads;
    group.paths = path.paths;
    group.branch = path.branch;
    for (std::size_t i = 0; i < path.warps.size(); ++i) {
      table_.set(group.contexts[i], path.warps[i].pc, path.warps[i].threads & group.stack.threads);
      table_.park(group.contexts[i], path.warps[i].parked);
    }
    settle(group);
    give_way(group, ThreadSet::everything());
  }

  void form_next(Group& group) {
    if (group.to_form.none()) return;
    PackRequest request;
    request.work = group.to_form;
    request.guard = group.to_form;
    // Once all paths have met, restore the original warps.
    request.mode = group.stack.depth() == 0 ? PackMode::rows : PackMode::columns;
    const SubWarp packed = packer_->pack(request);
    packer_->goes();
    group.to_form = packed.left;
    ContextId free = kNoContext;
    for (ContextId c : group.contexts) {
      if (table_.valid.test(c)) continue;
      free = c;
      if (!table_.pipeline.test(c)) break;  // none of its former threads is in flight
    }
    if (free == kNoContext) fail(ExitCode::internal, "{}: more warps than contexts", name());
    table_.set(free, group.stack.pc, packed.threads);
    if (group.to_form.none()) give_way(group, ThreadSet::everything());
  }

  /// Whether every warp of the active path is stalled.
  bool stands(const Group& group) const {
    bool any = false, all = group.to_form.none();
    for (ContextId c : group.contexts) {
      if (!table_.valid.test(c) || table_.parked.test(c)) continue;
      any = true;
      all = all && table_.waits(group.warp, table_[c].threads);
    }
    return any && all;
  }

  void give_way(Group& group, const ThreadSet& awaited) {
    if (!stands(group)) return;
    Aside path{group.stack.threads, {}, group.arrived, group.paths, group.branch};
    for (ContextId c : group.contexts) {
      if (table_.valid.test(c)) path.warps.push_back({table_[c].pc, table_[c].threads, table_.parked.test(c)});
      if (group.late.test(c)) return;  // still in flight: will be called again
    }
    const auto waits = [&](const ThreadSet& some) {
      for (const Aside& other : group.aside) {
        if (!other.threads.contains(some)) continue;
        return std::all_of(other.warps.begin(), other.warps.end(), [&](const Aside::Warp& warp) {
          return warp.parked || table_.waits(group.warp, warp.threads);
        });
      }
      return table_.waits(group.warp, some);
    };
    if (!group.stack.step_aside(awaited, waits)) return;
    group.aside.push_back(std::move(path));
    start_path(group);
  }

  Parameters parameters_;
  GroupingShape shape_;
  unsigned warps_;
  ContextSlots slots_;
  std::vector<Group> groups_;  ///< by machine warp
  std::vector<ContextSet> members_;
  std::deque<WarpId> forming_;  ///< groups whose warps are being formed, in order
};

HEDDLE_REGISTER(GroupingUnit, ThreadBlockCompaction, "thread_block_compaction",
                "warps of a block wait at branches and are re-formed from threads that go the same way",
                "docs/sources/large-warps-and-database-search.md 2.7");

}  // namespace heddle::sm
