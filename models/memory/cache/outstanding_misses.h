// SPDX-License-Identifier: Apache-2.0
// The outstanding misses of a cache (its MSHRs) with what each knows: the requests that wait for the sector, and the
// request below that will bring it.
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
  /// Free entries, or a large number where there is no limit.
  unsigned free_entries() const { return table_.free_entries(); }

  /// What a request for absent sectors of a line finds.
  struct Found {
    SectorMask fresh = 0;           ///< nobody has asked for these yet
    Entry full = MissTable::kNone;  ///< on its way, but no further request may wait for it
  };
  Found find(std::uint64_t first_sector, SectorMask absent, std::uint32_t requester) const {
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
  /// Whether one of these sectors is on its way for the requester.
  bool any_under_way(std::uint64_t first_sector, SectorMask sectors, std::uint32_t requester) const {
    for (SectorMask rest = sectors; rest != 0; rest &= rest - 1) {
      if (table_.find(first_sector + static_cast<unsigned>(std::countr_zero(rest)), requester) != MissTable::kNone)
        return true;
    }
    return false;
  }
  /// A request joins the misses under way, all of which find() found and none full. visit(below): for each the request
  /// below that brings it.
  template <typename Visit>
  void merge(std::uint64_t first_sector, SectorMask sectors, std::uint32_t requester, std::uint32_t waiting,
             Visit&& visit) {
    for (SectorMask rest = sectors; rest != 0; rest &= rest - 1) {
      const Entry entry = table_.find(first_sector + static_cast<unsigned>(std::countr_zero(rest)), requester);
      table_.add(entry, waiting);
      visit(below_[entry]);
    }
  }
  /// Entries for fresh sectors that one request below brings; free_entries() of them. waiting: kNobody, or who waits.
  void begin(std::uint64_t first_sector, SectorMask sectors, std::uint32_t requester, std::uint32_t waiting,
             std::uint32_t below) {
    for (SectorMask rest = sectors; rest != 0; rest &= rest - 1) {
      const Entry entry = table_.allocate(first_sector + static_cast<unsigned>(std::countr_zero(rest)), requester);
      if (waiting != kNobody) table_.add(entry, waiting);
      if (entry >= below_.size()) below_.resize(entry + 1);
      below_[entry] = below;
    }
  }
  /// A sector came. visit(waiting): those that waited for it, in order. Returns its entry, which is free now.
  template <typename Visit>
  Entry end(std::uint64_t sector, std::uint32_t requester, Visit&& visit) {
    const Entry entry = table_.find(sector, requester);
    table_.complete(entry, std::forward<Visit>(visit));
    return entry;
  }

 private:
  MissTable table_;
  std::vector<std::uint32_t> below_;  // by entry
};

}  // namespace heddle::memory
