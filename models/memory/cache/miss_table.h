// SPDX-License-Identifier: Apache-2.0
// Outstanding misses (MSHRs): one entry per sector requested from below, with the requests merged into it. Requests
// that find no room stay with the caller, which is resumed when an entry frees; nothing is polled.
#pragma once

#include <cstdint>
#include <vector>

#include "core/config/parameters.h"
#include "core/requester.h"

namespace heddle::memory {

struct MissTableParameters {
  unsigned entries = 64;
  unsigned requests_per_entry = 8;
  bool merge_across_owners = true;

  void describe(ParameterVisitor& v);
};

class MissTable {
 public:
  using Entry = std::uint32_t;
  static constexpr Entry kNone = ~Entry{0};

  explicit MissTable(const MissTableParameters& parameters);

  /// The entry that a request by `owner` for a sector could merge into, or kNone.
  Entry find(std::uint64_t sector, Requester owner) const {
    for (Entry entry = buckets_[bucket_of(sector)]; entry != kNone; entry = entries_[entry].next_in_bucket) {
      const Slot& slot = entries_[entry];
      if (slot.sector == sector && (parameters_.merge_across_owners || slot.owner == owner)) return entry;
    }
    return kNone;
  }
  /// Free entries, or a large number if unlimited.
  unsigned free_entries() const { return parameters_.entries == 0 ? ~0U : parameters_.entries - used_; }
  bool can_merge(Entry entry) const {
    return parameters_.requests_per_entry == 0 || entries_[entry].requests < parameters_.requests_per_entry;
  }
  /// Allocates an entry without requests. free_entries() > 0.
  Entry allocate(std::uint64_t sector, Requester owner);
  /// Adds a request to an entry; can_merge(entry). request: the caller's identifier for it.
  void add(Entry entry, std::uint32_t request);
  /// Frees an entry after visiting its requests in the order they were added.
  template <typename Visit>
  void complete(Entry entry, Visit&& visit) {
    std::uint32_t waiter = entries_[entry].first;
    release(entry);
    while (waiter != kNone) {
      const std::uint32_t next = waiters_[waiter].next;
      const std::uint32_t request = waiters_[waiter].request;
      waiters_[waiter].next = free_waiter_;
      free_waiter_ = waiter;
      visit(request);
      waiter = next;
    }
  }
  std::uint64_t sector(Entry entry) const { return entries_[entry].sector; }
  unsigned used() const { return used_; }
  unsigned requests(Entry entry) const { return entries_[entry].requests; }
  const MissTableParameters& parameters() const { return parameters_; }

 private:
  struct Slot {
    std::uint64_t sector = 0;
    Requester owner;
    std::uint32_t requests = 0;
    std::uint32_t first = kNone, last = kNone;  // waiters
    Entry next_in_bucket = kNone;               // in the bucket or the free list
  };
  struct Waiter {
    std::uint32_t request = 0;
    std::uint32_t next = kNone;
  };

  std::size_t bucket_of(std::uint64_t sector) const {
    return static_cast<std::size_t>((sector * 0x9e3779b97f4a7c15U) >> bucket_shift_);
  }
  void release(Entry entry);

  MissTableParameters parameters_;
  unsigned bucket_shift_ = 0;
  unsigned used_ = 0;
  Entry free_entry_ = kNone;
  std::uint32_t free_waiter_ = kNone;
  std::vector<Slot> entries_;
  std::vector<Waiter> waiters_;
  std::vector<Entry> buckets_;
};

}  // namespace heddle::memory
