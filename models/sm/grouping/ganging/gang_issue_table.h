// SPDX-License-Identifier: Apache-2.0
// The gang table as the gang issue scheduler reads it, and the scheduler: which gangs issue together in a cycle. Entry
// e belongs to original gang e / kGangWays.
// Source: docs/sources/variable-warp-size.md, 2.5, 2.8, 3.2 and 8. Logic only.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "core/bits.h"
#include "core/config/mechanism.h"
#include "sm/grouping/ganging/gang_mask.h"

namespace heddle::sm {

using GangSet = Bits<kMaxGangs>;

/// Which gang issues first.
enum class GangOrder : std::uint8_t {
  big_then_oldest,     ///< the gang with most warps, then as greedy_then_oldest among gangs of that size
  greedy_then_oldest,  ///< the gang that issued last, then the oldest
  round_robin,         ///< the next entry after the one that issued last
  lowest_pc,           ///< the lowest program counter, then the oldest
  little_then_oldest,  ///< the gang with fewest warps, then as greedy_then_oldest among gangs of that size
};

struct GangIssueShape {
  unsigned sets = 32;   ///< original gangs: 1 .. kMaxGangSets
  unsigned slices = 8;  ///< 2 .. kMaxSlices
  unsigned gangs = 2;   ///< that issue per cycle at most: 1 .. kGangWays
  GangOrder order = GangOrder::big_then_oldest;
};

struct GangCandidates {
  GangSet ready;       ///< entries whose members can all issue in this cycle
  SliceMask free = 0;  ///< slices that gangs may use
  /// By entry: kind of memory access of its instruction, 1 .. 15; 0: not a memory access. The memory unit serves one
  /// kind per cycle.
  std::array<std::uint8_t, kMaxGangs> kinds{};
  std::array<std::uint32_t, kMaxGangs> pcs{};  ///< by entry; only read by lowest_pc
  bool operator==(const GangCandidates&) const = default;
};

struct GangPicks {
  unsigned count = 0;
  std::array<std::uint8_t, kGangWays> entries{};  ///< in order of choice; 0 beyond `count`
  bool operator==(const GangPicks&) const = default;
};

struct BlockSite;

/// Interface of the table, implemented by the model or RTL as chosen by the key sm.blocks.gang_issue.
class GangIssueTable {
 public:
  using MakeArguments = void(const GangIssueShape& shape, const BlockSite& site);
  virtual ~GangIssueTable() = default;
  /// The entry's gang consists of these warps from now on; 0: the entry is free. An entry that is freed is no longer
  /// the one that issued last.
  virtual void write(unsigned entry, SliceMask members) = 0;
  /// A block starts in this set, which becomes the youngest.
  virtual void start(unsigned set) = 0;
  /// Picks up to `gangs` gangs on distinct slices and with one kind of memory access: repeatedly the first in order of
  /// those that fit beside the ones picked before. They issue in this cycle.
  virtual GangPicks pick(const GangCandidates& candidates) = 0;
};

/// The model.
class GangIssueLogic {
 public:
  explicit GangIssueLogic(const GangIssueShape& shape);
  void write(unsigned entry, SliceMask members);
  void start(unsigned set);
  GangPicks pick(const GangCandidates& candidates);
  SliceMask members(unsigned entry) const { return members_[entry]; }

 private:
  /// Of the entries in both sets, the first one of the oldest original gang; kNone: none.
  unsigned oldest(const GangSet& left, const GangSet& some) const;
  /// The same of entries in so many words.
  template <std::size_t words>
  unsigned oldest_of(const GangSet& left, const GangSet& some) const;
  /// The first of the entries in `left`, in order, apart from greed.
  unsigned first(const GangCandidates& candidates, const GangSet& left) const;
  /// Removes the gangs that have a warp on one of these slices.
  void remove_on(SliceMask slices, GangSet& gangs) const {
    for_each_slice(slices, [&](unsigned s) { gangs -= on_slice_[s]; });
  }
  /// The entry that issues before others of this one's rank but for age; kNone: age decides.
  unsigned greedy_for(unsigned entry) const;
  /// Whether there are gangs that these slices could be enough for.
  bool any_fits(SliceMask slices) const {
    const bool one = (slices & (slices - 1)) == 0, singles = (sizes_in_use_ >> 1 & 1) != 0;
    return slices != 0 && (!one || singles);
  }

  static constexpr unsigned kNone = ~0u;
  const GangIssueShape shape_;
  std::array<SliceMask, kMaxGangs> members_{};
  std::array<GangSet, kMaxSlices> on_slice_;           ///< by slice: entries with a warp on it
  std::array<std::uint8_t, kMaxGangs> sizes_{};        ///< of members_
  std::array<GangSet, kMaxSlices + 1> of_size_;        ///< by size: entries of that size; none of 0
  unsigned sizes_in_use_ = 0;                          ///< sizes of which there are entries, one bit each
  std::array<GangSet, kMaxGangSets> older_;            ///< by set: entries of those that are older
  unsigned last_ = kNone;                              ///< entry that issued last
  std::array<unsigned, kMaxSlices + 1> last_of_size_;  ///< the same by size of gang
};

}  // namespace heddle::sm
