// SPDX-License-Identifier: Apache-2.0
#include "memory/dram_queue.h"

namespace heddle::memory {

DramQueue::Id DramQueue::add(DramRequest request) {
  Id id = free_;
  if (id != kNone) {
    free_ = slots_[id].next;
  } else {
    id = static_cast<Id>(slots_.size());
    slots_.emplace_back();
  }
  request.order = entered_++;
  List& list = lists_[request.bank];
  slots_[id] = {request, kNone, list.last};
  if (list.last == kNone) {
    list.first = id;
  } else {
    slots_[list.last].next = id;
  }
  list.last = id;
  ++size_;
  return id;
}

void DramQueue::remove(Id id) {
  Slot& slot = slots_[id];
  List& list = lists_[slot.request.bank];
  (slot.previous == kNone ? list.first : slots_[slot.previous].next) = slot.next;
  (slot.next == kNone ? list.last : slots_[slot.next].previous) = slot.previous;
  slot.next = free_;
  free_ = id;
  --size_;
}

}  // namespace heddle::memory
