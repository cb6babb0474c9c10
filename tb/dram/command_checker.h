// SPDX-License-Identifier: Apache-2.0
// Checks a DRAM command trace for legality and computes totals. Written from the meaning of the timings, independently
// of the controller, its tables and banks, so that the two can be compared.
#pragma once

#include <array>
#include <cstdint>
#include <istream>
#include <map>
#include <string>
#include <vector>

namespace heddle::tb {

/// Description of the memory, with timings by name in cycles of the command clock.
struct CheckedMemory {
  std::string standard;  ///< gddr3, gddr5, gddr6, hbm2, hit_conflict
  unsigned ranks = 1, bank_groups = 1, banks_per_group = 8;
  std::map<std::string, std::int64_t> timings;
  std::string refresh = "none";  ///< none, all_bank, per_bank
  std::int64_t postpone = 0, pull_in = 0;
  bool refresh_as_activate = false;  ///< distance of an activate to the refresh of another bank is tRRD, not tRREFD
};

/// Totals of the commands of one channel.
struct CommandSums {
  std::map<std::string, std::uint64_t> commands;  ///< by name
  std::uint64_t data_cycles = 0, command_cycles = 0, turnarounds = 0;
  std::uint64_t open_cycles = 0;  ///< cycles with a row open, summed over ranks, up to `end`
};

class CommandChecker {
 public:
  explicit CommandChecker(CheckedMemory memory);

  struct Command {
    std::int64_t clock = 0;
    std::string name;
    unsigned channel = 0, rank = 0, group = 0, bank = 0;
    std::uint64_t row = 0, column = 0;
    std::string source;
  };
  /// Processes the next command of its channel.
  void take(const Command& command);
  /// Processes a whole CSV file with its header. Returns the number of commands.
  std::uint64_t take(std::istream& csv);
  /// After the last command: checks refreshes up to cycle `end` of the command clock and accounts for rows still open.
  void finish(std::int64_t end);

  /// Violations found; the first 20 as text.
  const std::vector<std::string>& faults() const { return faults_; }
  std::uint64_t fault_count() const { return fault_count_; }
  const std::map<unsigned, CommandSums>& sums() const { return sums_; }

 private:
  static constexpr std::int64_t kLongAgo = -1'000'000'000;
  /// Cycle of each last event; kLongAgo: never.
  struct Bank {
    bool open = false;
    std::uint64_t row = 0;
    std::int64_t activate = kLongAgo, precharge = kLongAgo, read = kLongAgo, write = kLongAgo, refresh = kLongAgo;
  };
  struct Rank {
    std::vector<Bank> banks;
    std::vector<std::int64_t> activates;  ///< the last 32, oldest first
    std::int64_t precharge_all = kLongAgo, last_precharge = kLongAgo, refresh_all = kLongAgo, open_since = 0;
    unsigned open_rows = 0;
    std::int64_t refreshes = 0;
  };
  struct Channel {
    std::vector<Rank> ranks;
    std::int64_t last_clock = kLongAgo, row_bus = kLongAgo, column_bus = kLongAgo;
    std::int64_t data_end = kLongAgo;  ///< of the last burst on the data bus
    int data_rank = -1;
    bool data_write = false;
  };

  std::int64_t t(const char* name) const;
  Channel& channel(unsigned number);
  void fault(const Command& command, const std::string& why);
  /// Requires `command`, which takes effect `late` cycles after issue, to be at least `distance` after `before`.
  void apart(const Command& command, std::int64_t before, std::int64_t distance, const char* timing,
             std::int64_t late = 0);
  void activate(const Command& c, Rank& rank, Bank& bank);
  void precharge(const Command& c, const Rank& rank, const Bank& bank);
  void column(const Command& c, Channel& ch, Rank& rank, Bank& bank);
  void refresh_bank(const Command& c, Rank& rank, unsigned number);
  void refresh_all(const Command& c, Rank& rank);
  void buses(const Command& c, Channel& ch);
  void opened(Rank& rank, std::int64_t now);
  void closed(unsigned channel, Rank& rank, Bank& bank, std::int64_t now);

  CheckedMemory memory_;
  bool simple_;        ///< hits and conflicts of fixed duration
  bool grouped_;       ///< separate timings within a bank group
  std::int64_t late_;  ///< cycles from issue of an activate to the cycle its timings count from
  std::map<unsigned, Channel> channels_;
  std::map<unsigned, CommandSums> sums_;
  std::vector<std::string> faults_;
  std::uint64_t fault_count_ = 0;
};

}  // namespace heddle::tb
