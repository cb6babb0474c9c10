// SPDX-License-Identifier: Apache-2.0
// The warp ganging unit: keeps the gang table, compares PCs when a gang may have to split, splits gangs whose warps get
// their data apart, and merges gangs and single warps again. It tells the slices which warps are theirs.
//
// Its issue scheme (gang_slots.h) calls begin() once a cycle, so that all that happened in a cycle is seen at once.
// Source: docs/sources/variable-warp-size.md, 2.5 to 2.13.
#pragma once

#include <array>
#include <bit>
#include <memory>
#include <utility>
#include <vector>

#include "sm/grouping/ganging/gang_table.h"
#include "sm/grouping/ganging/parameters.h"
#include "sm/grouping/ganging/slice.h"
#include "sm/issue/issue_kit.h"

namespace heddle::sm {

class WarpGangingUnit final : public sc_core::sc_module, private SliceSignals {
 public:
  struct Shape {
    unsigned sets = 32, slices = 8;
  };
  WarpGangingUnit(sc_core::sc_module_name name, SmSite& site, const GangingParameters& parameters, const Shape& shape,
                  ContextTable& contexts, const std::string& charged_to);

  CallExport<SliceSignals> signals;
  /// Of each slice.
  CallPort<SliceOverrides>& slice(unsigned number) { return *slices_[number]; }

  // -- from the grouping
  /// A block starts in this set, with warps on these slices.
  void start(unsigned set, SliceMask live);
  /// A warp has issued, or its PC has changed.
  void moved_on(ContextId context) { stale_ |= std::uint64_t{1} << set_of(context); }
  /// The warp has reached a reconvergence point, and waits there for the others of its original gang.
  void hold(ContextId context);
  /// A warp of the set waits for others of the set: it may wait for one that is held.
  void let_go(unsigned set);
  /// Some warps of a gang have issued without the others: the gang is compared in the next cycle.
  void compare(unsigned set) { changed_ |= std::uint64_t{1} << set; }
  /// Counts the cycles before `until`.
  void settle(Cycle until);

  // -- a cycle of the scheme
  /// Splits and merges gangs. Call before anything is chosen.
  void begin(IssueKit& kit);
  /// The gangs that issue in this cycle, best first. candidates.free: slices that gangs may use; the rest is filled in
  /// for the entries in candidates.ready.
  GangPicks pick(const GangCandidates& candidates) { return issue_table_->pick(candidates); }
  /// The next cycle in which it has work even if no event occurs; kNever: none.
  Cycle next_event(Cycle now) const;

  const GangTable& table() const { return table_; }
  /// Sets with at least one gang, one bit each.
  std::uint64_t sets_with_gangs() const { return with_gangs_; }
  /// The warps that their slices schedule and that no split or merge keeps from issuing.
  const ContextSet& alone() const { return alone_; }
  /// All warps that their slices schedule.
  const ContextSet& single() const { return single_; }
  /// The warps that a split or merge in a recent cycle keeps from issuing.
  const ContextSet& regrouping() const { return settling_; }
  /// Sets whose gangs have changed since the last call, one bit each.
  std::uint64_t take_regrouped() { return std::exchange(regrouped_, 0); }

  /// A gang in words: "gang 5.0 c40-43".
  std::string name_of(unsigned set, unsigned way) const;

  unsigned set_of(ContextId context) const { return static_cast<unsigned>(context >> slice_bits_); }
  unsigned slice_of(ContextId context) const { return static_cast<unsigned>(context & (shape_.slices - 1)); }
  ContextId context_of(unsigned set, unsigned slice) const { return ContextId((set << slice_bits_) + slice); }
  SliceMask all_slices() const { return all_slices_; }
  /// The warps of a set that are members of `contexts`.
  SliceMask slices_in(const ContextSet& contexts, unsigned set) const {
    const unsigned first = set << slice_bits_;
    return static_cast<SliceMask>(contexts.word(first / 64) >> (first % 64) & all_slices());
  }
  /// Sets with a warp among `contexts`, one bit each.
  std::uint64_t sets_in(const ContextSet& contexts) const {
    return sets_where([&](unsigned w) { return contexts.word(w); });
  }
  /// Sets with a warp that is in one of the two only, one bit each.
  std::uint64_t sets_that_differ(const ContextSet& a, const ContextSet& b) const {
    return sets_where([&](unsigned w) { return a.word(w) ^ b.word(w); });
  }
  /// Slices with a warp among `contexts`.
  SliceMask slices_in(const ContextSet& contexts) const;
  const Shape& shape() const { return shape_; }

