// SPDX-License-Identifier: Apache-2.0
// The next command of each bank, in arrays because the search reads all of them. A bank has a slot in each of two
// planes: the command of the request it serves, and the column command of a row hit of the other direction.
#pragma once

#include <algorithm>
#include <array>

#include "core/kernel/cycle.h"
#include "memory/dram/bank_set.h"
#include "memory/dram/dram_queue.h"
#include "memory/dram/dram_timing.h"

namespace heddle::memory {

class NextCommands {
 public:
  static constexpr unsigned kPlanes = 2, kSlots = kPlanes * kMaxBanks;
  using Planes = std::array<BankSet, kPlanes>;  ///< banks by plane
  static constexpr unsigned slot(unsigned bank, unsigned plane) { return bank + plane * kMaxBanks; }
  static constexpr unsigned bank_of(unsigned slot) { return slot % kMaxBanks; }
  static constexpr unsigned plane_of(unsigned slot) { return slot / kMaxBanks; }

  NextCommands() {
    legal_.fill(kNever);
    permitted_.fill(&kAlways);
  }

  /// The bank has no command.
  void clear(unsigned bank) {
    for (unsigned plane = 0; plane < kPlanes; ++plane) {
      columns_[plane] &= ~bank_bit(bank);
      writes_[plane] &= ~bank_bit(bank);
      last_reads_[plane] &= ~bank_bit(bank);
    }
    legal_[bank] = kNever;
  }
  /// Sets the command of a slot that was cleared. legal: cycle from which the bank permits it. permitted: cycle from
  /// which what is above the bank permits it; read at every search, so it must stay valid. order: age, for the search.
  void set(unsigned slot, DramCommand command, std::uint64_t order, Cycle legal, const Cycle& permitted) {
    commands_[slot] = command;
    orders_[slot] = order;
    legal_[slot] = legal;
    permitted_[slot] = &permitted;
  }
  /// The same for the next burst of a request.
  void set_column(unsigned slot, const DramRequest& request, Cycle legal, const Cycle& permitted) {
    const BankSet bank = bank_bit(bank_of(slot));
    columns_[plane_of(slot)] |= bank;
    if (request.write) writes_[plane_of(slot)] |= bank;
    if (!request.write && request.bursts == 1) last_reads_[plane_of(slot)] |= bank;
    set(slot, request.write ? DramCommand::write : DramCommand::read, request.order, legal, permitted);
  }

  DramCommand command(unsigned slot) const { return commands_[slot]; }
  std::uint64_t order(unsigned slot) const { return orders_[slot]; }
  /// First cycle in which the command may issue; kNever: there is none.
  Cycle legal(unsigned slot) const { return std::max(legal_[slot], *permitted_[slot]); }
  /// Banks with a column command in the plane.
  BankSet columns(unsigned plane) const { return columns_[plane]; }
  /// The same, of one direction.
  BankSet columns(unsigned plane, bool write) const {
    return columns_[plane] & (write ? writes_[plane] : ~writes_[plane]);
  }
  /// Banks whose column command in the plane is the last burst of a read.
  BankSet last_reads(unsigned plane) const { return last_reads_[plane]; }

 private:
  static constexpr Cycle kAlways = 0;

  std::array<DramCommand, kSlots> commands_{};
  std::array<Cycle, kSlots> legal_;  // for the bank itself; kNever: no command
  std::array<const Cycle*, kSlots> permitted_;
  std::array<std::uint64_t, kSlots> orders_{};
  // Banks whose command is a column command; a write; the last burst of a read.
  Planes columns_{}, writes_{}, last_reads_{};
};

}  // namespace heddle::memory
