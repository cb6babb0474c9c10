// SPDX-License-Identifier: Apache-2.0
#include "memory/dram/dram_queue.h"

namespace heddle::memory {

DramQueue::Id DramQueue::add(DramRequest request, bool behind_writes) {
  Id id = free_;
  if (id != kNone) {
    free_ = slots_[id].next;
  } else {
    id = static_cast<Id>(slots_.size());
    slots_.emplace_back();
  }
  request.order = entered_++;
  const unsigned number = list(request.bank, request.write || behind_writes);
  request.shares = false;
  for (Id other = lists_[number >= banks_ ? number - banks_ : number + banks_].first; other != kNone && !split();
       other = slots_[other].next) {
    request.shares = request.shares || share_bursts(slots_[other].request, request);
  }
  List& joined = lists_[number];
  slots_[id] = {request, kNone, joined.last, number};
  if (joined.last == kNone) {
    joined.first = id;
  } else {
    slots_[joined.last].next = id;
  }
  joined.last = id;
  ++size_;
  if (number >= banks_) ++writes_;
  if (behind_writes) ++reads_behind_writes_;
  waiting_ |= bank_bit(request.bank);
  return id;
}

bool DramQueue::wants(unsigned bank, std::uint64_t row) const {
  for (const bool writes : {false, true}) {
    for (Id id = first(list(bank, writes)); id != kNone; id = next(id)) {
      if (slots_[id].request.row == row) return true;
    }
  }
  return false;
}

WriteOverlap DramQueue::overlap(const DramRequest& read) const {
  WriteOverlap found = WriteOverlap::none;
  for (Id id = first(list(read.bank, true)); id != kNone; id = next(id)) {
    const DramRequest& other = slots_[id].request;
    if (!share_bursts(other, read)) continue;
    const bool covers = other.write && other.whole && other.column <= read.column &&
                        read.column + read.bursts <= other.column + other.bursts;
    found = covers ? WriteOverlap::whole : WriteOverlap::partial;
  }
  return found;
}

DramQueue::Id DramQueue::oldest() const {
  Id oldest = kNone;
  for_each_bank(waiting_, [&](unsigned bank) {
    for (const bool writes : {false, true}) oldest = older(oldest, first(list(bank, writes)));
  });
  return oldest;
}

bool DramQueue::waits(Id id) const {
  const Slot& slot = slots_[id];
  for (Id other = lists_[slot.list >= banks_ ? slot.list - banks_ : slot.list + banks_].first; other != kNone;
       other = slots_[other].next) {
    const DramRequest& request = slots_[other].request;
    if (request.order > slot.request.order) return false;
    if (share_bursts(request, slot.request)) return true;
  }
  return false;
}

void DramQueue::remove(Id id) {
  Slot& slot = slots_[id];
  List& left = lists_[slot.list];
  (slot.previous == kNone ? left.first : slots_[slot.previous].next) = slot.next;
  (slot.next == kNone ? left.last : slots_[slot.next].previous) = slot.previous;
  slot.next = free_;
  free_ = id;
  --size_;
  if (slot.list >= banks_) --writes_;
  if (slot.list >= banks_ && !slot.request.write) --reads_behind_writes_;
  const unsigned bank = slot.request.bank;
  if (first(list(bank, false)) == kNone && first(list(bank, true)) == kNone) waiting_ &= ~bank_bit(bank);
}

}  // namespace heddle::memory