 private:
  void pc_changed(unsigned slice, unsigned set) override;
  /// Sets with a warp among those whose bits are word_of(w) in word w.
  template <typename WordOf>
  std::uint64_t sets_where(WordOf&& word_of) const {
    std::uint64_t sets = 0;
    const auto look = [&](std::size_t w) {
      if (const std::uint64_t word = word_of(w); word != 0)
        sets |= groups_of(word, shape_.slices) << (64 * w >> slice_bits_);
    };
    for (std::size_t w = 0; w < kFewWords; ++w) look(w);
    for (std::size_t w = kFewWords; w < words_; ++w) look(w);
    return sets;
  }

  /// Changes a set of the table and tells everybody.
  template <typename Change>
  void change(unsigned set, Change&& change);
  void split_by_pc(unsigned set);
  void split_on_memory(unsigned set);
  void reform(IssueKit& kit, unsigned set);
  void merge(IssueKit& kit, unsigned set, SliceMask parts);
  /// Parts begin with the same buffered instructions; if they differ, all are fetched again.
  void equalize_buffers(IssueKit& kit, unsigned set, SliceMask members);
  void release_holds();
  void end_hold(ContextId context);
  void finish_settling();
  void settle_for(unsigned set, SliceMask members, unsigned latency);
  /// What warps are compared by: PC, and whether the warp waits.
  std::uint64_t key_of(ContextId context) const;
  /// Whether the set may have parts to merge that were not compared since they moved.
  bool may_merge(unsigned set) const;
  void count_sizes(const GangSetState& before, const GangSetState& after);
  void check(unsigned set) const;
  /// Reports the sets that have changed to those who watch.
  void report(SmWatch& watch);
  void declare(const std::string& charged_to);

  const GangingParameters parameters_;
  const Shape shape_;
  const unsigned slice_bits_;  ///< the slices are a power of two
  const SliceMask all_slices_;
  /// Words of a set of contexts that are looked at without asking for their number, and that number.
  static constexpr std::size_t kFewWords = 4;
  const std::size_t words_;
  ContextTable& contexts_;
  const ClockGate& gate_;
  std::vector<std::unique_ptr<CallPort<SliceOverrides>>> slices_;
  std::unique_ptr<PcCoalescer> coalescer_;
  std::unique_ptr<GangIssueTable> issue_table_;
  GangTable table_;
  const bool checked_;

  std::uint64_t with_gangs_ = 0;  ///< sets with a gang
  std::uint64_t changed_ = 0;     ///< sets with a signal 14 that has not been looked at
  std::uint64_t stale_ = 0;       ///< sets that moved since they were compared for a merge
  std::uint64_t unreported_ = 0;  ///< sets that changed since the last report
  std::uint64_t regrouped_ = 0;   ///< sets that changed since take_regrouped()
  std::uint64_t in_parts_ = 0;    ///< sets with two or more gangs or single warps
  ContextSet alone_, single_;     ///< single warps without those that settle; all of them
  ContextSet settling_;
  std::array<Cycle, kMaxContexts> settled_at_{};  ///< by context: first cycle in which it may issue again
  std::uint64_t holding_ = 0;                     ///< sets with a warp that is held
  ContextSet held_;
  std::array<Cycle, kMaxContexts> held_until_{};

  StatisticsGroup group_;
  Counter compares_, control_splits_, memory_splits_, merges_, refetches_, holds_, timeouts_;
  std::vector<LevelTime> warps_in_;  ///< by size of gang, from 1
  ModuleState state_;
  ProbeGroup::SignalId split_, merge_;
};

inline SliceMask WarpGangingUnit::slices_in(const ContextSet& contexts) const {
  std::uint64_t all = 0;
  for (std::size_t w = 0; w < kFewWords; ++w) all |= contexts.word(w);
  for (std::size_t w = kFewWords; w < words_; ++w) all |= contexts.word(w);
  all |= all >> 32;
  all |= all >> 16;
  all |= all >> 8;
  for (unsigned half = 4; half >= shape_.slices; half /= 2) all |= all >> half;
  return static_cast<SliceMask>(all & all_slices());
}

}  // namespace heddle::sm
