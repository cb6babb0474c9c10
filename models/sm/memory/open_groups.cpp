// SPDX-License-Identifier: Apache-2.0
#include "sm/memory/open_groups.h"

#include "sm/memory/address_parts.h"

namespace heddle::sm {

OpenGroups::OpenGroups(const CoalescerParameters& parameters, AccessTable& table)
    : table_(table),
      coalescer_(parameters),
      constant_lines_(CoalescerParameters{CoalescingRule::lines, kConstantLineBytes}),
      texture_lines_(parameters.texture_line_bytes == 0
                         ? parameters
                         : CoalescerParameters{CoalescingRule::lines, parameters.texture_line_bytes}) {}

Coalescer& OpenGroups::coalescer_of(CachePath path) {
  switch (path) {
    case CachePath::constant:
      return constant_lines_;
    case CachePath::texture:
      return texture_lines_;
    case CachePath::data:
      break;
  }
  return coalescer_;
}

std::uint32_t OpenGroups::open_group_of(const Packet& packet) const {
  if (open_.empty()) return kNone;
  const AccessClass what = class_of(packet);
  for (const std::uint32_t index : open_) {
    const AccessGroup& group = table_[index];
    if (group.group == packet.access_group && group.what == what && group.packets.size() < kMostPackets) return index;
  }
  return kNone;
}

AccessGroup& OpenGroups::group_of(const Packet& packet) {
  if (const std::uint32_t open = open_group_of(packet); open != kNone) return table_[open];
  open_.push_back(table_.take());
  AccessGroup& group = table_[open_.back()];
  group.what = class_of(packet);
  group.group = packet.access_group;
  group.first_warp = packet.warp;
  group.row_hint = packet.op->row_hint;
  group.pc = packet.op->pc;
  return group;
}

void OpenGroups::add(Packet& packet) {
  group_of(packet).packets.push_back(&packet);
  count(packet);
}

void OpenGroups::count(const Packet& packet) {
  if (packet.access_packets == 0) return;
  auto access = std::find_if(pending_.begin(), pending_.end(),
                             [&](const Pending& some) { return some.access_group == packet.access_group; });
  if (access == pending_.end())
    access = pending_.insert(pending_.end(), Pending{packet.access_group, packet.access_packets});
  if (--access->left == 0) pending_.erase(access);
}

std::size_t OpenGroups::closing() const {
  if (pending_.empty()) return open_.size();
  return static_cast<std::size_t>(
      std::count_if(open_.begin(), open_.end(), [this](std::uint32_t index) { return !waits(table_[index].group); }));
}

void OpenGroups::coalesce(AccessGroup& group) {
  Coalescer& coalescer = coalescer_of(group.what.path);
  const bool store = group.what.kind == AccessKind::store;
  coalescer.start(store);
  for (unsigned member = 0; member < group.packets.size(); ++member) {
    const Packet& packet = *group.packets[member];
    const unsigned bytes = bytes_per_thread(packet);
    for (unsigned w = 0; w < packet.word_count; ++w) {
      const isa::Addresses& addresses = packet.memory->addresses[w];
      const std::uint32_t lanes = addresses.mask & ~shared_part(addresses);
      if (lanes != 0) coalescer.add(addresses, lanes, bytes, member);
    }
    for (const isa::Addresses& texels : packet.memory->texels) coalescer.add(texels, texels.mask, texels.bytes, member);
  }
  group.transactions.assign(coalescer.begin(), coalescer.end());
  group.partial.clear();
  if (store) {
    for (std::size_t i = 0; i < coalescer.size(); ++i) group.partial.push_back(!coalescer.whole(i));
  }
}

}  // namespace heddle::sm
