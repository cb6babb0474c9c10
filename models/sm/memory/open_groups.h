// SPDX-License-Identifier: Apache-2.0
// Access groups that still take packets: which packets coalesce together, and into which transactions.
#pragma once

#include <cstdint>
#include <vector>

#include "sm/memory/access_table.h"

namespace heddle::sm {

class OpenGroups {
 public:
  OpenGroups(const CoalescerParameters& parameters, AccessTable& table);
  /// Adds a packet to the open group of its access group and class, or to one that it opens.
  void add(Packet& packet);
  /// Whether a group is open that takes this packet.
  bool takes(const Packet& packet) const { return open_group_of(packet) != kNone; }
  /// Closes the groups: coalesces each and calls sealed(index), in the order in which they were opened.
  template <typename Sealed>
  void seal(Sealed&& sealed) {
    for (const std::uint32_t index : open_) {
      coalesce(table_[index]);
      sealed(index);
    }
    open_.clear();
  }
  std::size_t size() const { return open_.size(); }

 private:
  /// One bit a packet in Transaction::members.
  static constexpr std::size_t kMostPackets = 64;
  static constexpr std::uint32_t kNone = ~0u;
  /// The index of the open group that takes this packet, or kNone.
  std::uint32_t open_group_of(const Packet& packet) const;
  AccessGroup& group_of(const Packet& packet);
  /// Turns the addresses of the group's packets into its transactions.
  void coalesce(AccessGroup& group);

  AccessTable& table_;
  Coalescer coalescer_, constant_lines_;
  std::vector<std::uint32_t> open_;  ///< in the order of opening
};

}  // namespace heddle::sm
