// SPDX-License-Identifier: Apache-2.0
// A slice of the SM: some of the lanes, with a front end, a warp mask and a scheduler of their own, which the warp
// ganging unit overrides for warps in gangs. The schedulers are the slot's order policy and the fetch scheme; hazards
// are in the SM's tracker, by warp.
// Source: docs/sources/variable-warp-size.md, 2.4 and figure 6.5.
#pragma once

#include <memory>
#include <vector>

#include "core/kernel/call.h"
#include "core/kernel/instruction_store.h"
#include "sm/level_time.h"
#include "sm/sm_site.h"

namespace heddle::sm {

/// Slice to ganging unit.
class SliceSignals : public virtual sc_core::sc_interface {
 public:
  /// Signal 14: the PC on top of the warp's stack has changed other than to the next instruction, or the warp has
  /// begun or ceased to wait for others.
  virtual void pc_changed(unsigned slice, unsigned set) = 0;
};

/// Ganging unit to slice. set: the warp's slot in the slice.
class SliceOverrides : public virtual sc_core::sc_interface {
 public:
  /// The slice schedules the warp from now on, or no longer does.
  virtual void hand_over(unsigned set, bool alone) = 0;
  /// Counts the cycles before `until`.
  virtual void settle(Cycle until) = 0;
};

/// An instruction store of 32-byte lines in front of the instruction cache, direct-mapped, for the warps that its slice
/// schedules. The fetch scheme looks it up; only what misses is fetched through it.
class L0Store final : public sc_core::sc_module, private InstructionStore, private InstructionReturn {
 public:
  static constexpr unsigned kLineBytes = 32;
  /// bytes: a multiple of kLineBytes. charged_to: the grouping, for the storage cost.
  L0Store(sc_core::sc_module_name name, SmSite& site, const std::string& path, unsigned bytes,
          const std::string& charged_to);

  CallPort<InstructionStore> cache;
  CallExport<InstructionStore> look_ups;

  /// In the present cycle. What is filled in a cycle is there from the next.
  bool holds(std::uint64_t address);

 private:
  Answer look_up(std::uint64_t address, InstructionReturn& waiter) override;
  unsigned line_bytes() const override { return kLineBytes; }
  void line_filled(std::uint64_t line, Cycle from) override;
  void fill(std::uint64_t address, Cycle from);
  void take_fills();
  static std::uint64_t line_of(std::uint64_t address) { return address / kLineBytes; }

  static constexpr std::uint64_t kNoLine = ~std::uint64_t{0};
  std::vector<std::uint64_t> lines_;  ///< by row: number of the line, or kNoLine
  struct Fill {
    std::uint64_t line;
    Cycle from;
  };
  std::vector<Fill> fills_;  ///< that lines_ does not have yet
  struct Missing {
    std::uint64_t line;  ///< number, in lines of this store
    InstructionReturn* waiter;
  };
  std::vector<Missing> missing_;
  const ClockGate& gate_;
  ModuleState state_;
};

class Slice final : public sc_core::sc_module, private SliceOverrides {
 public:
  struct Shape {
    unsigned number = 0, slices = 8, sets = 32;
    unsigned l0_bytes = 0;  ///< 0: none
  };
  /// contexts: of the SM.
  Slice(sc_core::sc_module_name name, SmSite& site, const Shape& shape, const ContextTable& contexts,
        const std::string& charged_to);

  CallPort<SliceSignals> signals;
  CallExport<SliceOverrides> overrides;

  /// Null: none.
  L0Store* l0() { return l0_.get(); }
  /// The warp's PC has changed, as in SliceSignals::pc_changed().
  void changes_pc(unsigned set);
  /// Signal 4: the gang front end fetches for the warp. Signal 5: the warp issues with its gang. Called for each warp
  /// of each gang, so not through a port.
  void fetches(unsigned set) {
    if (shows()) state_.signals.fire(fetch_, set);
  }
  void issues(unsigned set) {
    ++ganged_;
    if (shows()) state_.signals.fire(issue_, set);
  }
  /// It has issued so many times with gangs while nobody watched.
  void issued_ganged(std::uint64_t times) { ganged_ += times; }
  /// Whether somebody watches its signals.
  bool shows() const { return state_.signals.on(); }
  /// The slice issues a warp on its own.
  void issued() { ++issued_; }
  /// A warp of the slice is to fetch. hit: from the L0 store.
  void fetched(bool hit) {
    ++fetches_;
    if (hit) ++l0_hits_;
  }

 private:
  void hand_over(unsigned set, bool alone) override;
  void settle(Cycle until) override { active_.settle(until); }
  /// One bit per warp that is a member of `contexts`.
  std::uint64_t warps_in(const ContextSet& contexts) const;

  const Shape shape_;
  const ClockGate& gate_;
  std::uint64_t mask_ = 0;  ///< warps that the slice schedules
  std::unique_ptr<L0Store> l0_;
  StatisticsGroup group_;
  Counter issued_, ganged_, fetches_, l0_hits_;
  LevelTime active_;
  ModuleState state_;
  ProbeGroup::SignalId fetch_, issue_, pc_change_;
};

}  // namespace heddle::sm
