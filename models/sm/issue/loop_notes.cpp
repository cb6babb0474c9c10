// SPDX-License-Identifier: Apache-2.0
#include "sm/issue/loop_notes.h"

#include <algorithm>

#include "core/kernel/state_digest.h"

namespace heddle::sm {

void LoopNotes::issued(ContextId c) {
  ProgressWatch::Unit& unit = sm_.progress.unit(*contexts_[c].words);
  unit.issued.set(c);
  unit.issued_since.set(c);
  unit.loop.executed(contexts_[c].next->pc);
  sm_.progress.serves(contexts_[c].next->unit);
}

void LoopNotes::branched(ContextId c, std::uint32_t pc, const std::vector<GroupingUnit::Path>& paths) {
  std::uint32_t target = pc + 1;
  for (const GroupingUnit::Path& path : paths) target = std::min(target, path.pc);
  if (target > pc) return;
  ProgressWatch& progress = sm_.progress;
  const isa::WarpState& warp = *contexts_[c].words;
  ProgressWatch::Unit& unit = progress.unit(warp);
  unit.loop.branched(target, pc);

  const auto& block = blocks_[contexts_[c].block];
  const std::uint32_t first = warp.index / progress.unit_warps() * progress.unit_warps();
  if (!unit.loop.begin_state(*block.state.launch->kernel)) unit.without = false;
  StateDigest digest;
  for (std::uint32_t w = first; w < first + progress.unit_warps() && w < block.warps.size(); ++w) {
    digest.add(block.warps[w].live);
    unit.loop.add_registers(digest, block.warps[w].registers);
  }
  ContextSet idle;
  std::vector<GroupingUnit::Path> waiting;
  contexts_.valid.for_each([&](std::size_t i) {
    const ContextId other(i);
    if (contexts_[other].block != contexts_[c].block || progress.find(*contexts_[other].words) != &unit) return;
    digest.add(contexts_[other].pc);
    digest.add(contexts_[other].threads);
    digest.add(contexts_.at_barrier[contexts_[other].warp]);
    digest.add(contexts_.at_meeting[contexts_[other].warp]);
    grouping_.waiting_paths(other, waiting);
    if (!unit.issued_since.test(other) && !waits_for_others(other)) idle.set(other);
  });
  for (const GroupingUnit::Path& path : waiting) {
    digest.add(path.pc);
    digest.add(path.threads);
  }
  if (unit.loop.note_state(digest, idle.none())) unit.issued_since.clear();
  if (unit.loop.came_back() && idle.any() && !idle.intersects(unit.issued)) {
    unit.without = true;
    unit.absent = idle;
  }
}

/// A context that issued in this look without repeating a state makes progress, even if it is waiting now; so does one
/// that has slept since before the look. A ready context waits for the machine if its unit has accepted nothing in the
/// whole look; otherwise the slots have preferred others, and may do so for ever.
Standstill LoopNotes::standstill(const ContextSet& blocked) const {
  Standstill result = Standstill::for_ever;
  contexts_.valid.for_each([&](std::size_t i) {
    const ContextId c(i);
    const ProgressWatch::Unit* unit = sm_.progress.find(*contexts_[c].words);
    const bool issued = unit != nullptr && unit->issued.test(c);
    if (issued ? !unit->repeats() : contexts_.asleep.test(c)) result = Standstill::none;
    if (issued || result == Standstill::none || waits_for_others(c)) return;
    const bool passed_over =
        contexts_.ready.test(c) && (!blocked.test(c) || sm_.progress.served(contexts_[c].next->unit));
    if (passed_over) return;
    result = Standstill::machine;
  });
  return result;
}

bool LoopNotes::repeats() const {
  bool any = false;
  contexts_.valid.for_each([&](std::size_t i) {
    const ProgressWatch::Unit* unit = sm_.progress.find(*contexts_[i].words);
    any = any || (unit != nullptr && unit->repeats());
  });
  return any && sm_.progress.looking();
}

bool LoopNotes::held_back() const {
  bool any = false;
  std::vector<GroupingUnit::Path> paths;
  contexts_.valid.for_each([&](std::size_t i) {
    const ContextId c(i);
    const WarpId warp = contexts_[c].warp;
    const ThreadSet waiting = contexts_.at_barrier[warp] | contexts_.at_meeting[warp];
    paths.clear();
    grouping_.waiting_paths(c, paths);
    any = any || !waits_for_others(c) || std::any_of(paths.begin(), paths.end(), [&](const GroupingUnit::Path& path) {
            return (path.threads - waiting).any();
          });
  });
  return any;
}

}  // namespace heddle::sm
