// SPDX-License-Identifier: Apache-2.0
// State shared by the stages of one SM: contexts, packets, effects, the environment of instructions. Plain objects, not
// modules.
#pragma once

#include "isa/execute.h"
#include "sm/effects.h"
#include "sm/memory/texel_source.h"
#include "sm/packet.h"
#include "sm/sm_site.h"
#include "sm/watch/sm_watch.h"

namespace heddle::sm {

struct SmContext : SmSite {
  ContextTable contexts;
  PacketPool packets;
  EffectQueue effects;
  ProgressWatch progress;
  SmWatch* watch = nullptr;  ///< null: no listener
  EffectSink* effect_sink = nullptr;
  isa::MemoryPort* memory_port = nullptr;
  TexelSource* texels = nullptr;  ///< null: texture fetches generate no reads
  isa::Environment environment;

  using SmSite::SmSite;
};

}  // namespace heddle::sm
