// SPDX-License-Identifier: Apache-2.0
// Two groupings without a stack: each thread has a PC of its own, and so has the warp, which advances by simple rules.
//
//   thread_counters  a branch sets the PCs of its threads; the warp jumps forward to the nearest thread PC, or back if
//                    a branch takes some threads back. Source:
//                    docs/sources/large-warps-and-database-search.md, 2.4 (multiple PCs per warp).
//   predication      nothing is skipped: the warp steps through every instruction up to a backward branch, and threads
//                    whose PC is elsewhere do not execute, as if each instruction were guarded. Source: the same.
#include "sm/grouping/heap_grouping.h"

namespace heddle::sm {

namespace {

/// Common base: keeps the warp's PC and follows a backward branch as soon as one thread takes it.
class WarpCounter : public HeapGrouping {
 public:
  void advanced(ContextId context) override { move_on(context, table_[context].threads); }
  void branched(ContextId context, const isa::MicroOp&, const std::vector<Path>& paths) override {
    const std::uint32_t pc = table_[context].pc;
    heaps_[context].remove(table_[context].threads);
    at_[context] = pc + 1;
    for (const Path& path : paths) {
      heaps_[context].insert(path.pc, path.threads);
      if (path.pc <= pc) at_[context] = std::min(at_[context], path.pc);
    }
    publish(context);
  }
  void exited(ContextId context, const ThreadSet& threads) override {
    const ThreadSet staying = table_[context].threads - threads;
    heaps_[context].remove(threads);
    move_on(context, staying);
  }
  void declare_state(ModuleState& state) override {
    declare_heaps(state, heaps_, shape_.warp_size).is_view();  // derived from the thread PCs
    state.structure("thread_pc", "program counter of each thread", std::size_t{warps_} * shape_.warp_size,
                    {{"pc", 32, 1, 1}});
    state.traced_structure("at", "program counter of each warp", warps_, {{"pc", 32, 1, 1}})
        .read([this](std::size_t warp, std::size_t) { return std::uint64_t{at_[warp]}; });
  }

 protected:
  WarpCounter(const GroupingShape& shape, ContextTable& table) : HeapGrouping(shape, table), at_(warps_) {}
  void started(ContextId context, const ThreadSet& threads) override {
    at_[context] = 0;
    HeapGrouping::started(context, threads);
  }
  void move_on(ContextId context, const ThreadSet& threads) {
    at_[context] = table_[context].pc + 1;
    if (threads.any()) heaps_[context].move(threads, at_[context]);
    publish(context);
  }

  std::vector<std::uint32_t> at_;  ///< warp PC: it does not run threads at lower PCs
};

}  // namespace

class ThreadCounters final : public WarpCounter {
 public:
  ThreadCounters(const GroupingShape& shape, ContextTable& table) : WarpCounter(shape, table) {}
  std::string name() const override { return "thread_counters"; }

 private:
  void publish(ContextId context) override {
    if (!awaits_branch(context)) show(context, first_free(context, at_[context]));
  }
};

class Predication final : public WarpCounter {
 public:
  Predication(const GroupingShape& shape, ContextTable& table) : WarpCounter(shape, table) {}
  std::string name() const override { return "predication"; }

 private:
  void publish(ContextId context) override {
    if (awaits_branch(context)) return;
    const SplitHeap::Split* const next = first_free(context, at_[context]);
    // The runnable threads are ahead: step through the instructions they skip.
    if (next != nullptr && next->pc > at_[context] && !table_.waits(table_[context].warp, next->threads)) {
      table_.set(context, at_[context], {}, true);
      return;
    }
    if (next != nullptr) at_[context] = next->pc;
    show(context, next);
  }
};

HEDDLE_REGISTER(GroupingUnit, ThreadCounters, "thread_counters",
                "a program counter per thread; the warp jumps forward to the nearest one",
                "docs/sources/large-warps-and-database-search.md 2.4");
HEDDLE_REGISTER(GroupingUnit, Predication, "predication",
                "a program counter per thread; the warp executes every instruction, with threads elsewhere masked off",
                "docs/sources/large-warps-and-database-search.md 2.4");

}  // namespace heddle::sm
