// SPDX-License-Identifier: Apache-2.0
// Access groups that still take packets: which packets coalesce together, and into which transactions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sm/memory/access_table.h"

namespace heddle::sm {

class OpenGroups {
 public:
  static constexpr unsigned kConstantLineBytes = 64;

  OpenGroups(const CoalescerParameters& parameters, AccessTable& table);
  /// Adds a packet to the open group of its access group and class, or to one that it opens.
  void add(Packet& packet);
  /// A packet whose threads all access shared memory does not come, but its access may wait for it.
  void passes_by(const Packet& packet) { count(packet); }
  /// Whether the packet belongs to an access that waits for it. It must be let in, or the access would wait forever.
  bool awaits(const Packet& packet) const { return packet.access_packets != 0 && waits(packet.access_group); }
  /// Whether a group is open that takes this packet.
  bool takes(const Packet& packet) const { return open_group_of(packet) != kNone; }
  /// Closes the groups that wait for no further packet: coalesces each and calls sealed(index), in the order in which
  /// they were opened.
  template <typename Sealed>
  void seal(Sealed&& sealed) {
    std::size_t kept = 0;
    for (const std::uint32_t index : open_) {
      if (waits(table_[index].group)) {
        open_[kept++] = index;
        continue;
      }
      coalesce(table_[index]);
      sealed(index);
    }
    open_.resize(kept);
  }
  /// Groups that the next seal() closes.
  std::size_t closing() const;

 private:
  /// One bit a packet in Transaction::members.
  static constexpr std::size_t kMostPackets = 64;
  static constexpr std::uint32_t kNone = ~0u;
  /// The index of the open group that takes this packet, or kNone.
  std::uint32_t open_group_of(const Packet& packet) const;
  AccessGroup& group_of(const Packet& packet);
  /// Whether packets of the access group are still to come.
  bool waits(std::uint64_t access_group) const {
    return !pending_.empty() && std::any_of(pending_.begin(), pending_.end(), [access_group](const Pending& access) {
      return access.access_group == access_group;
    });
  }
  /// One more packet of an access over several cycles has come.
  void count(const Packet& packet);
  /// Turns the addresses of the group's packets into its transactions.
  void coalesce(AccessGroup& group);
  Coalescer& coalescer_of(CachePath path);

  AccessTable& table_;
  Coalescer coalescer_, constant_lines_, texture_lines_;
  std::vector<std::uint32_t> open_;  ///< in the order of opening
  struct Pending {
    std::uint64_t access_group;
    unsigned left;  ///< packets to come
  };
  std::vector<Pending> pending_;  ///< accesses of which some packets have come
};

}  // namespace heddle::sm
