// SPDX-License-Identifier: Apache-2.0
#include "memory/cache/miss_table.h"

#include <bit>

#include "core/unit.h"

namespace heddle::memory {

void MissTableParameters::describe(ParameterVisitor& v) {
  v("entries", entries, "sectors that may be outstanding, each with an entry; 0: no limit", unit::kEntries,
    range(0, 65536));
  v("requests_per_entry", requests_per_entry,
    "requests that may wait in one entry for its sector, including the first; 0: no limit", unit::kRequests,
    range(0, 65536));
  v("merge_across_owners", merge_across_owners,
    "whether requests of different warps share an entry; otherwise each warp sends its own request below", unit::kNone,
    {}, "docs/sources/dynamic-warp-resizing.md, 2.3 (inter-warp merging)");
}

MissTable::MissTable(const MissTableParameters& parameters) : parameters_(parameters) {
  const unsigned expected = parameters_.entries == 0 ? 256 : parameters_.entries;
  const std::size_t buckets = std::bit_ceil(2 * std::size_t{expected});
  buckets_.assign(buckets, kNone);
  bucket_shift_ = 64 - static_cast<unsigned>(std::countr_zero(buckets));
  entries_.reserve(expected);
  waiters_.reserve(std::size_t{expected} * 2);
}

MissTable::Entry MissTable::allocate(std::uint64_t sector, Requester owner) {
  Entry entry = free_entry_;
  if (entry != kNone) {
    free_entry_ = entries_[entry].next_in_bucket;
  } else {
    entry = static_cast<Entry>(entries_.size());
    entries_.emplace_back();
  }
  Slot& slot = entries_[entry];
  Entry& bucket = buckets_[bucket_of(sector)];
  slot = {sector, owner, 0, kNone, kNone, bucket};
  bucket = entry;
  ++used_;
  return entry;
}

void MissTable::add(Entry entry, std::uint32_t request) {
  std::uint32_t waiter = free_waiter_;
  if (waiter != kNone) {
    free_waiter_ = waiters_[waiter].next;
  } else {
    waiter = static_cast<std::uint32_t>(waiters_.size());
    waiters_.emplace_back();
  }
  waiters_[waiter] = {request, kNone};
  Slot& slot = entries_[entry];
  if (slot.last == kNone) {
    slot.first = waiter;
  } else {
    waiters_[slot.last].next = waiter;
  }
  slot.last = waiter;
  ++slot.requests;
}

void MissTable::release(Entry entry) {
  Slot& slot = entries_[entry];
  Entry* link = &buckets_[bucket_of(slot.sector)];
  while (*link != entry) link = &entries_[*link].next_in_bucket;
  *link = slot.next_in_bucket;
  slot.next_in_bucket = free_entry_;
  free_entry_ = entry;
  --used_;
}

}  // namespace heddle::memory
