// SPDX-License-Identifier: Apache-2.0
// Issue slot accounting: every issue slot of every cycle is charged to exactly one cause. Mechanisms may register their
// own causes. The charges must add up to slots x cycles, which is checked when results are written.
//
//   SlotAccount slots_{group, 2};                                                     // two issue slots per cycle
//   CauseId issued_ = slots_.cause("issued", "an instruction issued");
//   slots_.begin_cycle(); slots_.charge(issued_); slots_.charge_rest(no_warp_);       // each cycle
//   slots_.idle(cycles, no_warp_);                                                    // cycles the clock gate skipped
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/statistics/statistics.h"

namespace heddle {

/// A cause, identified by its index in one account.
enum class CauseId : std::uint32_t {};

class SlotAccount {
 public:
  /// Counters are registered in `group` as "slots.<cause>". slots: issue slots per cycle, at least 1.
  SlotAccount(const StatisticsGroup& group, unsigned slots);

  /// name: a word, unique in the account; registering one again returns the same cause. issues: a slot charged to it
  /// issued something, which its description says. At construction only.
  CauseId cause(const std::string& name, const std::string& sentence, bool issues = false);
  unsigned slots() const { return slots_; }
  /// Cycles accounted for, for rates.
  const Counter& cycles() const { return cycles_; }

  void begin_cycle() {
    ++cycles_;
    left_ = slots_;
  }
  /// Uncharged slots of this cycle.
  unsigned left() const { return left_; }
  /// Charges `count` of this cycle's slots; count <= left().
  void charge(CauseId id, unsigned count = 1) {
    causes_[static_cast<std::uint32_t>(id)] += count;
    left_ -= count;
  }
  void charge_rest(CauseId id) { charge(id, left_); }
  /// Charges all slots of whole idle cycles to one cause.
  void idle(std::uint64_t cycles, CauseId id) {
    cycles_ += cycles;
    causes_[static_cast<std::uint32_t>(id)] += cycles * slots_;
  }

  /// As idle(), with one cause per slot; causes.size() == slots().
  void idle(std::uint64_t cycles, const std::vector<CauseId>& causes) {
    cycles_ += cycles;
    for (CauseId id : causes) causes_[static_cast<std::uint32_t>(id)] += cycles;
  }

  /// Sum of all charges minus slots x cycles; 0 in a correct model.
  std::int64_t imbalance() const;
  /// Fails (kInternal) when the charges do not add up, naming the account and the difference.
  void check() const;
  /// Names of the causes by index, for waveforms.
  const std::vector<std::string>& names() const { return names_; }

 private:
  StatisticsGroup group_;
  unsigned slots_, left_ = 0;
  Counter cycles_;
  std::vector<Counter> causes_;
  std::vector<std::string> names_;
};

}  // namespace heddle
