// SPDX-License-Identifier: Apache-2.0
// When a rank is refreshed, and which of its banks. A policy is one file under refresh/.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/config/mechanism.h"
#include "memory/dram/dram_timing.h"

namespace heddle::memory {

/// What a policy sees of a rank.
struct RankView {
  unsigned rank = 0;
  std::uint64_t waiting = 0;  ///< banks of the rank with requests, bit 0 the rank's first
  Cycle idle_since = 0;       ///< when the last request of the rank left; kNever while there are any
  Cycle now = 0;
};

class RefreshPolicy {
 public:
  using MakeArguments = void(const DramDevice& device, unsigned ranks, unsigned banks_of_rank);
  virtual ~RefreshPolicy() = default;
  /// kRefreshAll or kRefreshBank; nothing: no refresh at all.
  virtual std::optional<DramCommand> command() const = 0;
  /// The bank of the rank to refresh now (0 where all are), if any. What it names is closed and refreshed before
  /// anything else happens to it. Asked in every cycle in which something happens, and in cycle ask_again (kNever on
  /// entry) if the policy sets it.
  virtual std::optional<unsigned> due(const RankView& view, Cycle& ask_again) = 0;
  /// The refresh command went out.
  virtual void refreshed(unsigned rank, unsigned bank, Cycle now) = 0;
};

/// How many refreshes are owed: one an interval, some of which may be put off or taken ahead.
class RefreshDebt {
 public:
  struct Parameters {
    unsigned postpone = 0, pull_in = 0, idle_cycles = 0;
    void describe(ParameterVisitor& v);
  };
  /// interval: cycles between two commands, times `share`: commands that make up one refresh of all banks. offset: when
  /// the count starts.
  RefreshDebt(const Parameters& parameters, Cycle interval, unsigned share, Cycle offset)
      : p_(parameters), interval_(interval), share_(share), offset_(offset) {}

  enum class Urgency : std::uint8_t { none, if_idle, now };
  /// ask_again is lowered to the cycle in which the answer may be another.
  Urgency urgency(Cycle idle_since, Cycle now, Cycle& ask_again) const;
  void refreshed() { ++done_; }

 private:
  Parameters p_;
  Cycle interval_;
  unsigned share_;
  Cycle offset_;
  std::int64_t done_ = 0;
};

}  // namespace heddle::memory
