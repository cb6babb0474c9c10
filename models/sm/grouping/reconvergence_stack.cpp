// SPDX-License-Identifier: Apache-2.0
#include "sm/grouping/reconvergence_stack.h"

#include <algorithm>

#include "core/error.h"

namespace heddle::sm {

void StackState::start(std::uint32_t entry_pc, const ThreadSet& all) {
  entries_.clear();
  pc = entry_pc;
  threads = all;
  reconvergence_pc_ = kNoReconvergence;
}

void StackState::push(const Entry& entry) { entries_.push_back(entry); }

void StackState::pop_reconverged() {
  while (!entries_.empty() && (pc == reconvergence_pc_ || threads.none())) {
    const Entry& top = entries_.back();
    pc = top.pc;
    threads = top.threads;
    reconvergence_pc_ = top.reconvergence_pc;
    entries_.pop_back();
    popped_ = true;
  }
}

void StackState::split(const std::vector<GroupingUnit::Path>& paths, std::uint32_t reconvergence_pc) {
  if (paths.size() == 1) {
    go(paths.front().pc);
    return;
  }
  // Push the entry that resumes at the meeting point, unless the enclosing path already meets there: a loop that
  // threads leave one by one would otherwise grow the stack by one entry per iteration.
  if (reconvergence_pc != reconvergence_pc_) push({reconvergence_pc_, reconvergence_pc, threads});
  // A path that starts at the meeting point is covered by that entry and has nothing of its own to run.
  std::size_t runnable = 0;
  for (const auto& path : paths) runnable += path.pc != reconvergence_pc ? 1 : 0;
  reconvergence_pc_ = reconvergence_pc;
  if (runnable == 0) {
    threads.clear();
    pop_reconverged();
    return;
  }
  // The first path runs first; the others are pushed above the meeting point, the second on top.
  const GroupingUnit::Path* first = nullptr;
  for (const auto& path : paths) {
    if (path.pc != reconvergence_pc) {
      first = &path;
      break;
    }
  }
  for (auto path = paths.rbegin(); path != paths.rend(); ++path) {
    if (path->pc == reconvergence_pc || &*path == first) continue;
    push({reconvergence_pc, path->pc, path->threads});
  }
  pc = first->pc;
  threads = first->threads;
}

void StackState::leave(const ThreadSet& gone) {
  // Threads whose guard was false continue after the exit.
  if ((threads - gone).any()) ++pc;
  remove(gone);
}

void StackState::remove(const ThreadSet& gone) {
  for (Entry& entry : entries_) entry.threads -= gone;
  threads -= gone;
  pop_reconverged();
}

void StackState::run_first(std::size_t entry, const ThreadSet& own) {
  // Entries below still contain all threads that will arrive there, so the enclosing reconvergence is unaffected.
  const Entry chosen = entries_[entry];
  entries_[entry].threads -= own;
  if (entries_[entry].threads.none()) entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(entry));
  push({reconvergence_pc_, pc, threads});
  pc = chosen.pc;
  threads = own;
  reconvergence_pc_ = chosen.reconvergence_pc;
}

void StackState::waiting_paths(std::vector<GroupingUnit::Path>& paths) const {
  // An entry at a meeting point contains all threads that will arrive; those still on their way are above it.
  ThreadSet above = threads;
  for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
    if ((entry->threads - above).any()) paths.push_back({entry->pc, entry->threads - above});
    above |= entry->threads;
  }
}

void declare_stacks(ModuleState& state, const std::vector<StackState>& stacks, unsigned warp_size) {
  const std::size_t warps = stacks.size();
  Structure& waiting =
      state.structure("stack", "pending paths", warps * warp_size,
                      {{"pc", 32, 1, 1}, {"reconvergence_pc", 32, 1, 1}, {"threads", warp_size, 1, 1}});
  waiting.added_by("reconvergence_stack");  // charged alike in every grouping that uses stacks
  waiting.occupied(
      [&stacks, warp_size](std::size_t entry) { return entry % warp_size < stacks[entry / warp_size].depth(); });
  waiting.read([&stacks, warp_size](std::size_t entry, std::size_t field) -> std::uint64_t {
    const auto& entries = stacks[entry / warp_size].entries();
    if (entry % warp_size >= entries.size()) return 0;
    const StackState::Entry& path = entries[entry % warp_size];
    return field == 0 ? path.pc : field == 1 ? path.reconvergence_pc : path.threads.word(0);
  });
  Structure& depth = state.traced_structure("depth", "number of pending paths of each warp", warps,
                                            {{"paths", index_bits(warp_size + 1), 1, 1}});
  depth.is_view();
  depth.read([&stacks](std::size_t warp, std::size_t) { return std::uint64_t{stacks[warp].depth()}; });
}

void StackWarps::started(ContextId context, const ThreadSet& threads) {
  stacks_[context].start(0, threads);
  publish(context);
}

void StackWarps::branched(ContextId context, const isa::MicroOp& op, const std::vector<Path>& paths) {
  stacks_[context].split(paths, op.reconvergence_pc);
  publish(context);
}

void StackWarps::exited(ContextId context, const ThreadSet& threads) {
  stacks_[context].leave(threads);
  publish(context);
}

void StackWarps::waiting_changed(ContextId context, const ThreadSet& awaited) {
  if (let_others_run(table_, table_[context].warp, awaited, stacks_[context])) publish(context);
}

HEDDLE_REGISTER(GroupingUnit, ReconvergenceStack, "reconvergence_stack",
                "one stack per warp: divergent paths run serially and reconverge at the immediate post-dominator",
                "docs/sources/large-warps-and-database-search.md 2.3");

}  // namespace heddle::sm
