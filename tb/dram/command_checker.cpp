// SPDX-License-Identifier: Apache-2.0
#include "tb/dram/command_checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace heddle::tb {

CommandChecker::CommandChecker(CheckedMemory memory)
    : memory_(std::move(memory)),
      simple_(memory_.standard == "hit_conflict"),
      grouped_(memory_.timings.count("tCCDL") != 0),
      late_(memory_.standard == "hbm2" ? 1 : 0) {}

std::int64_t CommandChecker::t(const char* name) const {
  const auto found = memory_.timings.find(name);
  return found == memory_.timings.end() ? 0 : found->second;
}

CommandChecker::Channel& CommandChecker::channel(unsigned number) {
  Channel& channel = channels_[number];
  if (channel.ranks.empty()) {
    channel.ranks.resize(memory_.ranks);
    for (Rank& rank : channel.ranks) rank.banks.resize(memory_.bank_groups * memory_.banks_per_group);
  }
  return channel;
}

void CommandChecker::fault(const Command& c, const std::string& why) {
  ++fault_count_;
  if (faults_.size() >= 20) return;
  faults_.push_back(fmt::format("{} in cycle {} to channel {} rank {} group {} bank {}: {}", c.name, c.clock, c.channel,
                                c.rank, c.group, c.bank, why));
}

void CommandChecker::apart(const Command& c, std::int64_t before, std::int64_t distance, const char* timing,
                           std::int64_t late) {
  const std::int64_t passed = c.clock + late - before;
  if (passed < distance) fault(c, fmt::format("{} is {}, only {} have passed", timing, distance, passed));
}

void CommandChecker::take(const Command& c) {
  Channel& ch = channel(c.channel);
  CommandSums& sums = sums_[c.channel];
  if (c.rank >= memory_.ranks || c.group >= memory_.bank_groups || c.bank >= memory_.banks_per_group) {
    fault(c, "there is no such bank");
    return;
  }
  Rank& rank = ch.ranks[c.rank];
  const unsigned number = c.group * memory_.banks_per_group + c.bank;
  Bank& bank = rank.banks[number];
  if (c.clock < ch.last_clock) fault(c, "the cycle is before that of the previous command");
  if (c.clock != ch.last_clock) ++sums.command_cycles;
  if (!simple_) buses(c, ch);
  ch.last_clock = c.clock;
  ++sums.commands[c.name];

  if (c.name == "ACT") {
    activate(c, rank, bank);
  } else if (c.name == "RD" || c.name == "WR") {
    column(c, ch, rank, bank);
  } else if (c.name == "PRE") {
    if (!bank.open) fault(c, "no row is open");
    precharge(c, rank, bank);
    closed(c.channel, rank, bank, c.clock);
    bank.precharge = rank.last_precharge = c.clock;
  } else if (c.name == "PREab") {
    for (Bank& each : rank.banks) {
      precharge(c, rank, each);
      closed(c.channel, rank, each, c.clock);
    }
    rank.precharge_all = rank.last_precharge = c.clock;
  } else if (c.name == "REFab") {
    refresh_all(c, rank);
  } else if (c.name == "REFpb") {
    refresh_bank(c, rank, number);
  } else {
    fault(c, "is not a command of this memory");
  }
}

void CommandChecker::buses(const Command& c, Channel& ch) {
  const bool hbm = memory_.standard == "hbm2", moves_data = c.name == "RD" || c.name == "WR";
  if (hbm && moves_data) {
    apart(c, ch.column_bus, 1, "a command on the column bus");
    ch.column_bus = c.clock;
    return;
  }
  apart(c, ch.row_bus, 1, "a command on the bus");
  // On HBM an activate occupies the bus for two cycles.
  ch.row_bus = c.name == "ACT" ? c.clock + late_ : c.clock;
}

void CommandChecker::opened(Rank& rank, std::int64_t now) {
  if (rank.open_rows++ == 0) rank.open_since = now;
}

void CommandChecker::closed(unsigned number, Rank& rank, Bank& bank, std::int64_t now) {
  if (!bank.open) return;
  bank.open = false;
  if (--rank.open_rows == 0) sums_[number].open_cycles += static_cast<std::uint64_t>(now - rank.open_since);
}

