// SPDX-License-Identifier: Apache-2.0
// Access groups of the memory stage, from the first packet to the last reply. The other parts refer to them by index,
// requests by tag.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "sm/memory/access_class.h"
#include "sm/memory/coalescer.h"

namespace heddle::sm {

/// Packets whose addresses coalesce together, and their transactions.
struct alignas(64) AccessGroup {
  std::vector<PacketHandle> packets;      ///< by member; empty handles for packets that completed without transactions
  PacketHandle only;                      ///< the packet if there is only one, so that replies find it quickly
  std::size_t to_reply = 0;               ///< transactions with an outstanding reply
  std::vector<Transaction> transactions;  ///< once the group is sealed
  // End of the host cache line: replies seldom need the members below.
  AccessClass what;
  WarpId first_warp;      ///< of its first packet, as are the next two
  bool row_hint = false;  ///< MicroOp::row_hint
  std::uint32_t pc = 0;
  std::uint64_t group = 0;    ///< Packet::access_group
  std::uint64_t number = 0;   ///< unique per group
  std::size_t sent = 0;       ///< transactions sent
  std::vector<bool> partial;  ///< by transaction of a store: does not write all bytes of its range
  std::vector<bool> back;     ///< by transaction: reply received; kept only for who asks which threads have their data

  bool all_sent() const { return sent == transactions.size(); }
  /// The transaction to send next; not all_sent().
  const Transaction& next() const { return transactions[sent]; }
  /// Calls f(packet) for the packets named by a transaction, in order.
  template <typename F>
  void for_members(std::uint64_t members, F&& f) const {
    for (; members != 0; members &= members - 1) f(*packets[static_cast<std::size_t>(std::countr_zero(members))]);
  }
  /// The first of these packets.
  Packet& first_of(std::uint64_t members) const {
    return *packets[static_cast<std::size_t>(std::countr_zero(members))];
  }
};

/// Names a transaction of a group in a request (RequestInfo::access). 0: none, nobody waits for the reply.
class AccessTag {
 public:
  AccessTag(std::uint32_t group, std::size_t transaction) : bits_((std::uint64_t{group} + 1) << 32 | transaction) {}
  /// bits: of a tag, not 0.
  explicit AccessTag(std::uint64_t bits) : bits_(bits) {}
  std::uint64_t bits() const { return bits_; }
  std::uint32_t group() const { return static_cast<std::uint32_t>((bits_ >> 32) - 1); }
  std::size_t transaction() const { return bits_ & 0xffffffff; }

 private:
  std::uint64_t bits_;
};

class AccessTable {
 public:
  /// Index of an empty group.
  std::uint32_t take();
  /// The group has ended: its index may be taken again.
  void free(std::uint32_t index) { idle_.push_back(index); }
  AccessGroup& operator[](std::uint32_t index) { return *groups_[index]; }
  const AccessGroup& operator[](std::uint32_t index) const { return *groups_[index]; }
  /// Fetches a group that has left the host's cache.
  void prefetch(std::uint32_t index) const { __builtin_prefetch(groups_[index].get()); }

 private:
  std::vector<std::unique_ptr<AccessGroup>> groups_;
  std::vector<std::uint32_t> idle_;
  std::uint64_t taken_ = 0;  ///< groups so far
};

}  // namespace heddle::sm
