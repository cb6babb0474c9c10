// SPDX-License-Identifier: Apache-2.0
// Thread frontiers: the warp's split with the lowest PC runs; splits that reach the same PC merge. Addresses are in
// thread-frontier order, so no markers and no stack are needed. Source:
// docs/sources/branch-and-warp-interweaving.md, 2.0 and 2.3.
#include "sm/grouping/heap_grouping.h"

namespace heddle::sm {

class ThreadFrontiers final : public HeapGrouping {
 public:
  ThreadFrontiers(const GroupingShape& shape, ContextTable& table) : HeapGrouping(shape, table) {}
  std::string name() const override { return "thread_frontiers"; }

  void advanced(ContextId context) override {
    heaps_[context].move(table_[context].threads, table_[context].pc + 1);
    publish(context);
  }
  void branched(ContextId context, const isa::MicroOp&, const std::vector<Path>& paths) override {
    heaps_[context].remove(table_[context].threads);
    for (const Path& path : paths) heaps_[context].insert(path.pc, path.threads);
    publish(context);
  }
  void exited(ContextId context, const ThreadSet& threads) override {
    const ThreadSet staying = table_[context].threads - threads;
    heaps_[context].remove(threads);
    if (staying.any()) heaps_[context].move(staying, table_[context].pc + 1);
    publish(context);
  }

 private:
  void publish(ContextId context) override {
    if (!awaits_branch(context)) show(context, first_free(context));
  }
};

HEDDLE_REGISTER(GroupingUnit, ThreadFrontiers, "thread_frontiers",
                "the split with the lowest program counter runs; splits at the same program counter merge",
                "docs/sources/branch-and-warp-interweaving.md 2.3");

}  // namespace heddle::sm
