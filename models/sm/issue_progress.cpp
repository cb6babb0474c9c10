// SPDX-License-Identifier: Apache-2.0
// What the issue stage tells a look for endless loops (progress_watch.h), and its verdict.
#include <algorithm>

#include "core/state_digest.h"
#include "sm/issue_stage.h"

namespace heddle::sm {

void IssueStage::note_issue(ContextId c) {
  ProgressWatch::Unit& unit = sm_.progress.unit(*contexts_[c].words);
  unit.issued.set(c);
  unit.issued_since.set(c);
}

void IssueStage::note_branch(ContextId c, std::uint32_t pc) {
  std::uint32_t target = pc + 1;
  for (const GroupingUnit::Way& way : ways_) target = std::min(target, way.pc);
  if (target > pc) return;
  ProgressWatch& progress = sm_.progress;
  const isa::WarpState& warp = *contexts_[c].words;
  ProgressWatch::Unit& unit = progress.unit(warp);
  unit.first_pc = target;
  unit.last_pc = pc;

  const auto& block = blocks_[contexts_[c].block];
  const std::uint32_t first = warp.index / progress.unit_warps() * progress.unit_warps();
  StateDigest digest;
  for (std::uint32_t w = first; w < first + progress.unit_warps() && w < block.warps.size(); ++w) {
    digest.add(block.warps[w].live);
    digest.add(block.warps[w].registers, block.state.launch->kernel->frame_bytes);
  }
  bool all_ran = true;
  std::vector<GroupingUnit::Way> paths;
  contexts_.valid.for_each([&](std::size_t i) {
    const auto other = static_cast<ContextId>(i);
    if (contexts_[other].block != contexts_[c].block || progress.find(*contexts_[other].words) != &unit) return;
    digest.add(contexts_[other].pc);
    digest.add(contexts_[other].threads);
    digest.add(contexts_.at_barrier[contexts_[other].warp]);
    digest.add(contexts_.at_meeting[contexts_[other].warp]);
    grouping_->waiting_paths(other, paths);
    all_ran = all_ran && (unit.issued_since.test(other) || waits_for_others(other));
  });
  for (const GroupingUnit::Way& path : paths) {
    digest.add(path.pc);
    digest.add(path.threads);
  }
  ProgressWatch::note_state(unit, digest.value(), all_ran);
}

bool IssueStage::waits_for_others(ContextId c) const {
  return contexts_.waits(contexts_[c].warp, contexts_[c].threads);
}

bool IssueStage::stuck() const {
  bool all = true;
  contexts_.valid.for_each([&](std::size_t i) {
    const auto c = static_cast<ContextId>(i);
    if (!all || waits_for_others(c)) return;
    const ProgressWatch::Unit* unit = sm_.progress.find(*contexts_[c].words);
    const bool starved = contexts_.ready.test(c) && (unit == nullptr || !unit->issued.test(c));
    all = starved || (unit != nullptr && unit->repeats);
  });
  return all;
}

bool IssueStage::repeats() const {
  bool any = false;
  contexts_.valid.for_each([&](std::size_t i) {
    const ProgressWatch::Unit* unit = sm_.progress.find(*contexts_[i].words);
    any = any || (unit != nullptr && unit->repeats);
  });
  return any && sm_.progress.looking();
}

}  // namespace heddle::sm
