// SPDX-License-Identifier: Apache-2.0
// Parameters of divergence-aware scheduling.
#pragma once

#include <cstdint>
#include <string>

#include "core/config/parameters.h"
#include "sm/scheduling/locality/victim_partition.h"

namespace heddle::sm {

/// Where the classes of loads come from.
enum class LoadClassSource : std::uint8_t { profiled, detected };

struct DivergenceAwareParameters {
  LoadClassSource classes = LoadClassSource::detected;
  std::string profile;
  double associativity_factor = 0.6;
  unsigned converged_lines = 2;
  bool strict_age = false;
  bool ignore_control_flow = false;
  bool count_lost_locality = false;
  VictimTagParameters victim_tags;
  unsigned table_entries = 64;
  unsigned repetition_sets = 8, repetition_ways = 8;

  void describe(ParameterVisitor& v);
};

}  // namespace heddle::sm
