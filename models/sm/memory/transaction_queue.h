// SPDX-License-Identifier: Apache-2.0
// Access groups with transactions to send, in order, and their arbitration for the ports to the caches.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "sm/memory/access_class.h"

namespace heddle::sm {

class TransactionQueue {
 public:
  /// group: its index in the table. path: of its transactions.
  void add(std::uint32_t group, CachePath path) { queue_.push_back({group, path}); }
  std::size_t size() const { return queue_.size(); }
  /// The group at a place: 0 .. size()-1.
  std::uint32_t operator[](std::size_t place) const { return queue_[place].group; }

  /// One cycle's arbitration: calls send(group, path) for up to `most` groups whose path is free(path), at most one a
  /// path. Groups of a path go in order, but may overtake those of other paths. send returns whether the group keeps
  /// its place, because it has more to send. Returns the number of paths that had something to send and were not free.
  template <typename Free, typename Send>
  unsigned arbitrate(unsigned most, Free&& free, Send&& send) {
    std::array<bool, kCachePaths> seen{};
    unsigned stalled = 0;
    for (std::size_t place = 0; place < queue_.size() && most != 0;) {
      const auto [group, path] = queue_[place];
      if (std::exchange(seen[static_cast<std::size_t>(path)], true)) {
        ++place;
      } else if (!free(path)) {
        ++stalled;
        ++place;
      } else {
        --most;
        if (send(group, path)) {
          ++place;
        } else {
          queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(place));
        }
      }
    }
    return stalled;
  }
  /// Calls f(path) for each path on which a group waits.
  template <typename F>
  void for_paths(F&& f) const {
    std::array<bool, kCachePaths> seen{};
    for (const auto& [group, path] : queue_) {
      if (!std::exchange(seen[static_cast<std::size_t>(path)], true)) f(path);
    }
  }

 private:
  struct Entry {
    std::uint32_t group;
    CachePath path;
  };
  std::vector<Entry> queue_;
};

}  // namespace heddle::sm
