// SPDX-License-Identifier: Apache-2.0
// The outstanding misses of a cache (its MSHRs): for each, the requests that wait for the sector and the request below
// that fetches it.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "memory/cache/miss_table.h"
#include "memory/cache/tag_array.h"

namespace heddle::memory {

class OutstandingMisses {
 public:
  using Entry = MissTable::Entry;
  static constexpr std::uint32_t kNobody = ~std::uint32_t{0};

  explicit OutstandingMisses(const MissTableParameters& parameters) : table_(parameters) {}

  unsigned used() const { return table_.used(); }
  /// Free entries, or a large number if unlimited.
  unsigned free_entries() const { return table_.free_entries(); }

  /// State of the absent sectors of a line.
  struct Found {
    SectorMask fresh = 0;           ///< not yet requested
    Entry full = MissTable::kNone;  ///< outstanding, but cannot merge another request
  };
  Found find(std::uint64_t first_sector, SectorMask absent, Requester requester) const {
    Found found;
    for (SectorMask rest = absent; rest != 0; rest &= rest - 1) {
      const auto sector = static_cast<unsigned>(std::countr_zero(rest));
      const Entry entry = table_.find(first_sector + sector, requester);
      if (entry == MissTable::kNone) {
        found.fresh |= SectorMask{1} << sector;
      } else if (!table_.can_merge(entry)) {
        found.full = entry;
        return found;
      }
    }
    return found;
  }
  /// Whether one of these sectors is outstanding for the requester.
  bool any_under_way(std::uint64_t first_sector, SectorMask sectors, Requester requester) const {
    for (SectorMask rest = sectors; rest != 0; rest &= rest - 1) {
      if (table_.find(first_sector + static_cast<unsigned>(std::countr_zero(rest)), requester) != MissTable::kNone)
        return true;
    }
    return false;
  }
  /// Merges a request into outstanding misses; find() must have found all of them, none full. visit(below) receives the
  /// request below that fetches each.
  template <typename Visit>
  void merge(std::uint64_t first_sector, SectorMask sectors, Requester requester, std::uint32_t waiting,
             Visit&& visit) {
    for (SectorMask rest = sectors; rest != 0; rest &= rest - 1) {
      const Entry entry = table_.find(first_sector + static_cast<unsigned>(std::countr_zero(rest)), requester);
      table_.add(entry, waiting);
      visit(below_[entry]);
    }
  }
  /// Allocates entries for fresh sectors fetched by one request below; at most free_entries(). waiting: the request
  /// that waits, or kNobody.
  void begin(std::uint64_t first_sector, SectorMask sectors, Requester requester, std::uint32_t waiting,
             std::uint32_t below) {
    for (SectorMask rest = sectors; rest != 0; rest &= rest - 1) {
      const Entry entry = table_.allocate(first_sector + static_cast<unsigned>(std::countr_zero(rest)), requester);
      if (waiting != kNobody) table_.add(entry, waiting);
      if (entry >= below_.size()) below_.resize(entry + 1);
      below_[entry] = below;
    }
  }
  /// A sector arrived. visit(waiting): the requests that waited for it, in order. Returns its entry, now free.
  template <typename Visit>
  Entry end(std::uint64_t sector, Requester requester, Visit&& visit) {
    const Entry entry = table_.find(sector, requester);
    table_.complete(entry, std::forward<Visit>(visit));
    return entry;
  }

 private:
  MissTable table_;
  std::vector<std::uint32_t> below_;  // by entry
};

}  // namespace heddle::memory
