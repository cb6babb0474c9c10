// SPDX-License-Identifier: Apache-2.0
// What the stages of one SM share: packets, effects, the environment of instructions. Plain objects of the SM, not
// modules.
#pragma once

#include <cstdint>
#include <string>

#include "core/clock_gate.h"
#include "core/module_state.h"
#include "core/services.h"
#include "isa/execute.h"
#include "sm/effects.h"
#include "sm/packet.h"
#include "sm/sm_parameters.h"
#include "sm/sm_watch.h"
#include "sm/texel_source.h"

namespace heddle::sm {

struct SmContext {
  unsigned number = 0;     ///< SM number in the machine
  std::uint64_t seed = 1;  ///< of this SM, for policies that draw lots
  const SmParameters& parameters;
  ClockGate& gate;
  Services& services;
  StatisticsOwner& statistics;
  PacketPool packets;
  EffectQueue effects;
  ProgressWatch progress;
  SmWatch* watch = nullptr;  ///< null: nobody listens
  /// GroupingUnit::return_wait(), for the memory stage.
  Cycle return_wait = kNever;
  /// The issue stage wants to hear of packets that missed.
  bool reports_misses = false;
  EffectSink* effect_sink = nullptr;
  isa::MemoryPort* memory_port = nullptr;
  TexelSource* texels = nullptr;  ///< null: texture fetches read nothing
  isa::Environment environment;

  SmContext(unsigned sm, const SmParameters& p, ClockGate& g, Services& s, StatisticsOwner& owner)
      : number(sm), parameters(p), gate(g), services(s), statistics(owner) {}

  /// Name under which a stage shows its state.
  std::string path(const std::string& stage) const { return statistics.name() + "." + stage; }
  /// Clock of its signals.
  std::string domain() const { return gate.domain().name(); }
};

}  // namespace heddle::sm
