// SPDX-License-Identifier: Apache-2.0
// Where the cycles went: every issue slot of every cycle is charged to exactly one cause. Mechanisms register causes of
// their own; the charges add up to slots x cycles, which is checked when results are written.
//
//   SlotAccount slots_{group, 2};                                                     // two issue slots a cycle
//   CauseId issued_ = slots_.cause("issued", "an instruction issued");
//   slots_.begin_cycle(); slots_.charge(issued_); slots_.charge_rest(no_warp_);       // each cycle
//   slots_.idle(cycles, no_warp_);                                                    // cycles the clock gate skipped
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "core/statistics.h"

namespace heddle {

/// A cause, as its number within one account.
enum class CauseId : std::uint32_t {};

class SlotAccount {
 public:
  /// Counters go below `group` as "slots.<cause>". slots: issue slots a cycle, 1 or more.
  SlotAccount(const StatisticsGroup& group, unsigned slots);

  /// name: a word, unique in the account; registering one again returns the same cause. At construction only.
  CauseId cause(const std::string& name, const std::string& sentence);
  unsigned slots() const { return slots_; }
  /// Cycles accounted for, for rates.
  const Counter& cycles() const { return cycles_; }

  void begin_cycle() {
    ++cycles_;
    left_ = slots_;
  }
  /// Slots of this cycle not charged yet.
  unsigned left() const { return left_; }
  /// Charges `count` of this cycle's slots; count <= left().
  void charge(CauseId id, unsigned count = 1) {
    causes_[static_cast<std::uint32_t>(id)] += count;
    left_ -= count;
  }
  void charge_rest(CauseId id) { charge(id, left_); }
  /// Whole cycles in which nothing could be done, all their slots to one cause.
  void idle(std::uint64_t cycles, CauseId id) {
    cycles_ += cycles;
    causes_[static_cast<std::uint32_t>(id)] += cycles * slots_;
  }

  /// As idle(), with a cause for each slot; causes.size() == slots().
  void idle(std::uint64_t cycles, const std::vector<CauseId>& causes) {
    cycles_ += cycles;
    for (CauseId id : causes) causes_[static_cast<std::uint32_t>(id)] += cycles;
  }

  /// Sum of all charges minus slots x cycles: 0 in a right model.
  std::int64_t imbalance() const;
  /// Fails (kInternal) when the charges do not add up, naming the account and the difference.
  void check() const;
  /// Names of the causes by number, for waveforms.
  const std::vector<std::string>& names() const { return names_; }

 private:
  StatisticsGroup group_;
  unsigned slots_, left_ = 0;
  Counter cycles_;
  std::deque<Counter> causes_;
  std::vector<std::string> names_;
};

}  // namespace heddle
