// SPDX-License-Identifier: Apache-2.0
#include "sm/memory/packet_completion.h"

#include <utility>

namespace heddle::sm {

void PacketCompletion::sealed(AccessGroup& group) {
  for (const PacketHandle& packet : group.packets) packet->outstanding = 0;
  for (const Transaction& transaction : group.transactions)
    group.for_members(transaction.members, [](Packet& packet) { ++packet.outstanding; });
  for (PacketHandle& packet : group.packets) {
    if (packet->outstanding == 0) ended_.push_back(std::exchange(packet, {}));
  }
  if (keeps_lines_) group.back.assign(group.transactions.size(), false);
  group.only = group.packets.size() == 1 ? group.packets.front() : PacketHandle();
  group.to_reply = group.transactions.size();
}

std::size_t PacketCompletion::take(std::vector<Reply>& replies, Cycle now) {
  std::size_t kept = 0;
  for (const Reply& reply : replies) {
    if (reply.visible > now) {
      replies[kept++] = reply;
      continue;
    }
    reply.payload->release();
    if (reply.tag != 0) came(AccessTag(reply.tag));
  }
  const std::size_t taken = replies.size() - kept;
  replies.resize(kept);
  return taken;
}

void PacketCompletion::came(AccessTag tag) {
  AccessGroup& group = table_[tag.group()];
  // Each packet completes when its own lines have returned, so count per member. The only packet of a group completes
  // with the group, and is left alone until then.
  if (!group.only) {
    group.for_members(group.transactions[tag.transaction()].members, [this](Packet& packet) {
      if (--packet.outstanding == 0) ended_.push_back(&packet);
    });
  }
  if (keeps_lines_) group.back[tag.transaction()] = true;
  if (--group.to_reply != 0) return;
  if (group.only) {
    group.only->outstanding = 0;
    ended_.push_back(group.only);
  }
  table_.free(tag.group());
}

}  // namespace heddle::sm
