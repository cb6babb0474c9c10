// SPDX-License-Identifier: Apache-2.0
#include "sm/grouping/ganging/joined_hazards.h"

namespace heddle::sm {

std::uint32_t JoinedHazards::issued(const ContextTable& contexts, const Packet& packet, bool variable) {
  if (packet.company == 1) return each_.issued(contexts, packet, variable);
  if (each_.mark(*packet.op, packet.warp, packet.company, true, variable)) return kSeveral | kMarked | packet.company;
  if (idle_.empty()) {
    idle_.push_back(static_cast<std::uint32_t>(joined_.size()));
    joined_.emplace_back();
  }
  const std::uint32_t number = idle_.back();
  idle_.pop_back();
  Joined& joined = joined_[number];
  joined.company = packet.company;
  member_.op = packet.op;
  for_each_of(packet.context, packet.company, [&](ContextId c) {
    member_.context = c;
    member_.warp = contexts[c].warp;
    joined.tokens[c - packet.context] = each_.issued(contexts, member_, variable);
  });
  return kSeveral | number;
}

void JoinedHazards::released(const Release& release) {
  if ((release.token & kSeveral) == 0) {
    each_.released(release);
    return;
  }
  const std::uint32_t number = release.token & ~kSeveral;
  if ((number & kMarked) != 0) {
    each_.mark(*release.op, release.warp, static_cast<std::uint8_t>(number), false, release.variable);
    return;
  }
  const Joined& joined = joined_[number];
  Release own = release;
  for_each_of(release.context, joined.company, [&](ContextId c) {
    const unsigned member = c - release.context;
    own.context = c;
    own.warp = WarpId(release.warp + member);
    own.token = joined.tokens[member];
    each_.released(own);
  });
  idle_.push_back(number);
}

}  // namespace heddle::sm
