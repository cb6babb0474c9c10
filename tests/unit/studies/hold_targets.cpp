// SPDX-License-Identifier: Apache-2.0
// The row-hold examples on a channel of the model, with the hit-conflict memory. Source:
// docs/sources/large-warps-and-database-search.md, 2.14 and 3.9.
#include <array>
#include <optional>

#include "database_targets.h"
#include "tests/unit/memory/channel_bench.h"

namespace heddle::studies {
namespace {

using namespace memory;

constexpr Cycle kStart = 1000;

DramParameters memory_of(bool hints, unsigned banks) {
  DramParameters parameters;
  parameters.geometry = {1, 1, banks, 4096, 128};
  parameters.standard.choose("hit_conflict");
  parameters.scheduler.choose(hints ? "fr_fcfs_hold" : "fr_fcfs");
  return parameters;
}

DramRequest request(std::uint32_t token, std::uint64_t row, std::uint32_t column, bool hint, unsigned bank = 0) {
  DramRequest made;
  made.token = token;
  made.row = row;
  made.column = column;
  made.keep_row_open = hint;
  made.bank = static_cast<std::uint8_t>(bank);
  return made;
}

/// A (row 1, hinted) in cycle 0, B (row 2) in cycle 10, A' (row 1) in cycle `late`, if at all.
struct Example {
  Cycle end_of_b, end;
  double hits;
};
Example example(bool hints, std::optional<Cycle> late) {
  Channel channel(memory_of(hints, 8));
  channel.add(request(1, 1, 0, true));
  channel.run(kStart, kStart + 9);
  channel.add(request(2, 2, 0, false));
  if (late) {
    channel.run(kStart + 10, kStart + *late - 1);
    channel.add(request(3, 1, 1, false));
  }
  channel.run(kStart + late.value_or(10));
  Cycle end = 0;
  for (const auto& [token, done] : channel.done_) end = std::max(end, done);
  return {channel.done_.at(2) - kStart, end - kStart, static_cast<double>(channel->counts().row_hits.value())};
}

/// Percentage of row hits of four warps per bank, each of which loads two lines of a row, the second after the first
/// has arrived, then two of another row. The figure shows four banks.
double queries(bool hints) {
  constexpr unsigned kBanks = 4, kWarps = 16, kThink = 20;
  constexpr Cycle kEnd = 40000;
  Channel channel(memory_of(hints, kBanks));
  std::array<Cycle, kWarps> next{};
  std::array<unsigned, kWarps> made{};
  for (unsigned warp = 0; warp < kWarps; ++warp) next[warp] = kStart + warp;
  for (Cycle now = kStart; now < kStart + kEnd; ++now) {
    for (unsigned warp = 0; warp < kWarps; ++warp) {
      if (next[warp] != now) continue;
      const unsigned query = made[warp] / 2, line = made[warp] % 2;
      channel.add(request(warp, 100 * (warp + 1) + query % 50, line, line == 0, warp % kBanks));
      ++made[warp];
    }
    channel.step(now);
    for (const auto& [warp, done] : channel.done_) next[warp] = done + kThink;
    channel.done_.clear();
  }
  // The first forty accesses of each bank: a hit opened no row.
  unsigned hits = 0, accesses = 0;
  for (unsigned bank = 0; bank < kBanks; ++bank) {
    bool opened = false;
    unsigned of_bank = 0;
    for (const Issued& issued : channel.log_) {
      if (issued.bank != bank || of_bank == 40) continue;
      if (issued.command == DramCommand::read) {
        ++of_bank;
        hits += opened ? 0 : 1;
      }
      opened = issued.command == DramCommand::activate;
    }
    accesses += of_bank;
  }
  EXPECT_EQ(accesses, kBanks * 40);
  return 100.0 * hits / accesses;
}

}  // namespace

void add_hold_targets(Evaluations& targets) {
  targets["db.sec7.2.threshold"] = [] {
    // The delay of another row by an unused hint; the device's figures agree.
    const Cycle held = example(true, std::nullopt).end_of_b - example(false, std::nullopt).end_of_b;
    EXPECT_EQ(held, make(memory_of(true, 8).standard)->device().row_miss_cycles);
    return static_cast<double>(held);
  };
  targets["db.fig7.2.no-hint"] = [] { return queries(false); };
  targets["db.fig7.2.hint"] = [] { return queries(true); };
  for (const bool hints : {true, false}) {
    for (const Cycle late : {345u, 500u, 550u}) {
      const std::string suffix = (hints ? "-hint-" : "-base-") + std::to_string(late);
      targets["db.ex3.9.end" + suffix] = [=] { return static_cast<double>(example(hints, late).end); };
      targets["db.ex3.9.hits" + suffix] = [=] { return example(hints, late).hits; };
    }
  }
}

}  // namespace heddle::studies
