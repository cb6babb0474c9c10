// SPDX-License-Identifier: Apache-2.0
// The cold contexts of an SM: splits that wait behind the hot contexts of their warp, in one linked list per warp, and
// a sorter that works through one list at a time beside the pipeline. Source:
// docs/sources/branch-and-warp-interweaving.md, 2.6. Logic only.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/identifier.h"
#include "sm/grouping/interweaving/context_sorter.h"
#include "sm/packet.h"

namespace heddle::sm {

/// Whether a split of these threads waits for others: at a barrier or a meeting.
class WaitingSplits {
 public:
  virtual ~WaitingSplits() = default;
  virtual bool waits(WarpId warp, std::uint64_t threads) const = 0;
};

/// What the hot contexts need of the cold ones.
class ColdStore {
 public:
  virtual ~ColdStore() = default;
  /// Links a context at the head of the warp's list.
  virtual void push(WarpId warp, const SplitContext& context) = 0;
  /// The warp's first context, or the first that does not wait; null: none.
  virtual const SplitContext* head(WarpId warp) const = 0;
  virtual const SplitContext* first_free(WarpId warp) const = 0;
  /// Removes the context, which head() or first_free() returned.
  virtual SplitContext take(WarpId warp, const SplitContext* context) = 0;
  /// No row is free, so the next push goes to memory.
  virtual bool full() const = 0;
};

struct ColdShape {
  unsigned warps = 16;
  unsigned entries = 128;    ///< rows, shared by all warps
  unsigned walk_cycles = 1;  ///< of the sorter, per context passed
  /// Lists are always sorted and unbounded: the reference.
  bool exact = false;
};

class ColdContexts final : public ColdStore {
 public:
  static constexpr std::uint16_t kNone = 0xffff;

  /// waiting: must outlive this.
  ColdContexts(const ColdShape& shape, const WaitingSplits& waiting);

  void push(WarpId warp, const SplitContext& context) override;
  const SplitContext* head(WarpId warp) const override;
  const SplitContext* first_free(WarpId warp) const override;
  SplitContext take(WarpId warp, const SplitContext* context) override;
  bool full() const override { return !shape_.exact && free_ == kNone; }

  /// One cycle of the sorter.
  void cycle();
  /// Whether the sorter has work.
  bool busy() const { return walking_ || unsorted_ != 0; }

  template <typename Visit>
  void for_each(WarpId warp, Visit&& visit) const {
    for (std::uint16_t n = heads_[warp]; n != kNone; n = rows_[n].next) visit(rows_[n].context);
  }
  unsigned used() const { return used_; }
  unsigned length(WarpId warp) const;

  /// A row: a context and the next row of its list, or of the free list.
  struct Row {
    SplitContext context;
    std::uint16_t next = kNone;
    bool unsorted = false;  ///< pushed, and not yet looked at by the sorter
    bool used = false;
  };
  /// Rows beyond the table's are in memory.
  const std::vector<Row>& rows() const { return rows_; }
  std::uint16_t head_row(WarpId warp) const { return heads_[warp]; }
  /// Warp whose list the sorter walks; the number of warps: none.
  unsigned walked() const { return walking_ ? warp_ : shape_.warps; }

  struct Counts {
    std::uint64_t pushes = 0, takes = 0, merges = 0, sort_cycles = 0, aborts = 0, degraded = 0, overflows = 0;
    unsigned most_used = 0;
  };
  const Counts& counts() const { return counts_; }

 private:
  std::uint16_t allocate();
  void release(std::uint16_t row);
  void insert_sorted(WarpId warp, const SplitContext& context);
  void abort(WarpId warp);
  /// The warp's list has a new head.
  void note_head(WarpId warp);
  bool merges(WarpId warp, const SplitContext& a, const SplitContext& b) const;

  const ColdShape shape_;
  const WaitingSplits& waiting_;
  std::vector<Row> rows_;
  std::vector<std::uint16_t> heads_;                     ///< by warp
  std::uint16_t free_ = kNone, free_in_memory_ = kNone;  ///< first of the free rows
  unsigned used_ = 0;
  // The sorter.
  std::vector<bool> wants_sorting_;  ///< by warp: its head is unsorted and has a successor
  unsigned unsorted_ = 0;            ///< number of those
  bool walking_ = false;
  unsigned warp_ = 0, last_ = 0;
  std::uint16_t before_ = kNone;  ///< row after which the head may belong
  unsigned wait_ = 0;
  Counts counts_;
};

}  // namespace heddle::sm
