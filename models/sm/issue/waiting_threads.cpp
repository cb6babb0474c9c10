// SPDX-License-Identifier: Apache-2.0
#include "sm/issue/waiting_threads.h"

#include <algorithm>

namespace heddle::sm {

void WarpContexts::add(ContextId c) {
  if (first_ == kNoContext) first_ = c;
  if (first_ != c && std::find(others_.begin(), others_.end(), c) == others_.end()) others_.push_back(c);
}

WaitingThreads::WaitingThreads(SmContext& sm, GroupingUnit& grouping, const Rendezvous& meetings)
    : contexts_(sm.contexts), grouping_(grouping), meetings_(meetings), contexts_of_(grouping.traits().contexts) {}

void WaitingThreads::changed(ContextId c) {
  // A block barrier may need every thread; a meeting needs only those it names.
  const bool at_barrier = contexts_[c].threads.intersects(contexts_.at_barrier[contexts_[c].warp]);
  grouping_.waiting_changed(c, at_barrier ? ThreadSet::everything() : awaited_by(c));
}

void WaitingThreads::ended(ContextId c) {
  changed(c);
  contexts_of_[contexts_[c].warp].for_each([this](ContextId other) { contexts_.changed.set(other); });
}

ThreadSet WaitingThreads::awaited_by(ContextId c) const {
  const std::uint32_t first = grouping_.first_thread(c) / isa::kWordThreads;
  const unsigned shift = grouping_.first_thread(c) % isa::kWordThreads;
  // Other warps of the block meet as well, and a narrow warp shares its ISA warp with others.
  const unsigned span = grouping_.traits().span;
  const std::uint32_t own = span < isa::kWordThreads ? (1u << span) - 1 : ~0u;
  ThreadSet awaited;
  for (const Rendezvous::Meeting& meeting : meetings_.open()) {
    const isa::WarpState& warp = *meeting.warp;
    if (warp.block->slot != contexts_[c].block || warp.index < first) continue;
    const std::uint32_t word = warp.index - first;
    if (word * isa::kWordThreads >= span) continue;
    awaited.set_word32(word, awaited.word32(word) | (Rendezvous::missing(meeting) >> shift & own));
  }
  return awaited;
}

}  // namespace heddle::sm
