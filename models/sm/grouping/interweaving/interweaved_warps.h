// SPDX-License-Identifier: Apache-2.0
// Wide warps whose splits are interweaved: every warp has one or two hot splits that can issue, and any number behind
// them. Base of branch interweaving, warp interweaving and both.
// Source: docs/sources/branch-and-warp-interweaving.md.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "core/kernel/level.h"
#include "sm/grouping/interweaving/context_tables.h"
#include "sm/grouping/interweaving/parameters.h"
#include "sm/grouping/split_heap.h"
#include "sm/grouping/warp_slots.h"

namespace heddle::sm {

class InterweavedWarps : public GroupingUnit, public WaitingSplits {
 public:
  struct Options {
    unsigned hot = 2;  ///< hot splits per warp: 1 or 2
    TableParameters tables;
    SplitParameters splits;
    RowParameters row;
    bool constraints = false;
  };
  static GroupingTraits traits_for(unsigned hot, const GroupingShape& shape);

  /// Throws Error(kConfiguration) if warps have more than 64 threads or there are more than 64 contexts.
  InterweavedWarps(const Options& options, const GroupingShape& shape, ContextTable& table);
  ~InterweavedWarps() override;

  void build(SmSite& site) override;
  void subscribe(SmEvents& events) override;
  void declare_state(ModuleState& state) override;

  void launch(const Placement& placement) override;
  void release(BlockSlot block_slot) override { slots_.release(block_slot); }
  LanePlan lanes(ContextId context, const isa::MicroOp& op, const ThreadSet& threads) const override;
  void advanced(ContextId context) override;
  void branched(ContextId context, const isa::MicroOp& op, const std::vector<Path>& paths) override;
  void exited(ContextId context, const ThreadSet& threads) override;
  bool begin_cycle() override;
  void waiting_changed(ContextId context, const ThreadSet& awaited) override;
  bool part_waiting(ContextId context, const ThreadSet& waiting) override;
  void waiting_paths(ContextId context, std::vector<Path>& paths) const override;

  bool waits(WarpId warp, std::uint64_t threads) const override;

  // -- for the schemes
  SmSite& site() const { return *site_; }
  unsigned warps() const { return warps_; }
  unsigned hot() const { return options_.hot; }
  const SplitParameters& split_parameters() const { return options_.splits; }
  bool shares_rows() const { return options_.row.segmented_registers; }
  /// The hot contexts with the second lowest program counter of their warp.
  const ContextSet& secondaries() const { return secondaries_; }
  /// All contexts of a warp.
  ContextSet contexts_of(WarpId warp) const;
  /// Lanes of the context's threads.
  std::uint64_t lanes_of(ContextId context) const;
  /// Whether the instruction may split its warp.
  bool may_split(const isa::MicroOp& op) const;
  /// Whether the context's instruction must not issue because there is no row for a split that it may cause. Time
  /// counts while it is asked every cycle.
  bool lacks_row(ContextId context, const isa::MicroOp& op, Cycle now);
  /// A memory instruction is about to issue for some of its context's threads only: `rest` stays behind, as a split of
  /// its own once the memory stage has coalesced the access. Call before the packet issues.
  void will_split(ContextId context, const ThreadSet& rest) { rest_[context] = rest.word(0); }
  /// Whether the context is at a reconvergence point whose marker it has not issued; marks it as issued.
  bool takes_marker(ContextId context);
  /// Sorts the contexts of the warps that have changed in this cycle. Call at the end of a scheme's cycle.
  void settle();

 protected:
  const GroupingShape shape_;
  const Options options_;

 private:
  WarpId warp_of(ContextId context) const { return WarpId(context / options_.hot); }
  ContextId context_of(WarpId warp, unsigned slot) const { return ContextId(warp * options_.hot + place_[warp][slot]); }
  unsigned slot_of(ContextId context) const;
  std::uint64_t threads_of(ContextId context) const { return table_[context].threads.word(0); }
  bool pinned(ContextId context) const {
    return table_.valid.test(context) &&
           (table_.branch.test(context) || table_.in_sequence.test(context) || splitting_.test(context));
  }
  void put(ContextId context, std::uint32_t pc, std::uint64_t threads);
  /// Threads begin at a PC, apart from their context.
  void add_split(WarpId warp, std::uint32_t pc, std::uint64_t threads);
  /// Threads of the warp have moved on: those set apart because of them come back.
  void moved(WarpId warp, std::uint64_t threads);
  void finish_memory_splits();
  void settle(WarpId warp, const SplitContext& fresh);
  void publish(WarpId warp, const std::array<std::uint8_t, 2>& sources);
  bool suspended(WarpId warp) const;
  void check(WarpId warp) const;

  struct NewSplit {
    WarpId warp;
    std::uint32_t pc;
    std::uint64_t threads;
  };
  /// Threads that wait at a collective, until one of the threads `before` that were with them has moved on.
  struct Apart {
    WarpId warp;
    std::uint32_t pc;
    std::uint64_t threads, before;
  };

  const unsigned warps_;
  WarpSlots slots_;
  std::unique_ptr<ColdContextTable> cold_table_;
  std::unique_ptr<HotContextTable> hot_table_;
  HotContextCall* hot_ = nullptr;
  ColdContextCall* cold_ = nullptr;
  std::vector<std::array<std::uint8_t, 2>> place_;  ///< by warp and slot: number of the context within the warp
  std::vector<std::uint64_t> age_;                  ///< by warp
  std::vector<unsigned> key_;                       ///< by warp: of its lane permutation
  std::vector<std::uint64_t> awaited_;              ///< by warp: threads without which others cannot go on
  std::uint64_t next_age_ = 0;
  ContextSet secondaries_;
  ContextSet dirty_;  ///< warps whose contexts have changed
  std::deque<NewSplit> new_splits_;
  std::vector<Apart> apart_;
  // Splits at memory.
  std::array<std::uint64_t, kMaxContexts> rest_{};  ///< threads that the issuing packet leaves behind
  std::array<std::uint64_t, kMaxContexts> split_issue_{};
  ContextSet splitting_;  ///< contexts whose access has not been coalesced yet
  std::unique_ptr<Level<std::vector<std::uint64_t>>> coalesced_;
  Cycle coalesced_at_ = kNever;
  SmSite* site_ = nullptr;
  // Rows of the cold table.
  std::array<Cycle, kMaxContexts> lacks_since_{};
  ContextSet lacking_;
  ContextSet marked_;  ///< contexts that have issued the marker of their reconvergence point
  bool checked_heap_;
  std::vector<SplitHeap> reference_;  ///< by warp; empty unless checked
  std::optional<StatisticsGroup> group_;
  std::optional<Counter> memory_splits_, suspended_cycles_, full_waits_;
};

}  // namespace heddle::sm
