// SPDX-License-Identifier: Apache-2.0
// When packets of the memory stage are complete: replies, the lines that each packet waits for, and complete packets
// until they leave.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/kernel/cycle.h"
#include "core/kernel/payload.h"
#include "sm/memory/access_table.h"
#include "sm/memory/memory_requests.h"

namespace heddle::sm {

class PacketCompletion {
 public:
  /// keeps_lines: keeps which transactions are back (AccessGroup::back).
  PacketCompletion(AccessTable& table, bool keeps_lines) : table_(table), keeps_lines_(keeps_lines) {}

  /// A group has its transactions: its packets wait for those that serve them. A packet without any is complete and
  /// leaves the group, before whose end its place in the pool may be taken by another.
  void sealed(AccessGroup& group);
  /// All transactions of a group that waits for no replies have been sent.
  void sent(const AccessGroup& group) {
    for (const PacketHandle& packet : group.packets) {
      if (packet) ended_.push_back(packet);
    }
  }
  /// A reply came, which counts from cycle `visible` on.
  void reply(CachePath path, tlm::tlm_generic_payload& payload, Cycle visible) {
    const std::uint64_t tag = MemoryRequests::tag_of(payload);
    if (tag != 0) table_.prefetch(AccessTag(tag).group());
    replies_[static_cast<std::size_t>(path)].push_back({&payload, tag, visible});
  }
  /// Takes the replies that count by now; returns their number.
  std::size_t take_replies(Cycle now) {
    std::size_t taken = 0;
    for (auto& replies : replies_) {
      if (!replies.empty()) taken += take(replies, now);
    }
    return taken;
  }
  /// Calls send(packet) for complete packets, in order, until it returns false.
  template <typename Send>
  void finish(Send&& send) {
    std::size_t sent = 0;
    while (sent < ended_.size() && send(ended_[sent])) ++sent;
    ended_.erase(ended_.begin(), ended_.begin() + static_cast<std::ptrdiff_t>(sent));
  }
  /// Complete packets that were not sent.
  std::size_t ended() const { return ended_.size(); }

 private:
  struct Reply {
    tlm::tlm_generic_payload* payload;
    std::uint64_t tag;  ///< RequestInfo::access
    Cycle visible;
  };
  std::size_t take(std::vector<Reply>& replies, Cycle now);
  /// The reply to a transaction of a group, which ends with its last.
  void came(AccessTag tag);

  AccessTable& table_;
  const bool keeps_lines_;
  /// By path, because caches may reply in any order within a cycle.
  std::array<std::vector<Reply>, kCachePaths> replies_;
  std::vector<PacketHandle> ended_;
};

}  // namespace heddle::sm
