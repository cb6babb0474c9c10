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
  PacketDivider* divider = nullptr;  ///< null: no packet is of several contexts
  EffectQueue effects;
  ProgressWatch progress;
  SmWatch* watch = nullptr;  ///< null: no listener
  EffectSink* effect_sink = nullptr;
  isa::MemoryPort* memory_port = nullptr;
  TexelSource* texels = nullptr;  ///< null: texture fetches generate no reads
  isa::Environment environment;

  using SmSite::SmSite;

  /// For how many packets one counts on the links of the SM.
  unsigned places_of(const Packet& packet) const { return divider == nullptr ? 1 : packet.members(); }
  /// The packets of single contexts that replace a packet of several. Valid until the next call.
  std::vector<PacketHandle>& divide(Packet& whole) {
    parts_.clear();
    divider->divide(whole, parts_);
    return parts_;
  }
  /// Sends the packet, or those of its parts for which the link has room, and calls keep(packet) for what is left.
  template <typename Link, typename Keep>
  void send(Link& link, PacketHandle packet, Keep&& keep) {
    const unsigned places = places_of(*packet), room = link.room();
    if (room >= places) {
      link.send(packet, places);
    } else if (room == 0 || places == 1) {
      keep(packet);
    } else {
      for (const PacketHandle& part : divide(*packet)) send(link, part, keep);
    }
  }

 private:
  std::vector<PacketHandle> parts_;
};

}  // namespace heddle::sm
