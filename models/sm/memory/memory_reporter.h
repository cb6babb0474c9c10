// SPDX-License-Identifier: Apache-2.0
// What the memory stage reports to the issue stage on incomplete packets: cache misses, and the threads that already
// have their data.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "core/kernel/cycle.h"
#include "sm/memory/access_table.h"
#include "sm/messages.h"

namespace heddle::sm {

class MemoryReporter {
 public:
  struct Wanted {
    Cycle return_wait = kNever;  ///< GroupingTraits::return_wait
    bool misses = false;
  };
  MemoryReporter(const AccessTable& table, const Wanted& wanted) : table_(table), wanted_(wanted) {}

  bool wants_misses() const { return wanted_.misses; }
  /// Also report misses; before the first cycle.
  void want_misses() { wanted_.misses = true; }
  bool wants_returns() const { return wanted_.return_wait != kNever; }
  /// The cache behind a path reports misses. Otherwise every access to the path counts as a miss when it is sent.
  void expect_misses(CachePath path) { told_[static_cast<std::size_t>(path)] = true; }
  /// Whether the group's requests ask for a report of their miss.
  bool asks(const AccessGroup& group) const { return wanted_.misses && group.what.waits() && told(group); }

  /// The group's next transaction is being sent.
  void sending(const AccessGroup& group) {
    if (wanted_.misses && group.what.waits() && !told(group)) note(group, group.sent);
  }
  /// All transactions of a group that waits for replies have been sent. index: of the group.
  void sent(std::uint32_t index, Cycle now);
  /// A request missed, which counts from cycle `visible` on. Its reply is still to come.
  void missed(AccessTag tag, Cycle visible) { missed_.push_back({tag, visible}); }
  /// Marks for report the packets whose requests missed by now.
  void take_misses(Cycle now) {
    if (!missed_.empty()) take_visible_misses(now);
  }
  bool has_reports() const { return !to_report_.empty() || !watched_.empty(); }
  /// Sends what is due, as far as the link has room. Returns the cycle in which to call again; kNever: after the next
  /// miss or sent group. Link: a LinkOut<MemoryReport>.
  template <typename Link>
  Cycle report(Cycle now, Link& link) {
    Cycle next = kNever;
    if (!to_report_.empty() && !report_misses(link)) next = now + 1;
    if (!watched_.empty()) next = std::min(next, report_returns(now, link));
    return next;
  }

 private:
  bool told(const AccessGroup& group) const { return told_[static_cast<std::size_t>(group.what.path)]; }
  void note(const AccessGroup& group, std::size_t transaction);
  void take_visible_misses(Cycle now);
  template <typename Link>
  bool report_misses(Link& link) {
    std::size_t kept = 0;
    for (const PacketHandle& packet : to_report_) {
      // Skip packets whose lines arrived while the report waited for the link.
      if (packet->outstanding == 0) continue;
      if (link.can_send()) {
        MemoryReport report{packet, MemoryReport::What::missed, {}};
        link.send(report);
      } else {
        to_report_[kept++] = packet;
      }
    }
    to_report_.resize(kept);
    return kept == 0;
  }
  struct Watched {
    std::uint32_t index;
    std::uint64_t number;  ///< AccessGroup::number
    Cycle due;
  };
  template <typename Link>
  Cycle report_returns(Cycle now, Link& link) {
    while (!watched_.empty() && watched_.front().due <= now && link.can_send()) {
      MemoryReport some = returned(watched_.front());
      watched_.erase(watched_.begin());
      if (some.threads.any()) link.send(some);
    }
    return watched_.empty() ? kNever : std::max(watched_.front().due, now + 1);
  }
  /// The threads of a group's packet that have their data while others have not: none if the group has ended.
  MemoryReport returned(const Watched& watched) const;

  const AccessTable& table_;
  Wanted wanted_;
  std::array<bool, kCachePaths> told_{};  ///< by path: its cache reports misses
  struct Missed {
    AccessTag tag;
    Cycle visible;
  };
  std::vector<Missed> missed_;           ///< reported by the caches
  std::vector<PacketHandle> to_report_;  ///< packets whose miss has not been reported
  std::vector<Watched> watched_;         ///< groups with all lines requested, in order; only if returns are wanted
};

}  // namespace heddle::sm
