// SPDX-License-Identifier: Apache-2.0
// Loads whose lines have been requested and have not returned, in lists by line and by packet.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/kernel/cycle.h"
#include "core/trace/chrome_trace.h"

namespace heddle::gpu {

class LoadsInFlight {
 public:
  using Place = std::uint32_t;
  static constexpr Place kNowhere = ~Place{0};

  /// A line that a packet loads.
  struct Load {
    std::uint64_t line = 0;
    Track track{};
    Cycle sent = 0;
    std::uint64_t id = 0;  ///< of the flow; it begins when the line is read from DRAM
    bool flows = false;    ///< it has begun
  };
  /// A packet with such loads, those of one line next to each other.
  struct Packet {
    Place first = kNowhere;
    unsigned loads = 0;  ///< that it has had
  };

  void add(Packet& packet, const Load& load) {
    const Place place = take();
    Entry& entry = entries_[place];
    entry.load = load;
    append(chains_[chain_of(load.line)], place);
    ++packet.loads;
    // Behind the last one of its line, or of all.
    Place *end = &packet.first, *of_line = nullptr;
    while (*end != kNowhere) {
      Entry& other = entries_[*end];
      end = &other.next_of_packet;
      if (other.load.line == load.line) of_line = end;
    }
    Place& link = of_line != nullptr ? *of_line : *end;
    entry.next_of_packet = std::exchange(link, place);
  }
  /// Calls visit(load) for those of the line, in the order in which they were added.
  template <typename Visit>
  void for_each(std::uint64_t line, Visit&& visit) {
    for (Place at = chains_[chain_of(line)].first; at != kNowhere; at = entries_[at].next) {
      if (entries_[at].load.line == line) visit(entries_[at].load);
    }
  }
  /// Removes those of the packet and calls visit(load) for each.
  template <typename Visit>
  void remove(Packet& packet, Visit&& visit) {
    for (Place at = std::exchange(packet.first, kNowhere); at != kNowhere;) {
      Entry& entry = entries_[at];
      visit(std::as_const(entry.load));
      take_out(chains_[chain_of(entry.load.line)], entry);
      entry.next = std::exchange(free_, at);
      at = entry.next_of_packet;
    }
  }

 private:
  static constexpr unsigned kChainBits = 12;
  struct Entry {
    Load load{};
    Place before = kNowhere, next = kNowhere;  ///< in the chain; next: or among those that are free
    Place next_of_packet = kNowhere;
  };
  /// Loads of lines with the same hash.
  struct Chain {
    Place first = kNowhere, last = kNowhere;
  };
  static std::size_t chain_of(std::uint64_t line) {
    return static_cast<std::size_t>(line * 0x9e37'79b9'7f4a'7c15 >> (64 - kChainBits));
  }
  Place take() {
    if (free_ != kNowhere) return std::exchange(free_, entries_[free_].next);
    entries_.emplace_back();
    return static_cast<Place>(entries_.size() - 1);
  }
  void append(Chain& chain, Place place) {
    Entry& entry = entries_[place];
    entry.next = kNowhere;
    entry.before = std::exchange(chain.last, place);
    (entry.before == kNowhere ? chain.first : entries_[entry.before].next) = place;
  }
  void take_out(Chain& chain, const Entry& entry) {
    (entry.before == kNowhere ? chain.first : entries_[entry.before].next) = entry.next;
    (entry.next == kNowhere ? chain.last : entries_[entry.next].before) = entry.before;
  }

  std::vector<Entry> entries_;
  std::array<Chain, std::size_t{1} << kChainBits> chains_{};
  Place free_ = kNowhere;
};

}  // namespace heddle::gpu