void CommandChecker::activate(const Command& c, Rank& rank, Bank& bank) {
  const auto since = [&](std::int64_t before, std::int64_t distance, const char* timing) {
    apart(c, before, distance, timing, late_);
  };
  if (!bank.open) opened(rank, c.clock);
  if (simple_) {
    since(bank.activate, t("row_conflict"), "the access that opened the row");
    since(std::max(bank.read, bank.write), t("hit_occupancy"), "the access before");
  } else {
    if (bank.open) fault(c, "a row is open");
    since(bank.activate, t("tRC"), "tRC");
    since(std::max(bank.precharge, rank.precharge_all), t("tRP"), "tRP");
    since(bank.refresh, t("tRFCpb"), "tRFCpb");
    since(rank.refresh_all, t("tRFCab"), "tRFCab");
    for (unsigned other = 0; other < rank.banks.size(); ++other) {
      const bool same_group = other / memory_.banks_per_group == c.group;
      if (&rank.banks[other] == &bank) continue;
      since(rank.banks[other].activate, grouped_ && same_group ? t("tRRDL") : t("tRRDS"),
            grouped_ && same_group ? "tRRDL" : "tRRDS");
      since(rank.banks[other].refresh, t("tRREFD"), "tRREFD");
    }
    const auto window = [&](std::size_t count, const char* timing) {
      if (rank.activates.size() >= count) since(rank.activates[rank.activates.size() - count], t(timing), timing);
    };
    window(4, "tFAW");
    window(32, "t32AW");
  }
  rank.activates.push_back(c.clock + late_);
  if (rank.activates.size() > 32) rank.activates.erase(rank.activates.begin());
  bank.open = true;
  bank.row = c.row;
  bank.activate = c.clock + late_;
}

void CommandChecker::precharge(const Command& c, const Rank& rank, const Bank& bank) {
  if (simple_) {
    apart(c, std::max(bank.read, bank.write), t("hit_occupancy"), "the access before");
    return;
  }
  apart(c, rank.last_precharge, t("tPPD"), "tPPD");
  apart(c, bank.activate, t("tRAS"), "tRAS");
  apart(c, bank.read, t("tRTP"), "tRTP");
  apart(c, bank.write, t("tWL") + t("burst_cycles") + t("tWR"), "tWL, the burst and tWR");
}

void CommandChecker::column(const Command& c, Channel& ch, Rank& rank, Bank& bank) {
  const bool write = c.name == "WR";
  if (!bank.open) fault(c, "no row is open");
  if (bank.open && bank.row != c.row) fault(c, fmt::format("row {} is open, not {}", bank.row, c.row));
  std::int64_t first_data = c.clock + (write ? t("tWL") : t("tCL"));
  if (simple_) {
    apart(c, bank.activate, t("row_conflict") - t("row_hit"), "the opening of the row");
    apart(c, std::max(bank.read, bank.write), t("hit_interval"), "hit_interval");
    first_data = c.clock + t("row_hit") - t("burst_cycles");
  } else {
    apart(c, bank.activate, write ? t("tRCDWR") : t("tRCDRD"), write ? "tRCDWR" : "tRCDRD");
    for (unsigned other = 0; other < rank.banks.size(); ++other) {
      const Bank& b = rank.banks[other];
      const bool near = grouped_ && other / memory_.banks_per_group == c.group;
      const char* const ccd = near ? "tCCDL" : "tCCDS";
      const char* const wtr = near ? "tWTRL" : "tWTRS";
      if (write) {
        apart(c, b.write, t(ccd), ccd);
        if (t("tRTW") != 0) apart(c, b.read, t("tRTW"), "tRTW");
      } else {
        apart(c, b.read, t(ccd), ccd);
        apart(c, b.write, t("tWL") + t("burst_cycles") + t(wtr), wtr);
      }
    }
  }
  // The data bus: one burst at a time, plus handover time.
  std::int64_t gap = 0;
  if (!simple_ && ch.data_rank >= 0) {
    if (static_cast<unsigned>(ch.data_rank) != c.rank) {
      gap = t("tRTRS");
    } else if (write && !ch.data_write && t("tRTW") == 0) {
      gap = 2;
    }
  }
  if (first_data < ch.data_end + gap) {
    fault(c,
          fmt::format("its data would start in cycle {}, the data bus is free from {}", first_data, ch.data_end + gap));
  }
  CommandSums& sums = sums_[c.channel];
  sums.data_cycles += static_cast<std::uint64_t>(t("burst_cycles"));
  if (write != ch.data_write) ++sums.turnarounds;
  ch.data_end = first_data + t("burst_cycles");
  ch.data_rank = static_cast<int>(c.rank);
  ch.data_write = write;
  (write ? bank.write : bank.read) = c.clock;
}

