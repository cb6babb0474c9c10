// SPDX-License-Identifier: Apache-2.0
// Finds the best of the next commands of all banks: by kind, direction and age.
#pragma once

#include "memory/dram/next_commands.h"

namespace heddle::memory {

/// Column commands that may not issue, because they would turn the data bus before a command that must go first.
enum class Barred : std::uint8_t { none, reads, writes };

/// What may issue, and in which order.
struct CommandRules {
  NextCommands::Planes may{};  ///< banks whose command may issue; in the second plane, of those with one
  BankSet refreshing = 0;      ///< in the first plane, go before all others
  BankSet overdue = 0;         ///< in the first plane, go before all but those
  Barred barred = Barred::none;
  bool writes = false;  ///< direction of the data bus
  Cycle turn_back =
      0;  ///< time to return to this direction; a turn is deferred for column commands legal before. 0: none
};

class CommandSearch {
 public:
  static constexpr unsigned kNoSlot = ~0U;
  /// Commands of one of the two command buses, or of both.
  enum class Look : std::uint8_t { all, rows, columns };

  /// commands: outlive this object. columns_first: column commands have priority over row commands; if not, the oldest
  /// goes first.
  CommandSearch(const NextCommands& commands, bool columns_first)
      : commands_(commands), columns_first_(columns_first) {}

  /// Rules of the searches from now on.
  void follow(const CommandRules& rules) {
    if (rules.barred != rules_.barred) forget();
    rules_ = rules;
  }
  /// The last result no longer holds.
  void forget() { found_by_ = kNever; }
  /// Finds the best command legal by cycle `by`.
  void look_at_all(Cycle by, Look look = Look::all);
  /// The same, given that only the commands of these banks changed since the last search. by: not before the cycle of
  /// that search.
  void look_again(BankSet changed, Cycle by);

  /// Slot of the command found; kNoSlot: none.
  unsigned found() const { return found_; }
  /// No other command becomes legal before; kNever: none does before a bank changes.
  Cycle next() const { return next_; }

 private:
  /// Lets the commands of these banks compete with the best found so far.
  void consider(const NextCommands::Planes& offering, Cycle by);
  void stay(NextCommands::Planes& ready, Cycle by) const;

  const NextCommands& commands_;
  bool columns_first_;
  CommandRules rules_;
  unsigned found_ = kNoSlot;
  Cycle found_by_ = kNever;  // cycle of the last search; kNever: its result does not hold
  Cycle next_ = kNever;
};

}  // namespace heddle::memory
