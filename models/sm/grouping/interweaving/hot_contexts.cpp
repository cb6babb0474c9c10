// SPDX-License-Identifier: Apache-2.0
#include "sm/grouping/interweaving/hot_contexts.h"

#include <bit>

namespace heddle::sm {

HotContexts::Settled HotContexts::settle(WarpId warp, const SplitContext& fresh, const std::array<bool, 2>& pinned) {
  Work work{warp, rows_[warp], pinned, {{1, 2}, false}};
  if (fresh.valid && work.row[shape_.hot - 1].valid && waiting_.waits(warp, fresh.threads)) {
    cold_.push(warp, fresh);
    sort(work, {});
  } else {
    sort(work, fresh);
  }
  while (exchange(work)) {
    work.result.again = !shape_.exact;
    if (!shape_.exact) break;
  }
  return work.result;
}

void HotContexts::sort(Work& work, const SplitContext& fresh) {
  SorterRequest request{work.row[0], work.row[1], fresh};
  for (unsigned i = 0; i < 3; ++i) {
    // Threads that wait do not merge with others that come to the same place, which must arrive themselves.
    request[i].fixed = request[i].valid && ((i < 2 && work.pinned[i]) || waiting_.waits(work.warp, request[i].threads));
  }
  const SortedContexts sorted = sorter_.sort(request);
  ++counts_.sorts;
  std::array<std::uint8_t, 2> sources{};
  std::array<bool, 2> pinned{};
  for (unsigned i = 0; i < 3; ++i) {
    if (!sorted.contexts[i].valid) {
      if (i < shape_.hot) work.row[i] = {};
      continue;
    }
    if (std::popcount(sorted.sources[i]) > 1) ++counts_.merges;
    if (i >= shape_.hot) {
      cold_.push(work.warp, sorted.contexts[i]);
      continue;
    }
    work.row[i] = sorted.contexts[i];
    work.row[i].fixed = false;
    for (unsigned input = 0; input < 2; ++input) {
      if ((sorted.sources[i] >> input & 1) == 0) continue;
      sources[i] = static_cast<std::uint8_t>(sources[i] | work.result.sources[input]);
      pinned[i] = pinned[i] || work.pinned[input];
    }
    if ((sorted.sources[i] & 4) != 0) sources[i] |= 4;
  }
  work.result.sources = sources;
  work.pinned = pinned;
}

bool HotContexts::exchange(Work& work) {
  if (cold_.head(work.warp) == nullptr) return false;
  return fill(work) || swap(work) || rotate(work);
}

bool HotContexts::fill(Work& work) {
  if (work.row[shape_.hot - 1].valid) return false;
  const SplitContext* next = cold_.first_free(work.warp);
  // A warp all of whose threads wait shows one of its splits.
  if (next == nullptr && !work.row[0].valid) next = cold_.head(work.warp);
  if (next == nullptr) return false;
  sort(work, cold_.take(work.warp, next));
  return true;
}

bool HotContexts::swap(Work& work) {
  if (!shape_.head_swap && shape_.hot != 1) return false;
  const SplitContext* next = shape_.exact ? cold_.first_free(work.warp) : cold_.head(work.warp);
  if (next == nullptr || waiting_.waits(work.warp, next->threads)) return false;
  for (unsigned i = 0; i < shape_.hot; ++i) {
    const SplitContext& hot = work.row[i];
    if (hot.valid && !work.pinned[i] && hot.pc == next->pc && !waiting_.waits(work.warp, hot.threads)) {
      sort(work, cold_.take(work.warp, next));
      return true;
    }
  }
  const unsigned last = shape_.hot - 1;
  const unsigned leaves = work.pinned[last] ? 0 : last;
  if (work.pinned[leaves] || next->pc >= work.row[leaves].pc) return false;
  replace(work, leaves, next);
  ++counts_.swaps;
  return true;
}

bool HotContexts::rotate(Work& work) {
  for (unsigned i = shape_.hot; i-- != 0;) {
    if (!work.row[i].valid || work.pinned[i] || !waiting_.waits(work.warp, work.row[i].threads)) continue;
    const SplitContext* const next = cold_.first_free(work.warp);
    if (next == nullptr) return false;
    replace(work, i, next);
    ++counts_.rotations;
    return true;
  }
  return false;
}

void HotContexts::replace(Work& work, unsigned slot, const SplitContext* by) {
  const SplitContext coming = cold_.take(work.warp, by);
  const SplitContext leaving = work.row[slot];
  work.row[slot] = {};
  work.pinned[slot] = false;
  work.result.sources[slot] = 0;
  cold_.push(work.warp, leaving);
  sort(work, coming);
}

}  // namespace heddle::sm