void CommandChecker::refresh_bank(const Command& c, Rank& rank, unsigned number) {
  Bank& bank = rank.banks[number];
  if (memory_.refresh != "per_bank") fault(c, "this memory has no per-bank refresh");
  if (bank.open) fault(c, "a row is open");
  apart(c, bank.activate, t("tRC"), "tRC");
  apart(c, std::max(bank.precharge, rank.precharge_all), t("tRP"), "tRP");
  apart(c, bank.refresh, t("tRFCpb"), "tRFCpb");
  apart(c, rank.refresh_all, t("tRFCab"), "tRFCab");
  for (unsigned i = 0; i < rank.banks.size(); ++i) {
    const Bank& other = rank.banks[i];
    if (&other == &bank) continue;
    apart(c, other.refresh, t("tRREFD"), "tRREFD");
    const bool near = grouped_ && i / memory_.banks_per_group == c.group;
    const char* const distance = !memory_.refresh_as_activate ? "tRREFD" : near ? "tRRDL" : "tRRDS";
    apart(c, other.activate, t(distance), distance);
  }
  bank.refresh = c.clock;
  ++rank.refreshes;
}

void CommandChecker::refresh_all(const Command& c, Rank& rank) {
  if (memory_.refresh != "all_bank") fault(c, "this memory has no all-bank refresh");
  for (const Bank& bank : rank.banks) {
    if (bank.open) fault(c, "a row is open");
    apart(c, bank.activate, t("tRC"), "tRC");
    apart(c, bank.precharge, t("tRP"), "tRP");
    apart(c, bank.refresh, t("tRFCpb"), "tRFCpb");
  }
  apart(c, rank.precharge_all, t("tRP"), "tRP");
  apart(c, rank.refresh_all, t("tRFCab"), "tRFCab");
  rank.refresh_all = c.clock;
  ++rank.refreshes;
}

void CommandChecker::finish(std::int64_t end) {
  const std::int64_t share = memory_.refresh == "per_bank" ? memory_.bank_groups * memory_.banks_per_group : 1;
  for (auto& [number, ch] : channels_) {
    for (unsigned i = 0; i < ch.ranks.size(); ++i) {
      Rank& rank = ch.ranks[i];
      if (rank.open_rows != 0) sums_[number].open_cycles += static_cast<std::uint64_t>(end - rank.open_since);
      if (memory_.refresh == "none") continue;
      // One per interval, give or take those postponed or pulled in; the last one due may still be pending.
      const std::int64_t due = end * share / t("tREFI"), slack = share + 1;
      if (rank.refreshes < due - memory_.postpone * share - slack ||
          rank.refreshes > due + memory_.pull_in * share + slack) {
        Command c;
        c.name = "refresh", c.clock = end, c.channel = number, c.rank = i;
        fault(c, fmt::format("{} so far, {} are due", rank.refreshes, due));
      }
    }
  }
}

std::uint64_t CommandChecker::take(std::istream& csv) {
  std::string line;
  if (!std::getline(csv, line) || line != "clock,command,channel,rank,bank_group,bank,row,column,source") {
    throw std::runtime_error("the first line of a command trace must name its columns, but is: " + line);
  }
  std::uint64_t count = 0;
  for (; std::getline(csv, line); ++count) {
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream fields(line);
    Command c;
    if (!(fields >> c.clock >> c.name >> c.channel >> c.rank >> c.group >> c.bank >> c.row >> c.column >> c.source)) {
      throw std::runtime_error(fmt::format("command {} is incomplete: {}", count + 1, line));
    }
    take(c);
  }
  return count;
}

}  // namespace heddle::tb
