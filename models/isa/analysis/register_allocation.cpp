// SPDX-License-Identifier: Apache-2.0
// Linear scan with lifetime holes: O. Traub, G. Holloway, M. Smith, "Quality and Speed in Linear-scan Register
// Allocation", PLDI 1998.
#include "isa/analysis/register_allocation.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <queue>
#include <tuple>

namespace heddle::isa {
namespace {

class Scanner {
 public:
  Scanner(std::span<const std::vector<LiveRange>> ranges, std::span<const std::uint8_t> sizes)
      : ranges_(ranges), sizes_(sizes) {}

  Allocation run() {
    Allocation out;
    out.units.assign(ranges_.size(), Allocation::kNone);
    std::vector<std::uint32_t> order;
    for (std::uint32_t reg = 0; reg < ranges_.size(); ++reg) {
      if (sizes_[reg] != 0 && !ranges_[reg].empty()) order.push_back(reg);
    }
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::tuple(ranges_[a].front().first, a) < std::tuple(ranges_[b].front().first, b);
    });
    for (const std::uint32_t reg : order) {
      advance(ranges_[reg].front().first);
      out.units[reg] = place(reg);
    }
    out.used = static_cast<std::uint32_t>(busy_.size());
    return out;
  }

 private:
  // Updates free_ to the units unoccupied at `position`.
  void advance(std::uint32_t position) {
    while (!events_.empty() && std::get<0>(events_.top()) <= position) {
      const auto [at, begins, unit] = events_.top();
      events_.pop();
      mark(unit, !begins);
    }
  }

  void mark(std::uint32_t unit, bool is_free) {
    const std::uint64_t bit = std::uint64_t{1} << (unit % 64);
    is_free ? free_[unit / 64] |= bit : free_[unit / 64] &= ~bit;
  }

  bool fits(std::uint32_t unit, const std::vector<LiveRange>& life) const {
    const auto& taken = busy_[unit];
    for (const auto& [from, to] : life) {
      const auto after = taken.lower_bound(to);  // first range at or after the end
      if (after != taken.begin() && std::prev(after)->second > from) return false;
    }
    return true;
  }

  std::uint32_t place(std::uint32_t reg) {
    const auto& life = ranges_[reg];
    const unsigned size = sizes_[reg];
    const std::uint64_t starts = size == 2 ? 0x5555'5555'5555'5555 : ~std::uint64_t{0};
    for (std::size_t w = 0; w < free_.size(); ++w) {
      std::uint64_t candidates = free_[w];
      if (size == 2) candidates &= candidates >> 1;
      for (candidates &= starts; candidates != 0; candidates &= candidates - 1) {
        const auto unit = static_cast<std::uint32_t>(64 * w + static_cast<unsigned>(std::countr_zero(candidates)));
        if (unit + size > busy_.size()) break;
        if (cells_[unit] != size) continue;
        if (fits(unit, life) && (size == 1 || fits(unit + 1, life))) return take(unit, size, life);
      }
    }
    return take(grow(size), size, life);
  }

  // Appends units. A pair starts at an even unit; a skipped odd unit stays free for a single register.
  std::uint32_t grow(unsigned size) {
    auto unit = static_cast<std::uint32_t>(busy_.size());
    if (size == 2) unit += unit % 2;
    while (busy_.size() < unit + size) {
      cells_.push_back(busy_.size() < unit ? 1 : static_cast<std::uint8_t>(size));
      busy_.emplace_back();
      if (busy_.size() > 64 * free_.size()) free_.push_back(0);
      mark(static_cast<std::uint32_t>(busy_.size() - 1), true);
    }
    return unit;
  }

  std::uint32_t take(std::uint32_t unit, unsigned size, const std::vector<LiveRange>& life) {
    for (unsigned i = 0; i < size; ++i) {
      for (const auto& [from, to] : life) {
        busy_[unit + i].emplace(from, to);
        events_.emplace(from, true, unit + i);
        events_.emplace(to, false, unit + i);
      }
    }
    advance(life.front().first);
    return unit;
  }

  // At the same position, ends sort before starts: false < true.
  using Event = std::tuple<std::uint32_t, bool, std::uint32_t>;

  std::span<const std::vector<LiveRange>> ranges_;
  std::span<const std::uint8_t> sizes_;
  std::vector<std::map<std::uint32_t, std::uint32_t>> busy_;  // by unit: from, to
  // A unit only ever holds registers of one size: 4- and 8-byte cells have different layouts, and diverged threads of a
  // warp may hold different registers in it at the same time.
  std::vector<std::uint8_t> cells_;
  std::vector<std::uint64_t> free_;  // bit by unit
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
};

}  // namespace

Allocation allocate_units(std::span<const std::vector<LiveRange>> ranges, std::span<const std::uint8_t> sizes) {
  return Scanner(ranges, sizes).run();
}

}  // namespace heddle::isa
