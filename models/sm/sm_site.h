// SPDX-License-Identifier: Apache-2.0
// The environment in which a mechanism of an SM builds its modules, waveforms and statistics. This is all it may know
// of the SM around it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "core/kernel/clock_gate.h"
#include "core/kernel/module_state.h"
#include "core/kernel/services.h"
#include "sm/sm_events.h"
#include "sm/sm_parameters.h"

namespace heddle::sm {

struct SmSite {
  SmId number;
  std::uint64_t seed = 1;  ///< of this SM, for randomized policies
  const SmParameters& parameters;
  ClockGate& gate;
  Services& services;
  StatisticsOwner& statistics;
  SmEvents events;
  unsigned issue_width;             ///< packets that may issue per cycle; later stages accept as many
  unsigned packets_per_access = 1;  ///< see GroupingTraits
  unsigned issue_stage = 0;         ///< for ClockGate::wake(), where a veto changes while the stage may sleep

  SmSite(SmId sm, const SmParameters& p, ClockGate& g, Services& s, StatisticsOwner& owner)
      : number(sm), parameters(p), gate(g), services(s), statistics(owner), issue_width(std::max(1u, p.schedulers)) {}

  /// Instance path of a part of the SM, such as "sm0.issue".
  std::string path(const std::string& part) const { return statistics.name() + "." + part; }
  /// Clock domain of its signals.
  std::string domain() const { return gate.domain().whole().name(); }
};

}  // namespace heddle::sm
