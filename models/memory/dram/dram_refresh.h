// SPDX-License-Identifier: Apache-2.0
// Refresh policies: when to refresh a rank, and which of its banks. A policy is one file under refresh/.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/config/mechanism.h"
#include "memory/dram/dram_timing.h"

namespace heddle::memory {

/// State of a rank as seen by a refresh policy.
struct RankView {
  unsigned rank = 0;
  std::uint64_t waiting = 0;  ///< banks with requests; bit 0 is the rank's first bank
  Cycle idle_since = 0;       ///< when the last request of the rank left; kNever while there are any
  Cycle now = 0;
};

class RefreshPolicy {
 public:
  using MakeArguments = void(const DramDevice& device, unsigned ranks, unsigned banks_of_rank);
  virtual ~RefreshPolicy() = default;
  /// `refresh_all` or `refresh_bank`; nullopt: no refresh at all.
  virtual std::optional<DramCommand> command() const = 0;
  /// The bank of the rank to refresh now (0 for all banks), if any. It is precharged and refreshed before it serves
  /// anything else. Called in every active cycle, and in cycle ask_again (kNever on entry) if the policy sets it.
  virtual std::optional<unsigned> due(const RankView& view, Cycle& ask_again) = 0;
  /// The refresh command has been issued.
  virtual void refreshed(unsigned rank, unsigned bank, Cycle now) = 0;
};

/// Counts owed refreshes: one per interval, some of which may be postponed or pulled in.
class RefreshDebt {
 public:
  struct Parameters {
    unsigned postpone = 0, pull_in = 0, idle_cycles = 0;
    void describe(ParameterVisitor& v);
  };
  /// interval: cycles between two commands. share: commands that make up one refresh of all banks. offset: cycles by
  /// which the count runs ahead, to stagger ranks.
  RefreshDebt(const Parameters& parameters, Cycle interval, unsigned share, Cycle offset)
      : p_(parameters), interval_(interval), share_(share), offset_(offset) {}

  enum class Urgency : std::uint8_t { none, if_idle, now };
  /// Lowers ask_again to the cycle in which the answer may change.
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
