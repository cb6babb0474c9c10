// SPDX-License-Identifier: Apache-2.0
#include "memory/dram/command_search.h"

namespace heddle::memory {

void CommandSearch::look_at_all(Cycle by, Look look) {
  found_ = kNoSlot;
  found_by_ = by;
  next_ = kNever;
  NextCommands::Planes offering = rules_.may;
  if (look == Look::columns) offering[0] &= commands_.columns(0);
  if (look == Look::rows) offering = {offering[0] & ~commands_.columns(0), 0};
  consider(offering, by);
}

void CommandSearch::look_again(BankSet changed, Cycle by) {
  // The result for an earlier cycle remains valid until another command becomes legal.
  const bool holds = found_by_ != kNever && (found_ != kNoSlot ? found_by_ == by : by < next_);
  if (!holds || (found_ != kNoSlot && (changed & bank_bit(NextCommands::bank_of(found_))) != 0)) {
    look_at_all(by);
  } else {
    found_by_ = by;
    if (changed != 0) consider({changed & rules_.may[0], changed & rules_.may[1]}, by);
  }
}

void CommandSearch::consider(const NextCommands::Planes& offering, Cycle by) {
  NextCommands::Planes ready{};
  if (found_ != kNoSlot) ready[NextCommands::plane_of(found_)] = bank_bit(NextCommands::bank_of(found_));
  Cycle next = next_;
  for (unsigned plane = 0; plane < NextCommands::kPlanes; ++plane) {
    for_each_bank(offering[plane], [&](unsigned bank) {
      const Cycle legal = commands_.legal(NextCommands::slot(bank, plane));
      if (legal <= by) {
        ready[plane] |= bank_bit(bank);
      } else {
        next = std::min(next, legal);
      }
    });
  }
  next_ = next;
  if ((ready[0] | ready[1]) == 0) return;
  if ((ready[0] & rules_.refreshing) != 0) {
    ready = {ready[0] & rules_.refreshing, 0};
  } else if ((ready[0] & rules_.overdue) != 0) {
    ready = {rules_.overdue, 0};
  } else {
    if (rules_.turn_back != 0) stay(ready, by);
    if (columns_first_ && ((ready[0] & commands_.columns(0)) | ready[1]) != 0) ready[0] &= commands_.columns(0);
  }
  std::uint64_t best = ~std::uint64_t{0};
  for (unsigned plane = 0; plane < NextCommands::kPlanes; ++plane) {
    for_each_bank(ready[plane], [&](unsigned bank) {
      const unsigned slot = NextCommands::slot(bank, plane);
      if (commands_.order(slot) > best) return;
      best = commands_.order(slot);
      found_ = slot;
    });
  }
}

/// Removes columns that would turn the data bus from `ready` while a column of its direction is ready, or will be
/// before the bus could turn twice.
void CommandSearch::stay(NextCommands::Planes& ready, Cycle by) const {
  BankSet turning = 0;
  for (unsigned plane = 0; plane < NextCommands::kPlanes; ++plane) {
    turning |= ready[plane] & commands_.columns(plane, !rules_.writes);
  }
  if (turning == 0) return;
  const Cycle back = by + rules_.turn_back;
  for (unsigned plane = 0; plane < NextCommands::kPlanes; ++plane) {
    for (BankSet banks = rules_.may[plane] & commands_.columns(plane, rules_.writes); banks != 0; banks &= banks - 1) {
      const auto bank = static_cast<unsigned>(std::countr_zero(banks));
      if (commands_.legal(NextCommands::slot(bank, plane)) >= back) continue;
      for (unsigned of = 0; of < NextCommands::kPlanes; ++of) ready[of] &= ~commands_.columns(of, !rules_.writes);
      return;
    }
  }
}

}  // namespace heddle::memory
