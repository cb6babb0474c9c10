// SPDX-License-Identifier: Apache-2.0
#include "sm/grouping/interweaving/cold_contexts.h"

#include <algorithm>

namespace heddle::sm {

ColdContexts::ColdContexts(const ColdShape& shape, const WaitingSplits& waiting)
    : shape_(shape),
      waiting_(waiting),
      rows_(shape.exact ? 0 : shape.entries),
      heads_(shape.warps, kNone),
      wants_sorting_(shape.warps) {
  for (std::size_t n = rows_.size(); n-- != 0;) {
    rows_[n].next = free_;
    free_ = static_cast<std::uint16_t>(n);
  }
}

std::uint16_t ColdContexts::allocate() {
  // A table without a free row continues in memory.
  const bool spills = free_ == kNone && !shape_.exact;
  if (spills) ++counts_.overflows;
  std::uint16_t& list = spills ? free_in_memory_ : free_;
  if (list == kNone) {
    rows_.emplace_back();
    list = static_cast<std::uint16_t>(rows_.size() - 1);
  }
  const std::uint16_t row = list;
  list = rows_[row].next;
  rows_[row] = {.context = {}, .next = kNone, .unsorted = false, .used = true};
  counts_.most_used = std::max(counts_.most_used, ++used_);
  return row;
}

void ColdContexts::release(std::uint16_t row) {
  --used_;
  std::uint16_t& list = row >= shape_.entries && !shape_.exact ? free_in_memory_ : free_;
  rows_[row] = {};
  rows_[row].next = list;
  list = row;
}

bool ColdContexts::merges(WarpId warp, const SplitContext& a, const SplitContext& b) const {
  return a.pc == b.pc && waiting_.waits(warp, a.threads) == waiting_.waits(warp, b.threads);
}

void ColdContexts::push(WarpId warp, const SplitContext& context) {
  ++counts_.pushes;
  if (shape_.exact) {
    insert_sorted(warp, context);
    return;
  }
  abort(warp);
  const std::uint16_t row = allocate();
  rows_[row].context = context;
  rows_[row].context.fixed = false;
  rows_[row].next = heads_[warp];
  rows_[row].unsorted = true;
  heads_[warp] = row;
  note_head(warp);
}

void ColdContexts::insert_sorted(WarpId warp, const SplitContext& context) {
  std::uint16_t before = kNone;
  for (std::uint16_t n = heads_[warp]; n != kNone && rows_[n].context.pc <= context.pc; n = rows_[n].next) {
    if (merges(warp, rows_[n].context, context)) {
      rows_[n].context.threads |= context.threads;
      ++counts_.merges;
      return;
    }
    before = n;
  }
  const std::uint16_t row = allocate();
  rows_[row].context = context;
  rows_[row].context.fixed = false;
  std::uint16_t& link = before == kNone ? heads_[warp] : rows_[before].next;
  rows_[row].next = link;
  link = row;
}

const SplitContext* ColdContexts::head(WarpId warp) const {
  return heads_[warp] == kNone ? nullptr : &rows_[heads_[warp]].context;
}

const SplitContext* ColdContexts::first_free(WarpId warp) const {
  for (std::uint16_t n = heads_[warp]; n != kNone; n = rows_[n].next) {
    if (!waiting_.waits(warp, rows_[n].context.threads)) return &rows_[n].context;
  }
  return nullptr;
}

SplitContext ColdContexts::take(WarpId warp, const SplitContext* context) {
  abort(warp);
  ++counts_.takes;
  std::uint16_t before = kNone, row = heads_[warp];
  while (&rows_[row].context != context) {
    before = row;
    row = rows_[row].next;
  }
  // Several contexts in the order of their pushes are a stack.
  if (rows_[row].unsorted && rows_[row].next != kNone) ++counts_.degraded;
  const SplitContext taken = rows_[row].context;
  (before == kNone ? heads_[warp] : rows_[before].next) = rows_[row].next;
  release(row);
  note_head(warp);
  return taken;
}

unsigned ColdContexts::length(WarpId warp) const {
  unsigned length = 0;
  for_each(warp, [&](const SplitContext&) { ++length; });
  return length;
}

void ColdContexts::note_head(WarpId warp) {
  const std::uint16_t head = heads_[warp];
  if (head != kNone && rows_[head].next == kNone) rows_[head].unsorted = false;
  const bool wants = head != kNone && rows_[head].unsorted;
  if (wants != wants_sorting_[warp]) unsorted_ += wants ? 1 : -1;
  wants_sorting_[warp] = wants;
}

void ColdContexts::abort(WarpId warp) {
  if (!walking_ || warp_ != warp) return;
  walking_ = false;
  ++counts_.aborts;
}

void ColdContexts::cycle() {
  if (!busy()) return;
  ++counts_.sort_cycles;
  if (!walking_) {
    // Warps in turn.
    do {
      last_ = (last_ + 1) % shape_.warps;
    } while (!wants_sorting_[last_]);
    warp_ = last_;
    walking_ = true;
    before_ = heads_[warp_];
    wait_ = shape_.walk_cycles;
    return;
  }
  if (--wait_ != 0) return;
  wait_ = shape_.walk_cycles;
  const WarpId warp(warp_);
  const std::uint16_t head = heads_[warp];
  const std::uint16_t next = rows_[before_].next;
  const SplitContext& key = rows_[head].context;
  if (next != kNone && rows_[next].context.pc <= key.pc && !merges(warp, rows_[next].context, key)) {
    before_ = next;
    return;
  }
  walking_ = false;
  if (next != kNone && merges(warp, rows_[next].context, key)) {
    rows_[next].context.threads |= key.threads;
    ++counts_.merges;
    heads_[warp] = rows_[head].next;
    release(head);
  } else {
    rows_[head].unsorted = false;
    if (before_ != head) {
      heads_[warp] = rows_[head].next;
      rows_[head].next = next;
      rows_[before_].next = head;
    }
  }
  note_head(warp);
}

}  // namespace heddle::sm
